import { ISO_639_2_TO_1 } from './iso639.data.ts';
import { LANGUAGES, type Language } from './languages.data.ts';
import { editDistance, nearest } from './nearest.ts';

export { LANGUAGES, type Language };

/** Longer than any code there is; what exceeds it isn't looked at. */
const MAX_CODE_LENGTH = 35;

/** Shorter words are taken for codes, not for the name of a language. */
const MIN_NAME_LENGTH = 4;

// Built when first asked for: importing this module is on the way of every cold start, looking a language up isn't.
let byId: ReadonlyMap<number, Language> | undefined;
let byCode: ReadonlyMap<string, Language> | undefined;
let byPrimary: ReadonlyMap<string, readonly Language[]> | undefined;
let twoLetterCodes: ReadonlyMap<string, string> | undefined;

/** The language of an id, if the catalogue has it. */
export function languageById(id: number): Language | undefined {
  byId ??= new Map(LANGUAGES.map((language) => [language.id, language]));
  return byId.get(id);
}

/**
 * The language of a code, if the catalogue has it: without regard to case, with `_` for `-` if need be, and with a
 * three-letter code of ISO 639-2 in place of the two-letter one (`deu` and `ger` are `de`, `GER_de` is `de-DE`).
 */
export function languageByCode(code: string): Language | undefined {
  const key = keyOf(code);
  return key === undefined ? undefined : languageByKey(key);
}

/**
 * Codes of the catalogue for a code that isn't in it, the likeliest first: what the code is called today (`iw` is
 * `he`), then the same language otherwise (`de-XX`: `de`, `de-DE`, …), the language of a country (`jp`: `ja`), the
 * language of a name (`german`: `de`), and last what is spelt alike. Empty when nothing is near.
 */
export function nearestLanguageCodes(code: string, count = 3): string[] {
  const codes = new Set<string>();
  const key = keyOf(code);
  if (key !== undefined) for (const found of related(key)) codes.add(found.langCode);
  if (codes.size === 0 && code.length >= MIN_NAME_LENGTH) {
    const names = LANGUAGES.map(({ descriptiveName }) => descriptiveName);
    const [name] = nearest(code, names, 1);
    const named = LANGUAGES.find(({ descriptiveName }) => descriptiveName === name);
    if (named !== undefined) {
      codes.add(named.langCode);
      for (const found of sameLanguage(named.langCode.toLowerCase())) codes.add(found.langCode);
    }
  }
  if (codes.size < count) {
    const known = LANGUAGES.map(({ langCode }) => langCode);
    for (const near of nearest(key ?? code, known, count)) codes.add(near);
  }
  return [...codes].slice(0, Math.max(0, count));
}

/** How a code is written for comparison, or `undefined` if it has not the shape of one. */
function keyOf(code: string): string | undefined {
  // ASCII alone, and before the case is changed: in lower case the Kelvin sign is an ordinary k.
  if (code.length > MAX_CODE_LENGTH || !/^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$/.test(code)) return undefined;
  const [primary = '', ...rest] = code.toLowerCase().split(/[-_]/);
  twoLetterCodes ??= new Map(
    Array.from(ISO_639_2_TO_1.matchAll(/(\w+):(\w+)/g), ([, three = '', two = '']) => [three, two]),
  );
  return [twoLetterCodes.get(primary) ?? primary, ...rest].join('-');
}

function languageByKey(key: string): Language | undefined {
  byCode ??= new Map(LANGUAGES.map((language) => [language.langCode.toLowerCase(), language]));
  return byCode.get(key);
}

/** Languages that a key has to do with, other than by how it is spelt. */
function related(key: string): Language[] {
  const current = locale(key)?.toString().toLowerCase() ?? key;
  const found = [languageByKey(key), languageByKey(current), ...sameLanguage(key), ...sameLanguage(current)];
  if (/^[a-z]{2}$/.test(key)) {
    const spoken = locale(`und-${key}`)?.maximize().language;
    // For a region it doesn't know the answer is English, but then the catalogue has no such regional form either.
    if (spoken !== undefined && languageByKey(`${spoken}-${key}`) !== undefined) {
      found.push(...sameLanguage(`${spoken}-${key}`));
    }
  }
  return found.filter((language) => language !== undefined);
}

/**
 * All forms of the language a key begins with: the bare one, then the nearest, of equally near ones the default
 * region.
 */
function sameLanguage(key: string): Language[] {
  const [primary = ''] = key.split('-');
  if (forms(primary).length === 0) return [];
  const usual = `${primary}-${locale(primary)?.maximize().region?.toLowerCase()}`;
  return forms(primary)
    .map((language) => ({ language, own: language.langCode.toLowerCase() }))
    .map(({ language, own }) => ({
      language,
      rank: own === primary ? -1 : editDistance(key, own) - (own === usual ? 0.5 : 0),
    }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ language }) => language);
}

/** The bare form of a language and its regional ones. */
function forms(primary: string): readonly Language[] {
  byPrimary ??= Map.groupBy(LANGUAGES, ({ langCode }) => langCode.split('-')[0]?.toLowerCase() ?? '');
  return byPrimary.get(primary) ?? [];
}

function locale(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
}
