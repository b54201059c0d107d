import * as z from 'zod/mini';
import { invalidLanguageChange, invalidTranslations } from './failures.ts';
import { FaultList } from './fault-list.ts';
import type { Fault } from './faults.ts';
import { withoutNulls } from './fields.ts';
import { type Language, languageByCode, unknownCode } from './languages.ts';
import { LIMITS } from './limits.ts';
import { fieldsOf, isListOf, pointerTo } from './pointer.ts';
import { isOfService, namesWhere, TARGET_LANGUAGE } from './project-fields.ts';
import { faultsOf, namesOf } from './schema-faults.ts';
import { translationFaults } from './translation-faults.ts';
import {
  type CheckedTranslation,
  LanguageChange,
  TRANSLATION_SERVICE_FIELDS,
  TranslationEntry,
  TranslationsRequest,
} from './translations.ts';

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
