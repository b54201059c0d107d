import { countUpTo } from '../../../lib/contract/text-position.ts';
import type { Span } from './span-file.ts';

const LINE_END = /\r\n?|\n/;
const EACH_LINE_END = new RegExp(LINE_END, 'g');

/** Returns a text in which each line ends with a line feed. */
export function withLineFeeds(text: string): string {
  return text.replace(EACH_LINE_END, '\n');
}

/**
 * Returns spans of a text after `withLineFeeds` as spans of the text itself. Lines in what they write end like the lines of
 * the span, or else like the first line of the text.
 */
export function withLineEnds(spans: Iterable<Span>, text: string): Span[] {
  // Where the lines begin, in the text with line feeds, before which two characters have become one.
  const shortened = Array.from(text.matchAll(/\r\n/g), ({ index }, count) => index - count + 1);
  const indexOf = (index: number) => index + countUpTo(shortened, index);
  const firstEnd = LINE_END.exec(text)?.[0] ?? '\n';
  return Array.from(spans, (span) => {
    const [start, end] = [indexOf(span.start), indexOf(span.end)];
    const lineEnd = LINE_END.exec(text.slice(start, end))?.[0] ?? firstEnd;
    const write: Span['write'] = (translation) => {
      const written = span.write(withLineFeeds(translation));
      return typeof written === 'string' ? written.replaceAll('\n', lineEnd) : written;
    };
    return { ...span, start, end, write };
  });
}
