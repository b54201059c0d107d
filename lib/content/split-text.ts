/** A part of a text: a match of a pattern, or what stands between two matches. */
export interface TextPart {
  readonly text: string;
  readonly isMatch: boolean;
}

/**
 * Divides a text at the matches of a pattern, one part at a time, so that the caller may stop at any part. Together the
 * parts are the text. None of them is empty.
 * @param isKept whether a match is a part of its own
 */
export function* splitText(text: string, pattern: RegExp, isKept = (_match: string) => true): Generator<TextPart> {
  let end = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    if (match === '' || !isKept(match)) continue;
    if (index > end) yield { text: text.slice(end, index), isMatch: false };
    yield { text: match, isMatch: true };
    end = index + match.length;
  }
  if (end < text.length) yield { text: text.slice(end), isMatch: false };
}
