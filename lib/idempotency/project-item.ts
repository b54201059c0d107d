import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { hasInexactNumbers, parseExact } from '../contract/exact-json.ts';
import { LIMITS } from '../contract/limits.ts';
import { decodeText, encodeText } from '../service/encoded-text.ts';
import type { ProjectPage } from '../service/port.ts';
import type { ServiceProject } from '../service/project-document.ts';
import type { Item, Key, ListedStore } from '../storage/port.ts';

export const PROJECT_PREFIX = 'project/';

/** The partition of a company, which holds all its items. */
export function companyPartition(companyId: string): string {
  return `company/${companyId}`;
}

export function projectKey(companyId: string, id: number): Key {
  return { partition: companyPartition(companyId), sort: projectSort(id) };
}

/** Pads the id to the 16 digits of 2^53, so that the sort keys are in the order of the ids. */
export function projectSort(id: number): string {
  return PROJECT_PREFIX + String(id).padStart(16, '0');
}

/**
 * The key of a custom id. It holds a hash, because 255 characters may be too long for a key, and because keys stay in the
 * logs of a store after the content is gone.
 */
export function customIdKey(companyId: string, customId: string): Key {
  return { partition: companyPartition(companyId), sort: `custom-id/${hashOf(customId)}` };
}

/** Hashes a text for use in a key. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

const Head = z.looseObject({ id: z.int(), customId: z.optional(z.string()) });

/**
 * The fields of an item that hold the head of a project: the project without its segments. Lists read these items, and
 * DynamoDB charges for each byte, so a larger head is compressed. That makes it 5 to 15 times smaller.
 */
export const HEAD_FIELDS = {
  head: z.optional(Head),
  /** A larger head, or one with numbers that `JSON.parse` changes: its JSON in base64, and its length before encoding. */
  packedHead: z.optional(
    z.strictObject({ encoding: z.enum(['gzip', 'identity']), base64: z.string(), length: z.int() }),
  ),
};

export type HeadFields = z.infer<z.ZodMiniObject<typeof HEAD_FIELDS>>;

/** A head that is longer when compressed stays out of the item, which must be small in every store. */
const MAX_PACKED_LENGTH = 65_536;

/** Fields that lists always show, though another service may leave them out. */
const ALWAYS_LISTED = [
  'creationDateUtc',
  'domain',
  'name',
  'startDateUtc',
  'endDateUtc',
  'sourceLanguageId',
  'targetLanguages',
];

/** Makes the head of a project as lists show it. Fields that the service leaves out are null. */
export function headOf({ segments: _, ...head }: ServiceProject): ServiceProject {
  const absent = ALWAYS_LISTED.filter((name) => !Object.hasOwn(head, name));
  return { ...head, ...Object.fromEntries(absent.map((name) => [name, null])) };
}

/** Makes the fields that hold the head of a project; none if it is too large for an item. */
export async function packHead(project: ServiceProject): Promise<HeadFields> {
  const head = headOf(project);
  const { encoding, bytes, length } = await encodeText(JSON.stringify(head));
  // The store reads items with `JSON.parse`, which would change such numbers unless they are packed.
  if (encoding === 'identity' && !hasInexactNumbers(head)) return { head };
  const base64 = Buffer.from(bytes).toString('base64');
  return base64.length <= MAX_PACKED_LENGTH ? { packedHead: { encoding, base64, length } } : {};
}

/** Reads the head of a project; `undefined` if it was too large for the item. */
export function unpackHead({ head, packedHead }: HeadFields): ServiceProject | undefined {
  if (!packedHead) return head;
  const { encoding, base64, length } = packedHead;
  const json = decodeText({ encoding, bytes: Buffer.from(base64, 'base64'), length });
  return Head.parse(parseExact(Buffer.from(json).toString()));
}

/** Which page of the projects to list: at most `limit` projects with ids below `after`. */
export interface PageRequest {
  readonly limit: number;
  readonly after?: number | undefined;
}

/** A page has no more bytes than a project may have, because heads with large teams are megabytes each. */
const PAGE_BYTES = LIMITS.bodyBytes;

/**
 * Lists the heads of a company's projects, newest first. A page may end before its limit if the heads are large.
 * @param readHead reads the head of a project's item; `undefined` if the project was deleted meanwhile
 */
export async function listHeads(
  storage: ListedStore,
  companyId: string,
  { limit, after }: PageRequest,
  readHead: (item: Item) => Promise<ServiceProject | undefined>,
): Promise<ProjectPage> {
  const before = after === undefined ? undefined : projectSort(after);
  const range = { prefix: PROJECT_PREFIX, before, limit, maxBytes: PAGE_BYTES };
  const { items, more } = await storage.list(companyPartition(companyId), range);
  const projects: ServiceProject[] = [];
  let bytes = 0;
  for (const item of items) {
    const head = await readHead(item);
    if (head) {
      bytes += Buffer.byteLength(JSON.stringify(head));
      projects.push(head);
    }
    const hasNext = more || item !== items.at(-1);
    if (bytes >= PAGE_BYTES && hasNext) return { projects, next: idIn(item) };
  }
  const last = items.at(-1);
  return { projects, ...(more && last && { next: idIn(last) }) };
}

function idIn({ sort }: Item): number {
  return Number(sort.slice(PROJECT_PREFIX.length));
}
