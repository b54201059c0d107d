import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from '../contract/crc32.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_ID_LENGTH = 12;
/** The length of a secret in characters. 28 characters of an alphabet of 62 have 166 bits of entropy. */
const SECRET_LENGTH = 28;
const CHECKSUM_LENGTH = 6;

const API_KEY = new RegExp(`^(seg_([0-9A-Za-z]{${KEY_ID_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH},64})([0-9A-Za-z]{6})$`);

/** Creates an API key: `seg_<key id>_<secret><checksum>`. Show it once, and store only its hash. */
export function createApiKey(): { keyId: string; apiKey: string } {
  const keyId = randomText(KEY_ID_LENGTH);
  const body = `seg_${keyId}_${randomText(SECRET_LENGTH)}`;
  return { keyId, apiKey: body + checksum(body) };
}

/**
 * Returns the key id in an API key, or `undefined` if the text is not an API key. The checksum detects typing errors
 * without a look-up.
 */
export function keyIdOf(apiKey: string): string | undefined {
  const [, body = '', keyId, sum] = API_KEY.exec(apiKey) ?? [];
  return sum === checksum(body) ? keyId : undefined;
}

/** Returns the SHA-256 hash of an API key, in hex. The store contains only this hash, not the key. */
export function hashApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** Checks whether the hash of an API key equals a stored hash. The comparison takes constant time. */
export function matchesHash(apiKey: string, hash: string): boolean {
  const sent = Buffer.from(hashApiKey(apiKey));
  const stored = Buffer.from(hash);
  return sent.length === stored.length && timingSafeEqual(sent, stored);
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** Returns the checksum of a key: its CRC-32 in base 62. Scanners for leaked secrets recognise API keys by it. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
