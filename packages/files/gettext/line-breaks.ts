const FIRST = /^[\r\n]+/;
/** The look-behind keeps the search linear. */
const LAST = /(?<![\r\n])[\r\n]+$/;

/** Gives a translation the line breaks at both ends of its text. `msgfmt` refuses a file in which they differ. */
export function withLineBreaksOf(source: string | undefined, translation: string): string {
  const text = translation.replace(FIRST, '').replace(LAST, '');
  if (!source || text === '') return translation;
  return (FIRST.exec(source)?.[0] ?? '') + text + (LAST.exec(source)?.[0] ?? '');
}
