import { describe, expect, it } from 'vitest';
import { createApiKey, hashApiKey, keyIdOf, matchesHash } from '../../../lib/credentials/api-key.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Letters a key may have, and some that it may not. */
const LETTERS = [...ALPHABET, '_', '-', ' ', 'ä', '\n', ''];

describe('an API key', () => {
  it('has its form: prefix, key id, a secret of at least 160 bits, checksum', () => {
    const { keyId, apiKey } = createApiKey();
    expect(apiKey).toMatch(/^seg_[0-9A-Za-z]{12}_[0-9A-Za-z]{34}$/);
    expect(apiKey.slice(4, 16)).toBe(keyId);
    expect(28 * Math.log2(ALPHABET.length)).toBeGreaterThan(160);
    expect(keyIdOf(apiKey)).toBe(keyId);
  });

  it('is another each time', () => {
    const keys = Array.from({ length: 100 }, () => createApiKey());
    expect(new Set(keys.map(({ apiKey }) => apiKey)).size).toBe(100);
    expect(new Set(keys.map(({ keyId }) => keyId)).size).toBe(100);
  });

  it('is none with any one letter changed or left out', () => {
    const { apiKey } = createApiKey();
    for (const [at, right] of [...apiKey].entries()) {
      for (const letter of LETTERS) {
        if (letter === right) continue;
        const changed = apiKey.slice(0, at) + letter + apiKey.slice(at + 1);
        expect(keyIdOf(changed)).toBeUndefined();
      }
    }
  });

  it('is none with two neighbours swapped, or with something around it', () => {
    const { apiKey } = createApiKey();
    for (let at = 1; at < apiKey.length; at++) {
      const swapped = apiKey.slice(0, at - 1) + apiKey.charAt(at) + apiKey.charAt(at - 1) + apiKey.slice(at + 1);
      if (swapped !== apiKey) expect(keyIdOf(swapped)).toBeUndefined();
    }
    for (const text of [` ${apiKey}`, `${apiKey}\n`, `${apiKey}0`, apiKey.toUpperCase(), apiKey.repeat(2), '']) {
      expect(keyIdOf(text)).toBeUndefined();
    }
  });

  it('is kept as a hash, and matches no other', () => {
    const { apiKey } = createApiKey();
    const hash = hashApiKey(apiKey);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(matchesHash(apiKey, hash)).toBe(true);
    for (const other of ['', hash.toUpperCase(), hash.slice(1), hashApiKey(createApiKey().apiKey)]) {
      expect(matchesHash(apiKey, other)).toBe(false);
    }
  });
});
