import { createHmac } from 'node:crypto';
import * as z from 'zod/mini';
import { languageByCode } from '../contract/languages.ts';
import { fieldsOf } from '../contract/pointer.ts';

/**
 * Digests of the project that a creation sends. They tell it from a project that somebody else gave the same custom id.
 * The salt is new for each creation: with a plain hash, anyone who reads the store could look up a short name in a table,
 * and could see which creations sent the same text. The digests are deleted when the operation ends.
 */
export const ContentDigests = z.strictObject({ salt: z.string(), digests: z.record(z.string(), z.string()) });
export type ContentDigests = z.infer<typeof ContentDigests>;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The compared fields, the cheapest first. Each gives the parts of its value, or `undefined` if the project does not show
 * it: then it does not count. Languages are compared by the field that the request used, since a service may number them
 * in its own way.
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
/** Fields that two projects hardly ever share: without one of them nothing shows whose project it is. */
const TELLING = ['name', 'contents'];

/** @param salt text that no other creation has */
export function digestsOf(project: Fields, salt: string): ContentDigests {
  const digests: Record<string, string> = {};
  for (const [field, partsOf] of Object.entries(COMPARED)) {
    const parts = partsOf(project);
    if (parts) digests[field] = digestOf(salt, field, parts);
  }
  return { salt, digests };
}

/** Whether a project of the service has the content that was sent, as far as the service shows it. */
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

/** Enough to tell projects apart, and less to store than all 43. */
const DIGEST_CHARACTERS = 22;
/** As much text as is made comparable at once: one by one, 30,000 short texts would take longer. */
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

/** Without what services change in a text: its Unicode form, white space, line ends, and characters that do not show. */
function comparable(text: string): string {
  return text.normalize('NFKC').replace(/[\s\p{Cc}\p{Cf}]+/gu, '');
}

/** Some services give an empty list for one that they leave out. No project was sent with one. */
function nonEmpty(list: unknown): readonly unknown[] | undefined {
  return Array.isArray(list) && list.length > 0 ? list : undefined;
}

function countIn(list: unknown): readonly string[] | undefined {
  const entries = nonEmpty(list);
  return entries && [`${entries.length}`];
}

/** One field of each entry of a list. */
function valuesOf(list: unknown, field: string): readonly unknown[] | undefined {
  return nonEmpty(list)?.map((entry) => fieldsOf(entry)?.[field]);
}

function textsIn(values: readonly unknown[] = [undefined]): readonly string[] | undefined {
  return values.every((value) => typeof value === 'string') ? values : undefined;
}

/** Codes in one spelling, in one order. */
function codesIn(values: readonly unknown[] | undefined): readonly string[] | undefined {
  return textsIn(values)
    ?.map((code) => languageByCode(code)?.langCode ?? code.toLowerCase())
    .sort();
}

function idsIn(values: readonly unknown[] = [undefined]): readonly string[] | undefined {
  const ids = values.map((value) => (typeof value === 'number' ? `${value}` : value));
  return textsIn(ids)?.toSorted();
}
