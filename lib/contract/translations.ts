import * as z from 'zod/mini';
import { invalidLanguageChange, invalidTranslations } from './failures.ts';
import { FaultList } from './fault-list.ts';
import type { Fault } from './faults.ts';
import { content, id, list, optional, required, text, type WithoutNulls, withoutNulls } from './fields.ts';
import { STATES } from './language-states.ts';
import { type Language, languageByCode, unknownCode } from './languages.ts';
import { LIMITS } from './limits.ts';
import { fieldsOf, isListOf, pointerTo } from './pointer.ts';
import { isOfService, namesWhere, TARGET_LANGUAGE } from './project-fields.ts';
import { faultsOf, namesOf } from './schema-faults.ts';
import { translationFaults } from './translation-faults.ts';
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
const TRANSLATION_SERVICE_FIELDS = ['id', 'languageId', 'version'] as const;

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
  outdated: z.optional(
    required(
      z.literal(true),
      'Present if the segment has got another content since a person translated it. The translation is a draft then.',
    ),
  ),
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

/** The schema of the whole list. The entries are checked one by one, so that checking can stop early. */
const Frame = z.array(z.unknown()).check(z.minLength(1), z.maxLength(LIMITS.translations));

const entryNames = namesOf(TranslationEntry, TRANSLATION_SERVICE_FIELDS, TranslationsRequest);
const changeNames = namesOf(LanguageChange, namesWhere(TARGET_LANGUAGE, isOfService));

/**
 * Checks the body of a request that writes translations against every rule that needs only the request, and reports the
 * first 100 faults together.
 * @throws {Problem} `invalid-translations`
 */
export function checkTranslations(value: unknown): CheckedTranslation[] {
  const faults = new FaultList();
  const checked: CheckedTranslation[] = [];
  const frame = Frame.safeParse(value);
  if (!frame.success) faults.add(faultsOf(frame.error.issues, value, [], () => entryNames));
  if (isListOf(value, LIMITS.translations)) faults.add(readEntries(value, checked));
  if (faults.found.length > 0) throw invalidTranslations(faults.found);
  return checked;
}

/**
 * Checks the body of a request that changes a target language.
 * @throws {Problem} `invalid-language-change`
 */
export function checkLanguageChange(value: unknown): LanguageChange {
  const read = LanguageChange.safeParse(value);
  if (read.success) return read.data;
  const errors = [...faultsOf(read.error.issues, value, [], () => changeNames)];
  throw invalidLanguageChange(errors);
}

function* readEntries(entries: readonly unknown[], into: CheckedTranslation[]): Generator<Fault> {
  const indexes = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const read = TranslationEntry.safeParse(entry);
    if (!read.success) yield* faultsOf(read.error.issues, entry, [index], () => entryNames);
    const fields = Array.isArray(entry) ? undefined : fieldsOf(entry);
    if (!fields) continue;
    const { languageCode: code } = fields;
    const language = typeof code === 'string' ? languageByCode(code) : undefined;
    yield* segmentFaults(fields, index);
    if (typeof code === 'string' && !language) yield unknownCode(code, pointerTo([index, 'languageCode']));
    const name = nameOf(fields, language);
    const first = name === undefined ? undefined : indexes.get(name);
    if (first !== undefined) yield translationFaults.duplicate(index, first);
    else if (name !== undefined) indexes.set(name, index);
    if (read.success && language) into.push({ ...withoutNulls(read.data), languageId: language.id });
  }
}

/** Yields a fault unless the entry names its segment in exactly one way. */
function* segmentFaults({ segmentId, segmentCustomId }: Fields, index: number): Generator<Fault> {
  const given = [segmentId, segmentCustomId].filter((value) => value !== undefined && value !== null);
  if (given.length === 0) {
    const detail = 'Name the segment with segmentId or segmentCustomId.';
    yield { pointer: pointerTo([index, 'segmentId']), code: 'required', detail };
  }
  if (given.length === 2) {
    const detail = 'The entry has segmentId too. Leave one of the two fields out.';
    yield { pointer: pointerTo([index, 'segmentCustomId']), code: 'exclusive-field', detail };
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns a text that two entries share if they name the same segment and language in the same way. */
function nameOf({ segmentId, segmentCustomId }: Fields, language: Language | undefined): string | undefined {
  const segment = segmentId ?? segmentCustomId;
  if (!language || (typeof segment !== 'number' && typeof segment !== 'string')) return undefined;
  return `${language.id} ${JSON.stringify(segment)}`;
}
