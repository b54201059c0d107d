import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { crc32 } from '../../../lib/contract/crc32.ts';

it('is the CRC-32 of any text', () => {
  expect(crc32('')).toBe(0);
  expect(crc32('123456789')).toBe(0xcbf43926);
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => crc32(text) === zlib.crc32(text)));
});
