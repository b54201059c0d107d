import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { Key } from '../port.ts';
import type { Attributes, DynamoDb, TransactionPart } from './client.ts';
import { attributesOf, readAttributes } from './items.ts';
import type { Objects } from './objects.ts';

/** The largest payload that fits into an item of 400 KB, with its attribute names. */
export const MAX_INLINE_BYTES = 390_000;
/** The name of a payload that is stored in the table. */
export const INLINE = 'inline';

/**
 * The record of a payload, beside the item that it belongs to. It has the payload's bytes or the name of its object, the
 * hash of the bytes, and the version of the item.
 */
const StoredPayload = z.object({
  version: z.object({ N: z.string() }),
  sha256: z.object({ S: z.string() }),
  bytes: z.optional(z.object({ B: z.string() })),
  object: z.optional(z.object({ S: z.string() })),
});
type StoredPayload = z.infer<typeof StoredPayload>;

/**
 * The key of a payload's record. Each payload has its own partition, because a large one takes most of the bytes that a
 * partition can write in a second.
 */
export function payloadKey({ partition, sort }: Key): Key {
  return { partition: `payload/${partition}/${sort}`, sort };
}

/** Reads the record of a payload. @throws if the attributes have another shape */
export function storedPayload(stored: unknown): StoredPayload {
  return StoredPayload.parse(stored);
}

/** Makes the operation that writes the record of a payload: with its bytes, or with the name of its object. */
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

/** Makes the operation that deletes the record of a payload. */
export function deletePayload(table: string, key: Key): TransactionPart {
  return { Delete: { TableName: table, Key: attributesOf(payloadKey(key)) } };
}

/**
 * Reads the bytes of a payload; `undefined` if its object is gone.
 * @throws if their hash differs
 */
export async function bytesOf(
  { sha256, bytes, object }: StoredPayload,
  objects: Objects,
): Promise<Uint8Array | undefined> {
  const read = object ? await objects.get(object.S) : bytes && new Uint8Array(Buffer.from(bytes.B, 'base64'));
  if (read && hashOf(read) !== sha256.S) throw new RangeError('A payload has other bytes than it was put with');
  return read;
}

/** Finds the object of an item's payload; `undefined` if it has none. */
export async function storedObject(table: string, client: DynamoDb, key: Key): Promise<string | undefined> {
  const stored = await readAttributes(table, client, payloadKey(key));
  return stored && storedPayload(stored).object?.S;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
