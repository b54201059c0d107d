import * as z from 'zod/mini';
import { decodeText, encodeBytes } from '../../service/encoded-text.ts';
import type { Item, Storage } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';

/** The schema of the fields that describe a payload of JSON: its encoding, and its lengths in bytes. */
export const JsonPayload = recordOf(() => ({
  encoding: z.enum(['identity', 'gzip']),
  /** The length after decoding. */
  length: z.int(),
  /** The length of the payload itself. */
  bytes: z.int(),
}));
type JsonPayload = z.infer<typeof JsonPayload>;

/** A payload with the fields that describe it. */
interface EncodedPayload {
  readonly payload: JsonPayload;
  readonly bytes: Uint8Array;
}

/** Encodes a value as a payload. */
export function encodeJson(value: unknown): Promise<EncodedPayload> {
  return encodePayload(Buffer.from(JSON.stringify(value)));
}

/** Encodes JSON, or lines of JSON, as a payload. @param plain the bytes in UTF-8 */
export async function encodePayload(plain: Buffer): Promise<EncodedPayload> {
  const { encoding, length, bytes } = await encodeBytes(plain);
  return { payload: { encoding, length, bytes: bytes.length }, bytes };
}

/** Reads the value of an item's payload, unchecked; `undefined` if the item has changed since it was read. */
export async function readJson(
  storage: Pick<Storage, 'readPayloadRange'>,
  item: Item,
  payload: JsonPayload,
): Promise<{ readonly value: unknown } | undefined> {
  const plain = await readPayload(storage, item, payload);
  return plain && { value: JSON.parse(Buffer.from(plain).toString()) };
}

/** Reads and decodes an item's payload; `undefined` if the item has changed since it was read. */
export async function readPayload(
  storage: Pick<Storage, 'readPayloadRange'>,
  item: Item,
  payload: JsonPayload,
): Promise<Uint8Array | undefined> {
  const bytes = await storage.readPayloadRange(item, { from: 0, to: payload.bytes });
  return bytes && decodePayload(payload, bytes);
}

/** Decodes the bytes of a payload. */
export function decodePayload({ encoding, length }: JsonPayload, bytes: Uint8Array): Uint8Array {
  return decodeText({ encoding, length, bytes });
}
