/** Returns a field as text. A service may send any JSON value. */
export function text(value: unknown): string {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}

/** Whether people can type a text: it is short, and has nothing that they cannot see or that looks like something else. */
export function isTypable(text: string): boolean {
  return [...text].length <= 40 && text.trim() === text && !/^$| {2}|[^\P{Z} ]|\p{C}/u.test(text);
}

/** Returns a name for people from the name of a file: `gift-cards.json` is `Gift cards`. */
export function readableName(fileName: string): string {
  const words = fileName
    .replace(/(?<=.)\.[^.]*$/, '')
    .replaceAll(/[-_.\s]+/g, ' ')
    .trim();
  return words === '' ? fileName : words.charAt(0).toLocaleUpperCase() + words.slice(1);
}

/** Returns a number as text, with separators. */
export function count(value: number): string {
  return value.toLocaleString('en');
}

const PERCENT = new Intl.NumberFormat('en', { style: 'percent' });

/** Returns a number of percent as text, without fractions. Only what is whole is 100%. */
export function percent(value: number): string {
  return PERCENT.format(Math.floor(value) / 100);
}

const MOMENT = { dateStyle: 'medium', timeStyle: 'short' } as const;
/** The English of the reader, so that dates have the same order as in the date fields of the browser. */
const ENGLISH = globalThis.navigator?.languages.find((language) => language.startsWith('en-')) ?? 'en-GB';
const LOCAL = new Intl.DateTimeFormat(ENGLISH, MOMENT);
const DAY = new Intl.DateTimeFormat(ENGLISH, { dateStyle: 'medium' });
const TIME = new Intl.DateTimeFormat(ENGLISH, { timeStyle: 'short' });
const UTC = new Intl.DateTimeFormat(ENGLISH, { ...MOMENT, timeZone: 'UTC' });

/** Returns a moment as text in the zone of the reader, or the field itself if it is no date. */
export function date(value: unknown): string {
  return formatted(value, LOCAL);
}

/** Returns the day of a moment in the zone of the reader, or the field itself if it is no date. */
export function day(value: unknown): string {
  return formatted(value, DAY);
}

/** Returns the time of a moment in the zone of the reader, or the field itself if it is no date. */
export function timeOfDay(value: unknown): string {
  return formatted(value, TIME);
}

/** Returns a moment as text in UTC. */
export function utc(value: string): string {
  return `${formatted(value, UTC)} UTC`;
}

function formatted(value: unknown, format: Intl.DateTimeFormat): string {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? text(value) : format.format(time);
}

const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' });

/** Returns the name of a language in English, or its code if the code is no BCP 47 tag. */
export function languageName(code: string): string {
  try {
    return LANGUAGES.of(code) ?? code;
  } catch {
    return code;
  }
}

/** Returns the name of a language with its code behind it, for a text without styles, such as a choice of a field. */
export function languageLabel(code: string): string {
  const name = languageName(code);
  return name === code ? code : `${name} · ${code}`;
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

/** Returns what is known of a code, if anything is. */
export function knownIn<T>(known: Readonly<Record<string, T>>, code: string): T | undefined {
  return Object.hasOwn(known, code) ? known[code] : undefined;
}
