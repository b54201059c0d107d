import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_ID_LENGTH = 12;
/** 28 letters of 62 are 166 bits. */
const SECRET_LENGTH = 28;
const CHECKSUM_LENGTH = 6;

const API_KEY = new RegExp(`^(seg_([0-9A-Za-z]{${KEY_ID_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH},64})([0-9A-Za-z]{6})$`);

/** Makes a new API key: `seg_<key id>_<secret><checksum>`. It is shown once; only its hash is kept. */
export function createApiKey(): { keyId: string; apiKey: string } {
  const keyId = letters(KEY_ID_LENGTH);
  const body = `seg_${keyId}_${letters(SECRET_LENGTH)}`;
  return { keyId, apiKey: body + checksum(body) };
}

/** The id of an API key, `undefined` for anything else: a mistyped key needs no look-up. */
export function keyIdOf(apiKey: string): string | undefined {
  const [, body = '', keyId, sum] = API_KEY.exec(apiKey) ?? [];
  return sum === checksum(body) ? keyId : undefined;
}

/** What is kept of an API key: its SHA-256 in hex. */
export function hashApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

/** Compares an API key with a kept hash, in a time that tells nothing about it. */
export function matchesHash(apiKey: string, hash: string): boolean {
  const presented = Buffer.from(hashApiKey(apiKey));
  const kept = Buffer.from(hash);
  return presented.length === kept.length && timingSafeEqual(presented, kept);
}

function letters(count: number): string {
  return Array.from({ length: count }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** CRC-32 in base 62, so that a scanner of leaked secrets can tell a key from noise. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
