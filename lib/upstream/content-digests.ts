import { createHmac } from 'node:crypto';
import * as z from 'zod/mini';
import { languageByCode } from '../contract/languages.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { recordOf } from '../storage/record.ts';

/**
 * The digests of the fields of the project that a creation sends. They show whether a project with the same custom id
 * is the sent project, or comes from another client of the service. The salt is new for each creation. Without it, a
 * reader of the store could look up short names in a table of hashes. The reader could also see which creations sent
 * the same text. The digests are deleted when the operation ends.
 */
export const ContentDigests = recordOf(() => ({ salt: z.string(), digests: z.record(z.string(), z.string()) }));
export type ContentDigests = z.infer<typeof ContentDigests>;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The compared fields, the cheapest first. Each function returns the parts of the field's value. It returns `undefined`
 * if the project does not show the field, which is then not compared. Languages are compared by code or by id, as the
 * request names them. A service may use its own ids.
 */
const COMPARED: Readonly<Record<string, (project: Fields) => readonly string[] | undefined>> = {
  name: ({ name }) => (typeof name === 'string' && comparable(name) !== '' ? [name] : undefined),
  sourceLanguageCode: ({ sourceLanguageCode }) => codesIn([sourceLanguageCode]),
  sourceLanguageId: ({ sourceLanguageId }) => idsIn([sourceLanguageId]),
  targetLanguageCodes: ({ targetLanguages }) => codesIn(valuesOf(targetLanguages, 'targetLanguageCode')),
  targetLanguageIds: ({ targetLanguages }) => idsIn(valuesOf(targetLanguages, 'targetLanguageId')),
  segmentCount: ({ segments }) => countIn(segments),
  contents: ({ segments }) => textsIn(valuesOf(segments, 'content')),
};
/** The fields that two projects hardly ever share. At least one of them must be equal to identify a project. */
const TELLING = ['name', 'contents'];

/** Returns the digests of a project. @param salt a text that no other creation uses */
export function digestsOf(project: Fields, salt: string): ContentDigests {
  const digests: Record<string, string> = {};
  for (const [field, partsOf] of Object.entries(COMPARED)) {
    const parts = partsOf(project);
    if (parts) digests[field] = digestOf(salt, field, parts);
  }
  return { salt, digests };
}

/**
 * Checks whether a project at the upstream service has the sent content. It compares the fields that the service shows.
 * Returns `false` if the service shows neither the name nor the contents.
 */
export function hasContentOf({ salt, digests }: ContentDigests, project: Fields): boolean {
  let isTold = false;
  for (const [field, partsOf] of Object.entries(COMPARED)) {
    const sent = digests[field];
    const parts = sent === undefined ? undefined : partsOf(project);
    if (!parts) continue;
    if (digestOf(salt, field, parts) !== sent) return false;
    isTold ||= TELLING.includes(field);
  }
  return isTold;
}

/** The length of a stored digest. 22 of 43 characters are enough to distinguish projects. */
const DIGEST_CHARACTERS = 22;
/**
 * After how many characters a piece of text is normalised and hashed. Normalising 30,000 short texts one by one would
 * take longer.
 */
const PIECE_CHARACTERS = 65_536;

function digestOf(salt: string, field: string, parts: readonly string[]): string {
  const hash = createHmac('sha256', salt).update(`${field}\n`);
  let piece = '';
  for (const part of parts) {
    piece += `${part}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    hash.update(comparable(piece));
    piece = '';
  }
  return hash.update(comparable(piece)).digest('base64url').slice(0, DIGEST_CHARACTERS);
}

/** Removes what services change in a text: its Unicode form, white space, line ends and invisible characters. */
function comparable(text: string): string {
  return text.normalize('NFKC').replace(/[\s\p{Cc}\p{Cf}]+/gu, '');
}

/**
 * Returns a list that is not empty. Some services return an empty list in place of a list that they leave out; Segue
 * never sends an empty one.
 */
function nonEmpty(list: unknown): readonly unknown[] | undefined {
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}

function countIn(list: unknown): readonly string[] | undefined {
  const entries = nonEmpty(list);
  return entries && [`${entries.length}`];
}

/** Returns the value of one field in each entry of a list. */
function valuesOf(list: unknown, field: string): readonly unknown[] | undefined {
  return nonEmpty(list)?.map((entry) => fieldsOf(entry)?.[field]);
}

function textsIn(values: readonly unknown[] = [undefined]): readonly string[] | undefined {
  return values.every((value) => typeof value === 'string') ? values : undefined;
}

/** Returns language codes in a uniform spelling, sorted. */
function codesIn(values: readonly unknown[] | undefined): readonly string[] | undefined {
  return textsIn(values)
    ?.map((code) => languageByCode(code)?.langCode ?? code.toLowerCase())
    .sort();
}

function idsIn(values: readonly unknown[] = [undefined]): readonly string[] | undefined {
  const ids = values.map((value) => (typeof value === 'number' ? `${value}` : value));
  return textsIn(ids)?.toSorted();
}
