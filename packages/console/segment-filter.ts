import { useEffect, useState } from 'preact/hooks';
import type { TranslatedSegment } from '../client/index.ts';

/** Which segments a list shows. */
export interface SegmentFilter {
  /** A part of the source text, the translation or the custom id, in any case; empty for all. */
  readonly search: string;
  /** The status of the translation; empty for all. */
  readonly status: string;
}

/** How many segments are compared before the page may do something else. That takes a few milliseconds. */
const AT_ONCE = 1_000;

/** Returns a text in a form in which texts that look alike are equal. */
const comparable = (text: string) => text.normalize('NFKC').toLocaleLowerCase();

/** Returns a function that says whether a segment is one to show. */
export function matcherOf({ search, status }: SegmentFilter): (segment: TranslatedSegment) => boolean {
  const wanted = comparable(search.trim());
  return ({ source, translations }) => {
    const [translation] = translations ?? [];
    if (status !== '' && translation?.status !== status) return false;
    const texts = [source?.content, translation?.content, source?.customId];
    return wanted === '' || texts.some((text) => typeof text === 'string' && comparable(text).includes(wanted));
  };
}

/** Whether a filter shows only some segments. */
export function isFiltering({ search, status }: SegmentFilter): boolean {
  return search.trim() !== '' || status !== '';
}

/**
 * Returns the segments to show, and whether it still compares some. A new filter or page ends the comparison before.
 * Meanwhile, the page works, and shows what was found before.
 */
export function useMatches(
  segments: readonly TranslatedSegment[],
  filter: SegmentFilter,
): { readonly matches: readonly TranslatedSegment[]; readonly isSearching: boolean } {
  const [found, setFound] = useState<readonly TranslatedSegment[]>(segments);
  const [isSearching, setSearching] = useState(false);
  const { search, status } = filter;
  useEffect(() => {
    if (!isFiltering({ search, status })) return undefined;
    let isCurrent = true;
    const compare = async () => {
      const isMatch = matcherOf({ search, status });
      const matches: TranslatedSegment[] = [];
      for (let at = 0; at < segments.length; at += AT_ONCE) {
        for (const segment of segments.slice(at, at + AT_ONCE)) if (isMatch(segment)) matches.push(segment);
        await nextTask();
        if (!isCurrent) return;
      }
      setFound(matches);
      setSearching(false);
    };
    setSearching(true);
    void compare();
    return () => {
      isCurrent = false;
    };
  }, [segments, search, status]);
  return isFiltering(filter) ? { matches: found, isSearching } : { matches: segments, isSearching: false };
}

/** Lets the page draw, and react to its user. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
