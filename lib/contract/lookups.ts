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
