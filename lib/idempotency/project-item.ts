import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { hasInexactNumbers, parseExact } from '../contract/exact-json.ts';
import { decodeText, encodeText } from '../service/encoded-text.ts';
import type { ServiceProject } from '../service/port.ts';
import type { Key } from '../storage/port.ts';

export const PROJECT_PREFIX = 'project/';

/** Everything of a company is in one partition. */
export function companyPartition(companyId: string): string {
  return `company/${companyId}`;
}

export function projectKey(companyId: string, id: number): Key {
  return { partition: companyPartition(companyId), sort: projectSort(id) };
}

/** Padded to the 16 digits of 2^53, so that the order of the texts is that of the numbers. */
export function projectSort(id: number): string {
  return PROJECT_PREFIX + String(id).padStart(16, '0');
}

/** By its hash: a custom id of 255 characters may be longer than a key, and a key outlives content in logs of a store. */
export function customIdKey(companyId: string, customId: string): Key {
  return { partition: companyPartition(companyId), sort: `custom-id/${hashOf(customId)}` };
}

/** A text as part of a key. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

const Head = z.looseObject({ id: z.int(), customId: z.optional(z.string()) });

/**
 * The fields of an item that hold a project without its segments. Lists read these items, and a store charges for each
 * byte: a larger head is compressed, which makes it 5 to 15 times smaller.
 */
export const HEAD_FIELDS = {
  head: z.optional(Head),
  /** The JSON of a larger head, or of one with numbers that `JSON.parse` changes: its bytes in base64, and its length before encoding. */
  packedHead: z.optional(
    z.strictObject({ encoding: z.enum(['gzip', 'identity']), base64: z.string(), length: z.int() }),
  ),
};

export type HeadFields = z.infer<z.ZodMiniObject<typeof HEAD_FIELDS>>;

/** A longer compressed head stays out of the item, because an item is small on every store. */
const MAX_PACKED_LENGTH = 65_536;

/** The fields of a head that another service may leave out. */
const ALWAYS_LISTED = [
  'creationDateUtc',
  'domain',
  'name',
  'startDateUtc',
  'endDateUtc',
  'sourceLanguageId',
  'targetLanguages',
];

/** A project as lists show it: without its segments, and with null for what the service leaves out. */
export function headOf({ segments: _, ...head }: ServiceProject): ServiceProject {
  const absent = ALWAYS_LISTED.filter((name) => !Object.hasOwn(head, name));
  return { ...head, ...Object.fromEntries(absent.map((name) => [name, null])) };
}

/** The fields that hold the head of a project; none if it is too large for an item. */
export async function packHead(project: ServiceProject): Promise<HeadFields> {
  const head = headOf(project);
  const { encoding, bytes, length } = await encodeText(JSON.stringify(head));
  // The store reads items with `JSON.parse`, which would change such numbers unless they are packed.
  if (encoding === 'identity' && !hasInexactNumbers(head)) return { head };
  const base64 = Buffer.from(bytes).toString('base64');
  return base64.length <= MAX_PACKED_LENGTH ? { packedHead: { encoding, base64, length } } : {};
}

/** The head of a project; `undefined` if its item could not hold it. */
export function unpackHead({ head, packedHead }: HeadFields): ServiceProject | undefined {
  if (!packedHead) return head;
  const { encoding, base64, length } = packedHead;
  const json = decodeText({ encoding, bytes: Buffer.from(base64, 'base64'), length });
  return Head.parse(parseExact(Buffer.from(json).toString()));
}
