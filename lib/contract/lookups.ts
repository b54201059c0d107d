import type { LOOKUP_PATHS } from './paths.ts';

/**
 * A lookup: a list of an upstream service that Segue may pass on. Segue sends exactly the path and the query of the
 * lookup, and no other read that a client asks for.
 */
export type LookupName = keyof typeof LOOKUP_PATHS;

export const LOOKUP_NAMES = [
  'domains',
  'users',
  'collaborators',
  'styleGuides',
] as const satisfies readonly LookupName[];

/** The queries of lookups that have one. */
export const LOOKUP_QUERIES: Readonly<Partial<Record<LookupName, Readonly<Record<string, string>>>>> = {
  domains: { active: 'true' },
};

/** The size limit of the list that an upstream service answers, in bytes, both encoded and decoded. */
export const LOOKUP_BYTES = 1_048_576;

/**
 * The setting with the lookups that Segue passes on, separated by commas. It is not in the file of the other settings,
 * because functions read that file at their start.
 */
export const UPSTREAM_LOOKUPS = {
  variable: 'SEGUE_UPSTREAM_LOOKUPS',
  rule: 'names with commas between them, of domains, users, collaborators, styleGuides',
  parse(text: string): readonly LookupName[] | undefined {
    const given = text.split(',');
    const names = LOOKUP_NAMES.filter((name) => given.includes(name));
    return given.every((name) => names.some((known) => known === name)) ? names : undefined;
  },
};
