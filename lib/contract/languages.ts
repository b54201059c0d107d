import type { Fault } from './faults.ts';
import { ISO_639_2_TO_1 } from './iso639.data.ts';
import { LANGUAGE_TABLE } from './languages.data.ts';
import { lazy } from './lazy.ts';
import { editDistance, nearest } from './nearest.ts';

/** A language of the catalogue. */
export interface Language {
  readonly id: number;
  readonly langCode: string;
  readonly descriptiveName: string;
}

/** The longest text that is looked up as a code, in characters. Every code of the catalogue is shorter. */
const MAX_CODE_LENGTH = 35;

/** Where a client finds every language. */
export const LANGUAGES_LISTED = 'GET /integrations/languages lists all languages.';

/** The shortest text that is compared with the names of languages, in characters. A shorter text counts as a code. */
const MIN_NAME_LENGTH = 4;

/** Returns all languages of the catalogue, in order of id. */
export const allLanguages = /* @__PURE__ */ lazy((): readonly Language[] =>
  Array.from(LANGUAGE_TABLE.matchAll(/^(\d+) (\S+) (.+)$/gm), ([, id, langCode = '', descriptiveName = '']) => ({
    id: Number(id),
    langCode,
    descriptiveName,
  })),
);

// Every cold start imports this module, but few requests look up a language, so the maps are lazy too.
const byId = lazy(() => new Map(allLanguages().map((language) => [language.id, language])));
const byCode = lazy(() => new Map(allLanguages().map((language) => [language.langCode.toLowerCase(), language])));
const byPrimary = lazy(() =>
  Map.groupBy(allLanguages(), ({ langCode }) => langCode.split('-')[0]?.toLowerCase() ?? ''),
);
const twoLetterCodes = lazy(() => {
  const pairs = ISO_639_2_TO_1.matchAll(/(\w+):(\w+)/g);
  return new Map(Array.from(pairs, ([, three = '', two = '']) => [three, two]));
});

/** Returns the language with an id; `undefined` if the catalogue has none. */
export function languageById(id: number): Language | undefined {
  return byId().get(id);
}

/**
 * Returns the language with a code; `undefined` if the catalogue has none. Case is ignored, and `_` counts as `-`. These
 * codes have the same language as the codes of the catalogue:
 *
 * - a three-letter code of ISO 639-2: `deu` and `ger` for `de`, and `GER_de` for `de-DE`
 * - a former code: `iw` for `he`, `in-ID` for `id-ID`, `sh` for `sr-Latn`
 * - a code in the form of Android: `zh-rTW` for `zh-TW`, `b+sr+Latn` for `sr-Latn`
 */
export function languageByCode(code: string): Language | undefined {
  const key = keyOf(code);
  return key === undefined ? undefined : byCode().get(currentKey(key));
}

/** Whether two codes name the same language, as `languageByCode` compares them. They need not be in the catalogue. */
export function isSameCode(one: string, other: string): boolean {
  const [key, otherKey] = [keyOf(one), keyOf(other)];
  if (key === undefined || otherKey === undefined) return false;
  return key === otherKey || currentKey(key) === currentKey(otherKey);
}

/**
 * Suggests codes for an unknown code, the likeliest first:
 *
 * 1. Other forms of the language: `de` and `de-DE` for `de-XX`, `he` for `iw-XX`.
 * 2. The language of a country: `ja` for `jp`.
 * 3. The language with a similar name: `de` for `german`.
 * 4. Codes with a similar spelling.
 */
export function nearestLanguageCodes(code: string, count = 3): string[] {
  const codes = new Set<string>();
  const key = keyOf(code);
  if (key !== undefined) for (const found of related(key)) codes.add(found.langCode);
  if (codes.size === 0 && code.length >= MIN_NAME_LENGTH) {
    const names = allLanguages().map(({ descriptiveName }) => descriptiveName);
    const [name] = nearest(code, names, 1);
    const named = allLanguages().find(({ descriptiveName }) => descriptiveName === name);
    if (named !== undefined) {
      codes.add(named.langCode);
      for (const found of sameLanguage(named.langCode.toLowerCase())) codes.add(found.langCode);
    }
  }
  if (codes.size < count) {
    const known = allLanguages().map(({ langCode }) => langCode);
    for (const near of nearest(key ?? code, known, count)) codes.add(near);
  }
  return [...codes].slice(0, Math.max(0, count));
}

/** Makes the fault of a code that the catalogue does not have. It suggests codes, or says where the list is. */
export function unknownCode(code: string, pointer: string): Fault {
  const allowed = nearestLanguageCodes(code);
  const fault = { pointer, code: 'unknown-language' } as const;
  return allowed.length > 0
    ? {
        ...fault,
        detail: `No language has this code. ${allowed.length === 1 ? 'The nearest code is' : 'The nearest codes are'} ${allowed.join(', ')}.`,
        allowed,
      }
    : { ...fault, detail: `No language has this code. ${LANGUAGES_LISTED}` };
}

/** Matches the two forms of Android: `zh-rTW`, and with a plus sign a code of any subtags, such as `b+sr+Latn`. */
const ANDROID_REGION = /^([a-z]{2,3})-r([a-z]{2})$/;
const ANDROID_SUBTAGS = /^b(?:\+[A-Za-z0-9]+)+$/i;

/** Returns the lower-case form of a code that the lookup maps use as key; `undefined` if the text is not a code. */
function keyOf(code: string): string | undefined {
  if (code.length > MAX_CODE_LENGTH) return undefined;
  const plain = ANDROID_SUBTAGS.test(code) ? code.slice(2).replaceAll('+', '-') : code;
  // Check for ASCII before changing the case: the lower case of the Kelvin sign is an ordinary k.
  if (!/^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/.test(plain)) return undefined;
  const [primary = '', ...rest] = plain.toLowerCase().replaceAll('_', '-').replace(ANDROID_REGION, '$1-$2').split('-');
  return [twoLetterCodes().get(primary) ?? primary, ...rest].join('-');
}

/**
 * Returns the key of the current code of a language. A key of the catalogue stays: the runtime would take Tagalog for
 * Filipino.
 */
function currentKey(key: string): string {
  return byCode().has(key) ? key : canonical(key).toLowerCase();
}

/** Returns the canonical form of a code; the code itself if it is not well-formed. */
function canonical(code: string): string {
  try {
    return Intl.getCanonicalLocales(code)[0] ?? code;
  } catch {
    return code;
  }
}

/**
 * Returns the languages that a code from `keyOf` may mean. Languages whose code only looks similar are not included.
 */
function related(key: string): Language[] {
  const found = [...sameLanguage(key), ...sameLanguage(currentKey(key))];
  if (/^[a-z]{2}$/.test(key)) {
    const spoken = locale(`und-${key}`)?.maximize().language;
    // For an unknown region, `maximize` returns English. The catalogue has no English for that region, so none is
    // added.
    if (byCode().has(`${spoken}-${key}`)) found.push(...sameLanguage(`${spoken}-${key}`));
  }
  return found.filter((language) => language !== undefined);
}

/**
 * Returns all forms of the language of a code. The code without a region comes first, then the codes with the nearest
 * spelling. Of two equally near codes, the one with the language's main region comes first.
 */
function sameLanguage(key: string): Language[] {
  const [primary = ''] = key.split('-');
  const usual = `${primary}-${locale(primary)?.maximize().region?.toLowerCase()}`;
  const rank = ({ langCode }: Language) => {
    const own = langCode.toLowerCase();
    return own === primary ? -1 : editDistance(key, own) - (own === usual ? 0.5 : 0);
  };
  return (byPrimary().get(primary) ?? []).toSorted((one, other) => rank(one) - rank(other));
}

function locale(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
}
