import * as z from 'zod/mini';
import { decodeText, type EncodedText } from '../service/encoded-text.ts';
import { recordOf } from '../storage/record.ts';

/** The schema of a text in an item. `base64` is the encoded text, and `length` its number of bytes before encoding. */
export const PackedText = recordOf(() => ({
  encoding: z.enum(['gzip', 'identity']),
  base64: z.string(),
  length: z.int(),
}));
export type PackedText = z.infer<typeof PackedText>;

/**
 * The maximum length of a packed text in base64. An item must be small in every store, so a longer text is not stored in
 * it.
 */
export const MAX_PACKED_LENGTH = 65_536;

/** Packs an encoded text into an item; `undefined` if it is longer than `maxLength` in base64. */
export function packText(
  { encoding, bytes, length }: EncodedText,
  maxLength = MAX_PACKED_LENGTH,
): PackedText | undefined {
  const base64 = Buffer.from(bytes).toString('base64');
  return base64.length <= maxLength ? { encoding, base64, length } : undefined;
}

/** Unpacks a text from an item. */
export function unpackText(packed: PackedText): string {
  return Buffer.from(unpackBytes(packed)).toString();
}

/** Unpacks the bytes of a text from an item. */
export function unpackBytes({ encoding, base64, length }: PackedText): Uint8Array {
  return decodeText({ encoding, bytes: Buffer.from(base64, 'base64'), length });
}
