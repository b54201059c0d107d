/** The statuses of a translation, from the least to the most finished. */
export const TRANSLATION_STATUSES = [
  'untranslated',
  'draft',
  'automatic',
  'pretranslated',
  'translated',
  'proofread',
] as const;
export type TranslationStatus = (typeof TRANSLATION_STATUSES)[number];

/** Returns the rank of a status: the higher, the more finished. */
export function rankOf(status: TranslationStatus): number {
  return TRANSLATION_STATUSES.indexOf(status);
}

/** The statuses that a request can give to a translation. The service itself gives the others. */
export const WRITABLE_STATUSES = ['draft', 'translated', 'proofread'] as const satisfies readonly TranslationStatus[];
export type WritableStatus = (typeof WRITABLE_STATUSES)[number];

/** The states of the automatic translation into a language. `failed`: the engine failed, and does not try again by itself. */
export const AUTOMATIC_STATES = ['queued', 'running', 'done', 'failed'] as const;
export type AutomaticState = (typeof AUTOMATIC_STATES)[number];
