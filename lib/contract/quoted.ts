const QUOTE_OR_BACKSLASH = /["\\]/g;

/**
 * Returns the index after the quote that ends a text in double quotes, in which a backslash escapes any character. A
 * regular expression for the whole text would need memory on the stack for each escape.
 * @param start the index of the first quote
 * @returns `undefined` if the text does not end
 */
export function endOfQuoted(text: string, start: number): number | undefined {
  QUOTE_OR_BACKSLASH.lastIndex = start + 1;
  for (let found = QUOTE_OR_BACKSLASH.exec(text); found; found = QUOTE_OR_BACKSLASH.exec(text)) {
    if (found[0] === '"') return found.index + 1;
    QUOTE_OR_BACKSLASH.lastIndex = found.index + 2;
  }
  return undefined;
}
