/** Whether a text has more than so many Unicode code points. */
export function isTooLong(text: string, codePoints: number): boolean {
  // A code point is one or two UTF-16 units, so most texts are settled by their length alone.
  if (text.length <= codePoints) return false;
  if (text.length > codePoints * 2) return true;
  let count = 0;
  for (const _ of text) if (++count > codePoints) return true;
  return false;
}

/** Whether a text holds nothing but white space, format and control characters. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Z}\p{Cc}\p{Cf}]/u.test(text);
}
