import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { object } from '../../contract/lazy-object.ts';
import type { Key } from '../port.ts';
import type { Attributes, DynamoDb, TransactionPart } from './client.ts';
import { attributesOf, readAttributes } from './items.ts';
import type { Objects } from './objects.ts';

/**
 * The maximum size of a payload in the table, in bytes. DynamoDB reads and charges the whole payload for each range of
 * it, and S3 only the range.
 */
export const MAX_IN_TABLE_BYTES = 32_768;
/** The payload name in an item if the payload is a record of the table. If it is in the bucket, the name is the object's. */
export const IN_TABLE = 'table';

/**
 * The schema of the record of a payload, which is separate from its item. The record has the version of the item and
 * the hash of the bytes. It also has the bytes, or the name of the object in the bucket that contains them.
 */
const StoredPayload = object(() => ({
  version: z.object({ N: z.string() }),
  sha256: z.object({ S: z.string() }),
  bytes: z.optional(z.object({ B: z.string() })),
  object: z.optional(z.object({ S: z.string() })),
}));
type StoredPayload = z.infer<typeof StoredPayload>;

/**
 * Returns the key of a payload's record. Each payload has its own partition: DynamoDB limits how much a partition can
 * write in a second, and one large payload takes most of it.
 * @param key the key of the item that has the payload
 */
export function payloadKey({ partition, sort }: Key): Key {
  return { partition: `payload/${partition}/${sort}`, sort };
}

/**
 * Parses the record of a payload.
 * @throws if the attributes have another shape
 */
export function storedPayload(stored: unknown): StoredPayload {
  return StoredPayload.parse(stored);
}

/**
 * Makes the part of a transaction that writes the record of a payload.
 * @param object the name of the object that contains the payload; if it is absent, the record contains the bytes
 */
export function putPayload(
  table: string,
  key: Key,
  { version, bytes, object }: { readonly version: number; readonly bytes: Uint8Array; readonly object?: string },
): TransactionPart {
  const content: Attributes =
    object === undefined ? { bytes: { B: Buffer.from(bytes).toString('base64') } } : { object: { S: object } };
  return {
    Put: {
      TableName: table,
      Item: {
        ...attributesOf(payloadKey(key)),
        version: { N: String(version) },
        sha256: { S: hashOf(bytes) },
        ...content,
      },
    },
  };
}

/** Makes the part of a transaction that deletes the record of a payload. */
export function deletePayload(table: string, key: Key): TransactionPart {
  return { Delete: { TableName: table, Key: attributesOf(payloadKey(key)) } };
}

/**
 * Reads the bytes of a payload; `undefined` if its object no longer exists.
 * @throws if the bytes do not match the stored hash
 */
export async function bytesOf(
  { sha256, bytes, object }: StoredPayload,
  objects: Objects,
): Promise<Uint8Array | undefined> {
  const read = object ? await objects.get(object.S) : bytes && new Uint8Array(Buffer.from(bytes.B, 'base64'));
  if (read && hashOf(read) !== sha256.S) throw new RangeError('The bytes of a payload do not match its stored hash');
  return read;
}

/** Reads the name of the object that contains an item's payload; `undefined` if no object contains it. */
export async function storedObject(table: string, client: DynamoDb, key: Key): Promise<string | undefined> {
  const stored = await readAttributes(table, client, payloadKey(key));
  return stored && storedPayload(stored).object?.S;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
