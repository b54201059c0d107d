import * as z from 'zod/mini';
import { content, id, list, optional, required, text, type WithoutNulls } from './fields.ts';
import { STATES } from './language-states.ts';
import { LIMITS } from './limits.ts';
import { TRANSLATION_STATUSES, WRITABLE_STATUSES } from './translation-status.ts';

/** The schema of one entry in a request that writes translations: one segment in one language. */
export const TranslationEntry = z.strictObject({
  segmentId: optional(id(), 'The segment’s id. An entry has either `segmentId` or `segmentCustomId`.'),
  segmentCustomId: optional(text(), 'The segment’s custom id, if no other segment of the project has it.'),
  languageCode: required(text(), 'The code of one of the project’s target languages.'),
  content: required(content(), 'The translation: plain text, or HTML markup like that of the segment.'),
  status: required(
    z.enum(WRITABLE_STATUSES),
    'The status of the translation. A status below the current one requires `reopen`.',
  ),
  ifVersion: optional(
    z.int().check(z.gte(0)),
    'The version that the translation must have now; 0 if nobody has translated the segment yet. Without `ifVersion`, the entry replaces any version.',
  ),
  reopen: optional(z.boolean(), 'true allows a status below the current one.'),
});
export type TranslationEntry = WithoutNulls<z.infer<typeof TranslationEntry>>;

/** The schema of the body of a request that writes translations. */
export const TranslationsRequest = list(TranslationEntry, { min: 1, max: LIMITS.translations });

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
  ),
});
export type LanguageChange = z.infer<typeof LanguageChange>;
