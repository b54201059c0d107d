import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_ID_LENGTH = 12;
/** 28 characters of 62 are 166 bits. */
const SECRET_LENGTH = 28;
const CHECKSUM_LENGTH = 6;

const API_KEY = new RegExp(`^(seg_([0-9A-Za-z]{${KEY_ID_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH},64})([0-9A-Za-z]{6})$`);

/** Creates an API key: `seg_<key id>_<secret><checksum>`. Show it once, and store only its hash. */
export function createApiKey(): { keyId: string; apiKey: string } {
  const keyId = randomText(KEY_ID_LENGTH);
  const body = `seg_${keyId}_${randomText(SECRET_LENGTH)}`;
  return { keyId, apiKey: body + checksum(body) };
}

/** Returns the id of an API key, or `undefined` for any other text: the checksum finds typing errors without a look-up. */
export function keyIdOf(apiKey: string): string | undefined {
  const [, body = '', keyId, sum] = API_KEY.exec(apiKey) ?? [];
  return sum === checksum(body) ? keyId : undefined;
}

/** Returns the hash of an API key that is stored: its SHA-256 in hex. */
export function hashApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** Compares an API key with a stored hash, in constant time. */
export function matchesHash(apiKey: string, hash: string): boolean {
  const sent = Buffer.from(hashApiKey(apiKey));
  const stored = Buffer.from(hash);
  return sent.length === stored.length && timingSafeEqual(sent, stored);
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** CRC-32 in base 62, by which a scanner for leaked secrets recognises a key. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
