/**
 * What the canary of a stack does in each run. `reads` only reads, and checks a project without creating it. `create`
 * also creates a project and deletes it.
 */
export const CANARY_MODES = ['reads', 'create'] as const;
export type CanaryMode = (typeof CANARY_MODES)[number];

/** The company id in the secret of the canary until the operator gives it a key. */
export const CANARY_UNSET = 'fill-in';

/** How often the canary runs. */
export const CANARY_MINUTES = 5;

/** The checks of the canary, in their order. The last ones need the mode `create`. */
export const CANARY_CHECKS = [
  'health',
  'sign-in',
  'languages',
  'list',
  'kept-project',
  'validate',
  'missing-project',
  'leftovers',
  'create',
  'repeat-create',
  'read',
  'delete',
  'deleted-project',
] as const;
export type CanaryCheck = (typeof CANARY_CHECKS)[number];
