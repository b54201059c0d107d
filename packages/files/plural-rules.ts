import { tagOf } from './translation-file.ts';

/** The plural categories of CLDR in their order. */
export const CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other'] as const;
export type PluralCategory = (typeof CATEGORIES)[number];

/** Whether a rule is for counting, as in `3 files`, or for an order, as in `3rd file`. */
export type PluralType = 'cardinal' | 'ordinal';

/** Whether a text names a category. */
export function isCategory(text: string | undefined): text is PluralCategory {
  return CATEGORIES.some((category) => category === text);
}

/** What a locale of POSIX has after its language, such as `.UTF-8` and `@latin`. */
const POSIX_PARTS = /[.@].*/s;

/** Returns the rules of a language. @returns `undefined` if they are unknown */
function rulesOf(languageCode: string, type: PluralType): Intl.PluralRules | undefined {
  try {
    const [locale] = Intl.PluralRules.supportedLocalesOf(tagOf(languageCode.replace(POSIX_PARTS, '')));
    return locale === undefined ? undefined : new Intl.PluralRules(locale, { type });
  } catch {
    // The code is not a language tag.
    return undefined;
  }
}

/** Returns the categories that a language has. @returns `undefined` if they are unknown */
export function categoriesOf(
  languageCode: string,
  type: PluralType = 'cardinal',
): readonly PluralCategory[] | undefined {
  const categories: readonly string[] | undefined = rulesOf(languageCode, type)?.resolvedOptions().pluralCategories;
  return categories && CATEGORIES.filter((category) => categories.includes(category));
}

/** Numbers that stand for all. Some languages have a category of their own for millions. */
export const SAMPLES: readonly number[] = [...Array.from({ length: 201 }, (_, number) => number), 1_000_000];

/** Returns the category of each sample. @returns `undefined` if the rules are unknown */
export function categoriesOfSamples(languageCode: string): readonly PluralCategory[] | undefined {
  const rules = rulesOf(languageCode, 'cardinal');
  return rules && SAMPLES.map((number) => rules.select(number));
}

/** Returns the categories in their order, each once. */
export function inOrder(categories: Iterable<PluralCategory>): readonly PluralCategory[] {
  const all = new Set(categories);
  return CATEGORIES.filter((category) => all.has(category));
}

/** The most languages that a note names, because each of many texts may have it. */
const MAX_EXAMPLES = 8;

/**
 * Returns a function that returns the note for translators of a form: the languages that need it, with numbers that it is
 * for. Many texts have the same forms, so each note is made once.
 */
export function formNotes(languageCodes: readonly string[]): (category: PluralCategory, type?: PluralType) => string {
  const notes = new Map<string, string>();
  return (category, type = 'cardinal') => {
    const note = notes.get(`${category} ${type}`) ?? noteOfForm(category, languageCodes, type);
    notes.set(`${category} ${type}`, note);
    return note;
  };
}

function noteOfForm(category: PluralCategory, languageCodes: readonly string[], type: PluralType): string {
  const examples = languageCodes.flatMap((code) => {
    const rules = rulesOf(code, type);
    const numbers = [...SAMPLES, 1.5].filter((number) => rules?.select(number) === category).slice(0, 3);
    return numbers.length > 0 ? [`${tagOf(code)} ${numbers.join(', ')}`] : [];
  });
  return `Plural form "${category}", for numbers such as: ${examples.slice(0, MAX_EXAMPLES).join('; ')}`;
}
