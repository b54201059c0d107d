import { useEffect, useState } from 'preact/hooks';
import type { DocumentedProject, Project, TranslatedSegment } from '../client/index.ts';
import { targetLanguagesOf } from './languages.tsx';
import { Failure } from './page.tsx';
import { useClient } from './session.ts';
import { inLanguage, text } from './values.ts';
import { VirtualList } from './virtual-list.tsx';

/** The height of a row in CSS pixels. The style sheet cuts longer texts; the row opens to show them. */
const ROW_PX = 96;

/** The segments of a project, with their translations into one language at a time. */
export function Segments({ id, project }: { readonly id: number; readonly project: Project }) {
  const codes = targetLanguagesOf(project).flatMap(({ targetLanguageCode: code }) => (code ? [code] : []));
  const [languageCode, setLanguageCode] = useState(codes[0]);
  const { segments, error, isComplete, loadAgain } = useSegments(id, languageCode);
  const [open, setOpen] = useState<TranslatedSegment>();
  const sourceCode = sourceOf(project);
  return (
    <section aria-labelledby="segments">
      <h2 id="segments">Segments</h2>
      <p class="filters">
        <label>
          Translations into
          <select value={languageCode} onChange={({ currentTarget }) => setLanguageCode(currentTarget.value)}>
            {codes.map((code) => (
              <option key={code}>{code}</option>
            ))}
          </select>
        </label>
        <span role="status">
          {segments.length} {segments.length === 1 ? 'segment' : 'segments'}
          {isComplete || error !== undefined ? '' : ', loading…'}
        </span>
        {error !== undefined && (
          <button type="button" onClick={loadAgain}>
            Load again
          </button>
        )}
      </p>
      {error !== undefined && <Failure error={error} />}
      <VirtualList
        label="Segments"
        count={segments.length}
        rowPx={ROW_PX}
        row={(index) => {
          const segment = segments[index];
          if (!segment) return null;
          return (
            <button type="button" class="segment" onClick={() => setOpen(segment)}>
              <Texts segment={segment} sourceCode={sourceCode} />
            </button>
          );
        }}
      />
      {open && <SegmentDialog segment={open} sourceCode={sourceCode} onClose={() => setOpen(undefined)} />}
    </section>
  );
}

function sourceOf(project: Project): DocumentedProject['sourceLanguageCode'] {
  const code = project['sourceLanguageCode'];
  return typeof code === 'string' ? code : undefined;
}

function Texts({ segment, sourceCode }: { readonly segment: TranslatedSegment; readonly sourceCode: Code }) {
  const [translation] = segment.translations ?? [];
  return (
    <>
      <span {...inLanguage(sourceCode)}>{text(segment.source?.content)}</span>
      <span {...inLanguage(translation?.languageCode)}>{text(translation?.content)}</span>
      <span class="quiet">{text(translation?.status)}</span>
    </>
  );
}

type Code = string | null | undefined;

function SegmentDialog({
  onClose,
  ...texts
}: {
  readonly segment: TranslatedSegment;
  readonly sourceCode: Code;
  readonly onClose: () => void;
}) {
  const { source } = texts.segment;
  return (
    <dialog ref={showModal} onClose={onClose} aria-label="Segment" class="whole">
      <dl class="facts">
        <dt>Custom id</dt>
        <dd>{text(source?.customId)}</dd>
        <dt>Task</dt>
        <dd>{text(source?.taskId)}</dd>
        <dt>Notes</dt>
        <dd>{text(source?.notes)}</dd>
      </dl>
      <Texts {...texts} />
      <form method="dialog">
        <button type="button" onClick={({ currentTarget }) => currentTarget.closest('dialog')?.close()}>
          Close
        </button>
      </form>
    </dialog>
  );
}

/** The browser then keeps the focus inside, closes at Escape, and returns the focus to the row. */
function showModal(dialog: HTMLDialogElement | null): void {
  if (dialog && !dialog.open) dialog.showModal();
}

/**
 * Loads the segments page by page, and shows each page as soon as it arrives. If the project changes meanwhile, the
 * reader decides when to load it again: while an engine translates, each attempt may fail.
 */
function useSegments(id: number, languageCode: string | undefined) {
  const client = useClient();
  const [segments, setSegments] = useState<readonly TranslatedSegment[]>([]);
  const [error, setError] = useState<unknown>();
  const [isComplete, setComplete] = useState(false);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const load = async () => {
      let cursor: string | undefined;
      do {
        const page = await client.getSegments(id, { languageCode, cursor, limit: 1_000 });
        if (!isCurrent) return;
        setSegments((known) => [...known, ...page.segments]);
        cursor = page.cursor;
      } while (cursor !== undefined);
      setComplete(true);
    };
    setSegments([]);
    setError(undefined);
    setComplete(false);
    load().catch((failure: unknown) => isCurrent && setError(failure));
    return () => {
      isCurrent = false;
    };
  }, [id, languageCode, attempt]);
  return { segments, error, isComplete, loadAgain: () => setAttempt(attempt + 1) };
}
