import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import type { Key } from '../port.ts';
import type { Attributes, DynamoDb, TransactionPart } from './client.ts';
import { attributesOf } from './item.ts';
import { readAttributes } from './items.ts';
import type { Objects } from './objects.ts';

/** What fits into an item of 400 KB with its names. */
export const MOST_INLINE_BYTES = 390_000;
/** The name of a payload that is in the table. */
export const INLINE = 'inline';

/**
 * A payload has an item of its own beside the one it belongs to: with the bytes, or with the name of the object that has them. It
 * says to which version of its item it belongs, and their hash.
 */
const StoredPayload = z.object({
  version: z.object({ N: z.string() }),
  sha256: z.object({ S: z.string() }),
  bytes: z.optional(z.object({ B: z.string() })),
  object: z.optional(z.object({ S: z.string() })),
});
export type StoredPayload = z.infer<typeof StoredPayload>;

/**
 * Where the payload of an item is: in a partition of its own, as one of the largest takes most of what a partition can
 * write in a second.
 */
export function payloadKey({ partition, sort }: Key): Key {
  return { partition: `payload/${partition}/${sort}`, sort };
}

/** @throws where the table holds something else */
export function storedPayload(stored: unknown): StoredPayload {
  return StoredPayload.parse(stored);
}

/** The operation that puts a payload into the table, or the name of the object that has it. */
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

export function deletePayload(table: string, key: Key): TransactionPart {
  return { Delete: { TableName: table, Key: attributesOf(payloadKey(key)) } };
}

/**
 * The bytes of a payload, `undefined` where its object is gone.
 * @throws where they are not those that were put
 */
export async function bytesOf(
  { sha256, bytes, object }: StoredPayload,
  objects: Objects,
): Promise<Uint8Array | undefined> {
  const read = object ? await objects.get(object.S) : bytes && new Uint8Array(Buffer.from(bytes.B, 'base64'));
  if (read && hashOf(read) !== sha256.S) throw new RangeError('A payload has other bytes than it was put with');
  return read;
}

/** The object that has an item's payload now; `undefined` where none has. */
export async function storedObject(table: string, client: DynamoDb, key: Key): Promise<string | undefined> {
  const stored = await readAttributes(table, client, payloadKey(key));
  return stored && storedPayload(stored).object?.S;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
