import * as z from 'zod/mini';
import { content, id, list, optional, required, text, type WithoutNulls } from './fields.ts';
import { STATES } from './language-states.ts';
import { LIMITS } from './limits.ts';
import { TRANSLATION_STATUSES, WRITABLE_STATUSES } from './translation-status.ts';

/** The schema of one entry in a request that writes translations: one segment in one language. */
export const TranslationEntry = z.strictObject({
  segmentId: optional(id(), 'The segment’s id. An entry has either `segmentId` or `segmentCustomId`.', 228899643141237),
  segmentCustomId: optional(
    text(),
    'The segment’s custom id, if no other segment of the project has it.',
    'home.title',
  ),
  languageCode: required(text(), 'The code of one of the project’s target languages.', 'de-DE'),
  content: required(
    content(),
    'The translation: plain text, or HTML markup like that of the segment.',
    '<p>Hallo, Welt</p>',
  ),
  status: required(
    z.enum(WRITABLE_STATUSES),
    'The status of the translation. A status below the current one requires `reopen`.',
    'translated',
  ),
  ifVersion: optional(
    z.int().check(z.gte(0)),
    'The version that the translation must have now; 0 if nobody has translated the segment yet. Without `ifVersion`, the entry replaces any version.',
    0,
  ),
  reopen: optional(z.boolean(), 'true allows a status below the current one.', true),
});
export type TranslationEntry = WithoutNulls<z.infer<typeof TranslationEntry>>;

/** The schema of the body of a request that writes translations. */
export const TranslationsRequest = required(
  list(TranslationEntry, { min: 1, max: LIMITS.translations }),
  'The translations to write, all or none.',
  [{ segmentId: 228899643141237, languageCode: 'de-DE', content: '<p>Hallo, Welt</p>', status: 'translated' }],
);

/** The fields of a translation that only answers may have. */
export const TRANSLATION_SERVICE_FIELDS = ['id', 'languageId', 'version'] as const;

/** An entry of a request, after `checkTranslations` has checked every rule that needs only the request. */
export type CheckedTranslation = TranslationEntry & { readonly languageId: number };

/** The schema of a translation as it now stands, in the answer to a request that wrote it. */
export const WrittenTranslation = z.strictObject({
  id: required(id(), 'Generated identifier of the translation.'),
  segmentId: required(id(), 'The segment’s id.'),
  segmentCustomId: required(z.nullable(z.string()), 'The segment’s custom id; null if it has none.'),
  languageId: required(id(), 'Numeric id of the language.'),
  languageCode: required(z.string(), 'Language code.'),
  content: required(z.string(), 'The translation.'),
  status: required(z.enum(TRANSLATION_STATUSES), 'The status of the translation.'),
  version: required(z.int(), 'The version of the translation. Every change of the translation increases it.'),
});
export type WrittenTranslation = z.infer<typeof WrittenTranslation>;

/** The schema of the body of a request that changes a target language. */
export const LanguageChange = z.strictObject({
  state: required(
    z.enum(STATES),
    'The new state. `InProgress` starts the work, and retries a failed automatic translation. `InPreparation` stops the work.',
    'InPreparation',
  ),
});
export type LanguageChange = z.infer<typeof LanguageChange>;
