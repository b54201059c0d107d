import * as z from 'zod/mini';
import { decodeText, encodeText } from '../../service/encoded-text.ts';
import type { Item, Storage } from '../../storage/port.ts';

/** The schema of the fields that describe a payload of JSON: its encoding, and its lengths in bytes. */
export const JsonPayload = z.strictObject({
  encoding: z.enum(['identity', 'gzip']),
  /** The length after decoding. */
  length: z.int(),
  /** The length of the payload itself. */
  bytes: z.int(),
});
type JsonPayload = z.infer<typeof JsonPayload>;

/** Encodes a value as a payload, and makes the fields that describe it. */
export async function encodeJson(
  value: unknown,
): Promise<{ readonly payload: JsonPayload; readonly bytes: Uint8Array }> {
  const { encoding, length, bytes } = await encodeText(JSON.stringify(value));
  return { payload: { encoding, length, bytes: bytes.length }, bytes };
}

/** Reads the value of an item's payload, unchecked; `undefined` if the item has changed since it was read. */
export async function readJson(
  storage: Pick<Storage, 'readPayloadRange'>,
  item: Item,
  { encoding, length, bytes: to }: JsonPayload,
): Promise<{ readonly value: unknown } | undefined> {
  const bytes = await storage.readPayloadRange(item, { from: 0, to });
  return bytes && { value: JSON.parse(Buffer.from(decodeText({ encoding, length, bytes })).toString()) };
}
