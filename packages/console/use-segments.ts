import { useEffect, useRef, useState } from 'preact/hooks';
import type { TranslatedSegment, Translation } from '../client/index.ts';
import { useClient } from './session.ts';
import { idOf, withTranslation } from './translation.ts';

/** The largest page of segments. */
const ON_A_PAGE = 1_000;

/** The segments of a project that are loaded so far. */
export interface LoadedSegments {
  readonly segments: readonly TranslatedSegment[];
  readonly error: unknown;
  readonly state: 'loading' | 'complete' | 'stopped';
  /** Loads all of them again. Those that are shown stay until then. */
  readonly loadAgain: () => void;
  /** Ends the loading. */
  readonly stop: () => void;
  /** Shows a segment with the translation that it has now. */
  readonly update: (segmentId: number, translation: Translation) => void;
  /** Shows a segment as it was read alone. */
  readonly replace: (segment: TranslatedSegment) => void;
}

/**
 * Loads the segments page by page, and shows each page as soon as it arrives. If the project changes meanwhile, the
 * reader decides when to load it again: while an engine translates, each attempt may fail.
 * @param version another one loads the segments again
 */
export function useSegments(id: number, languageCode: string | undefined, version: unknown): LoadedSegments {
  const client = useClient();
  const [segments, setSegments] = useState<readonly TranslatedSegment[]>([]);
  const [error, setError] = useState<unknown>();
  const [state, setState] = useState<LoadedSegments['state']>('loading');
  const [attempt, setAttempt] = useState(0);
  const shownCode = useRef(languageCode);
  const stopped = useRef(false);
  useEffect(() => {
    let isCurrent = true;
    const load = async () => {
      let cursor: string | undefined;
      let count = 0;
      do {
        const page = await client.getSegments(id, { languageCode, cursor, limit: ON_A_PAGE });
        if (!isCurrent || stopped.current) return;
        const from = count;
        count += page.segments.length;
        cursor = page.cursor;
        const isLast = cursor === undefined;
        setSegments((known) => [...known.slice(0, from), ...page.segments, ...(isLast ? [] : known.slice(count))]);
      } while (cursor !== undefined);
      setState('complete');
    };
    if (shownCode.current !== languageCode) setSegments([]);
    shownCode.current = languageCode;
    stopped.current = false;
    setError(undefined);
    setState('loading');
    load().catch((failure: unknown) => {
      if (!isCurrent) return;
      setError(failure);
      setState('stopped');
    });
    return () => {
      isCurrent = false;
    };
  }, [id, languageCode, version, attempt]);
  const change = (segmentId: number | undefined, next: (segment: TranslatedSegment) => TranslatedSegment) =>
    setSegments((known) => known.map((segment) => (idOf(segment) === segmentId ? next(segment) : segment)));
  return {
    segments,
    error,
    state,
    loadAgain: () => setAttempt(attempt + 1),
    stop() {
      stopped.current = true;
      setState('stopped');
    },
    update: (segmentId, translation) => change(segmentId, (segment) => withTranslation(segment, translation)),
    replace: (segment) => change(idOf(segment), () => segment),
  };
}
