import { describe, expect, it } from 'vitest';
import { createApiKey, hashApiKey, keyIdOf, matchesHash } from '../../../lib/credentials/api-key.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHARACTERS = [...ALPHABET, '_', '-', ' ', 'ä', '\n', ''];
const { keyId, apiKey } = createApiKey();

describe('createApiKey', () => {
  it('creates a prefix, an id, a secret of 166 bits and a checksum, different each time', () => {
    expect(apiKey).toMatch(/^seg_[0-9A-Za-z]{12}_[0-9A-Za-z]{34}$/);
    expect(apiKey.slice(4, 16)).toBe(keyId);
    const keys = Array.from({ length: 100 }, () => createApiKey().apiKey.slice(17, -6));
    expect(new Set(keys).size).toBe(100);
  });
});

describe('keyIdOf', () => {
  it('returns the id of a key', () => {
    expect(keyIdOf(apiKey)).toBe(keyId);
  });

  it('returns undefined if any one character is changed or missing', () => {
    for (const [at, right] of [...apiKey].entries()) {
      for (const character of CHARACTERS) {
        if (character !== right)
          expect(keyIdOf(apiKey.slice(0, at) + character + apiKey.slice(at + 1))).toBeUndefined();
      }
    }
  });

  it('returns undefined if two neighbours are swapped, or anything is added', () => {
    for (let at = 1; at < apiKey.length; at++) {
      const swapped = apiKey.slice(0, at - 1) + apiKey.charAt(at) + apiKey.charAt(at - 1) + apiKey.slice(at + 1);
      if (swapped !== apiKey) expect(keyIdOf(swapped)).toBeUndefined();
    }
    for (const text of [` ${apiKey}`, `${apiKey}\n`, `${apiKey}0`, apiKey.toUpperCase(), apiKey.repeat(2), '']) {
      expect(keyIdOf(text)).toBeUndefined();
    }
  });
});

describe('matchesHash', () => {
  it('accepts the hash of the key only', () => {
    const hash = hashApiKey(apiKey);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(matchesHash(apiKey, hash)).toBe(true);
    for (const other of ['', hash.toUpperCase(), hash.slice(1), hashApiKey(createApiKey().apiKey)]) {
      expect(matchesHash(apiKey, other)).toBe(false);
    }
  });
});
