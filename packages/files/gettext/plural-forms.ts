import { CATEGORIES, categoriesOfSamples, inOrder, isCategory, type PluralCategory, SAMPLES } from '../plural-rules.ts';
import { isSameLanguage } from '../translation-file.ts';
import { compilePlural } from './plural-expression.ts';

/** The name of a form of a file: its category, or its number if it has no category of its own. */
export type FormName = PluralCategory | `${number}`;

/** The most forms that are added to an entry. No language has more than six. */
const MAX_FORMS = 10;
const COUNT = /^\s*nplurals\s*=\s*(\d{1,3})\s*$/;
const EXPRESSION = /^\s*plural\s*=/;

/**
 * Returns the names of the plural forms of an entry in their order. Many files have entries with other forms than their
 * header declares, such as those of CLDR for millions.
 * @param header the header `Plural-Forms`
 * @returns a function of the number of forms that the entry has; it may return more names, for forms that it lacks
 */
export function formNames(header: string, languageCode: string | undefined): (count: number) => readonly FormName[] {
  const declared = languageCode === undefined ? undefined : declaredNames(header, languageCode);
  const ofLanguage = languageCode === undefined ? [] : [usualNames(languageCode), allNames(languageCode)];
  return (count) => {
    if (declared && count <= declared.length) return declared;
    const known = ofLanguage.some((names) => names.length > 0) ? ofLanguage : ([['other'], ['one', 'other']] as const);
    return (
      known.find((names) => names.length === count) ?? Array.from({ length: count }, (_, form): FormName => `${form}`)
    );
  };
}

/** Returns the names of the forms that a header declares. @returns `undefined` if they cannot be told */
function declaredNames(header: string, languageCode: string): readonly FormName[] | undefined {
  const [first = '', second = ''] = header.split(';');
  const count = Number(COUNT.exec(first)?.[1]);
  const formOf = EXPRESSION.test(second) ? compilePlural(second.replace(EXPRESSION, '')) : undefined;
  const categories = categoriesOfSamples(languageCode);
  if (!formOf || !categories || !(count >= 1 && count <= MAX_FORMS)) return undefined;
  const forms = SAMPLES.map(formOf);
  if (forms.some((form) => !(form >= 0 && form < count))) return undefined;
  const numbersOf = (form: number, name: PluralCategory) =>
    categories.filter((category, sample) => category === name && forms[sample] === form).length;
  const pairs = Array.from({ length: count }, (_, form) => CATEGORIES.map((name) => ({ form, name }))).flat();
  // A form is named after the category of most of its numbers, and no two forms after the same one.
  const byNumbers = pairs.sort((one, other) => numbersOf(other.form, other.name) - numbersOf(one.form, one.name));
  const names = new Map<number, PluralCategory>();
  for (const { form, name } of byNumbers) {
    const isFree = !names.has(form) && ![...names.values()].includes(name);
    if (isFree && numbersOf(form, name) > 0) names.set(form, name);
  }
  return Array.from({ length: count }, (_, form): FormName => names.get(form) ?? `${form}`);
}

/** Returns the categories that a language usually has in gettext, which has no form for millions. */
function usualNames(languageCode: string): readonly PluralCategory[] {
  return inOrder(categoriesOfSamples(languageCode)?.slice(0, -1) ?? []);
}

function allNames(languageCode: string): readonly PluralCategory[] {
  return inOrder(categoriesOfSamples(languageCode) ?? []);
}

/**
 * Returns the names of the forms of an entry that a project needs: those of the entry, and those of the target languages.
 * @param fileLanguage the language that the file names
 * @returns a function of the number of forms that the entry has
 */
export function neededForms(
  header: string,
  fileLanguage: string | undefined,
  languageCodes: readonly string[],
): (count: number) => readonly FormName[] {
  const ofEntry = formNames(header, fileLanguage);
  const isKnown = fileLanguage !== undefined && allNames(fileLanguage).length > 0;
  const declared = isKnown ? (declaredNames(header, fileLanguage) ?? []) : [];
  const others = languageCodes.filter(
    (code) => declared.length === 0 || fileLanguage === undefined || !isSameLanguage(code, fileLanguage),
  );
  const ofTargets = others.flatMap(usualNames);
  return (count) => {
    // An entry of a template, or one with too few forms for its language, says nothing about the forms.
    const certain = [...declared, ...ofEntry(count).filter((name) => !isKnown || isCategory(name))];
    const all: readonly FormName[] = [
      ...(fileLanguage === undefined && ofTargets.length > 0 ? [] : certain),
      ...ofTargets,
    ];
    const names = [...inOrder(all.filter(isCategory)), ...new Set(all.filter((name) => !isCategory(name)))];
    return names.length > 0 ? names : ['one', 'other'];
  };
}
