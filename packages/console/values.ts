/** Returns a field as text. A service may send any JSON value. */
export function text(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** Returns a number as text, with separators. */
export function count(value: number): string {
  return value.toLocaleString('en');
}

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** Returns a date as text in UTC, or the field itself if it is no date. */
export function date(value: unknown): string {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? text(value) : `${DATE.format(time)} UTC`;
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' });

/** Returns the name of a language in English, or its code if the code is no BCP 47 tag. */
export function languageName(code: string): string {
  try {
    return LANGUAGES.of(code) ?? code;
  } catch {
    return code;
  }
}

const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']);

/** Returns the attributes of an element whose text is in a language. */
export function inLanguage(code: string | null | undefined): { readonly lang?: string; readonly dir: Direction } {
  if (code === null || code === undefined) return { dir: 'auto' };
  try {
    const { script = '' } = new Intl.Locale(code).maximize();
    return { lang: code, dir: RIGHT_TO_LEFT.has(script) ? 'rtl' : 'ltr' };
  } catch {
    return { dir: 'auto' }; // The service has a code that is no BCP 47 tag.
  }
}

type Direction = 'ltr' | 'rtl' | 'auto';
