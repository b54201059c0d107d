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

/** The statuses that a request can give to a translation. The service itself gives the others. */
export const WRITABLE_STATUSES = ['draft', 'translated', 'proofread'] as const satisfies readonly TranslationStatus[];
export type WritableStatus = (typeof WRITABLE_STATUSES)[number];
