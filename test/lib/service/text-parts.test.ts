import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePart, encodeParts, withFirstPart } from '../../../lib/service/text-parts.ts';

/** Parts that are too short to be compressed, and long ones. */
const part = fc.oneof(
  fc.uint8Array({ maxLength: 50 }),
  fc.tuple(fc.uint8Array({ maxLength: 3_000 }), fc.nat(40)).map(([bytes, n]) => Buffer.concat(Array(n).fill(bytes))),
);

describe('a text in parts', () => {
  it('is one text, also after its first part was replaced; and each part can be decoded alone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), part, async (parts, first) => {
        const text = await encodeParts(parts.map((each) => [each.subarray(0, 3), each.subarray(3)]));
        expect(plainOf(text)).toEqual(Buffer.concat(parts));
        for (const [index, each] of parts.entries()) {
          const bytes = text.bytes.subarray(text.offsets[index], text.offsets[index + 1]);
          expect(Buffer.from(decodePart(text.encoding, bytes)).equals(each)).toBe(true);
        }
        const replaced = withFirstPart(text, parts[0] ?? first, first, text.offsets[1] ?? 0);
        const whole = Buffer.concat([first, ...parts.slice(1)]);
        expect(plainOf(replaced)).toEqual(whole);
        expect(replaced.length).toBe(whole.length);
      }),
      { numRuns: 50 },
    );
  });
});

/** Decodes a whole text. A gzip file with a wrong checksum throws. */
function plainOf({ encoding, bytes }: { encoding: string; bytes: Uint8Array }): Buffer {
  return encoding === 'gzip' ? gunzipSync(bytes) : Buffer.from(bytes);
}
