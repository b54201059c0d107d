/** The namespaces of XLIFF. All of XLIFF 2 has that of 2.0. */
export const XLIFF_1 = 'urn:oasis:names:tc:xliff:document:1.2';
export const XLIFF_2 = 'urn:oasis:names:tc:xliff:document:2.0';
/** The namespace of the attribute `base` in XLIFF 2. In XLIFF 1.2 the base is the attribute `extradata`. */
export const SEGUE_NAMESPACE = 'urn:segue:translation-file';
/** The type of the code that stands for a character that XML lacks, in XLIFF 1.2. XLIFF 2 has `<cp>` for it. */
export const CONTROL_TYPE = 'x-segue-character';

const ORIGINAL = /^segue:project\/([1-9]\d{0,15})$/;

/** Returns the attribute `original` of a project's file. */
export function originalOf(projectId: number): string {
  return `segue:project/${projectId}`;
}

/** Returns the id of the project in the attribute `original` of a file. @returns `undefined` for a file of others */
export function projectIn(original: string | undefined): number | undefined {
  const [, id] = ORIGINAL.exec(original ?? '') ?? [];
  return id !== undefined && Number.isSafeInteger(Number(id)) ? Number(id) : undefined;
}

/** Returns the number in a text of at least four hexadecimal digits, which names a character that XML lacks. */
export function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** Returns the character with a hexadecimal number; an empty text if there is none. */
export function characterOf(hex: string): string {
  const number = /^[\da-f]{1,6}$/i.test(hex) ? Number.parseInt(hex, 16) : Number.NaN;
  return number <= 0x10ffff ? String.fromCodePoint(number) : '';
}
