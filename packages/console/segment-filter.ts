import { useEffect, useState } from 'preact/hooks';
import type { TranslatedSegment } from '../client/index.ts';
import { isToDo, statusOf } from './translation.ts';

/** Which segments a list shows. */
export interface SegmentFilter {
  /** A part of the source text, the translation or the custom id, in any case; empty for all. */
  readonly search: string;
  /** The status of the translation, or `TO_DO`; empty for all. */
  readonly status: string;
  /** The id of a task; empty for all. */
  readonly task: string;
}

/** The filter for the segments that are left to do. It has a place among the statuses. */
export const TO_DO = 'todo';

/** How many segments are compared before the page may do something else. That takes a few milliseconds. */
const AT_ONCE = 1_000;

/** Returns a text in a form in which texts that look alike are equal. */
const comparable = (text: string) => text.normalize('NFKC').toLocaleLowerCase();

/** Returns a function that says whether a segment is one to show. */
export function matcherOf({ search, status, task }: SegmentFilter): (segment: TranslatedSegment) => boolean {
  const wanted = comparable(search.trim());
  return (segment) => {
    const { source, translations } = segment;
    if (status === TO_DO ? !isToDo(segment) : status !== '' && statusOf(segment) !== status) return false;
    if (task !== '' && source?.taskId !== task) return false;
    const texts = [source?.content, translations?.[0]?.content, source?.customId];
    return wanted === '' || texts.some((text) => typeof text === 'string' && comparable(text).includes(wanted));
  };
}

/** Whether a filter shows only some segments. */
export function isFiltering({ search, status, task }: SegmentFilter): boolean {
  return search.trim() !== '' || status !== '' || task !== '';
}

/** The segments to show. */
export interface Matches {
  readonly matches: readonly TranslatedSegment[];
  /** Returns the number of a match in the project, from 1. */
  readonly numberOf: (index: number) => number;
  /** Whether some segments are still to compare. */
  readonly isSearching: boolean;
}

/**
 * Returns the segments to show. A new filter or page ends the comparison before.
 * Meanwhile, the page works, and shows what was found before.
 */
export function useMatches(segments: readonly TranslatedSegment[], filter: SegmentFilter): Matches {
  const [found, setFound] = useState<Found>({ matches: [], numbers: [] });
  const [isSearching, setSearching] = useState(false);
  const { search, status, task } = filter;
  useEffect(() => {
    if (!isFiltering(filter)) return undefined;
    let isCurrent = true;
    const compare = async () => {
      const isMatch = matcherOf(filter);
      const matches: TranslatedSegment[] = [];
      const numbers: number[] = [];
      for (const [index, segment] of segments.entries()) {
        if (isMatch(segment)) {
          matches.push(segment);
          numbers.push(index + 1);
        }
        if ((index + 1) % AT_ONCE === 0 || index + 1 === segments.length) await nextTask();
        if (!isCurrent) return;
      }
      setFound({ matches, numbers });
      setSearching(false);
    };
    setSearching(true);
    void compare();
    return () => {
      isCurrent = false;
    };
  }, [segments, search, status, task]);
  return isFiltering(filter)
    ? { matches: found.matches, numberOf: (index) => found.numbers[index] ?? 0, isSearching }
    : { matches: segments, numberOf: (index) => index + 1, isSearching: false };
}

interface Found {
  readonly matches: readonly TranslatedSegment[];
  readonly numbers: readonly number[];
}

/** Lets the page draw, and react to its user. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
