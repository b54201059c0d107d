import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, makePrivateFile, replacePrivateFile } from './private-file.ts';
import type { SecretReader } from './secrets.ts';
import { readSigningKeys, rotateSigningKeys } from './signing-keys.ts';

/** Why there are no signing keys, in words for the person who starts Segue. What the file holds is not among them. */
export class SigningKeysUnusable extends Error {
  override readonly name = 'SigningKeysUnusable';
}

/**
 * The signing keys of one machine: a file in the data folder that only its owner may read, made where it is missing.
 * @throws {SigningKeysUnusable} where the file cannot be made or read, or holds something else
 */
export function signingKeysInFolder(folder: string): SecretReader {
  const path = pathIn(folder);
  readKeys(path, readSigningKeys);
  return { read: () => readFile(path, 'utf8') };
}

/**
 * Adds a key to the file. A gateway that runs reads it before it is used.
 * @returns from when on it signs
 * @throws {SigningKeysUnusable}
 */
export function rotateSigningKeysInFolder(folder: string, nowMs: number): string | undefined {
  const path = pathIn(folder);
  const rotated = readKeys(path, (value) => rotateSigningKeys(value, newKey(), nowMs));
  attempt(path, () => replacePrivateFile(path, JSON.stringify(rotated)));
  return rotated.keys[0]?.signsFromUtc;
}

function pathIn(folder: string): string {
  return join(folder, 'signing-keys.json');
}

function newKey() {
  return { id: randomBytes(6).toString('hex'), secret: randomBytes(32).toString('base64url') };
}

function readKeys<T>(path: string, read: (value: unknown) => T): T {
  const text = attempt(path, () => {
    makePrivateFile(path, JSON.stringify({ keys: [newKey()] }));
    return readFileSync(path, 'utf8');
  });
  try {
    return read(JSON.parse(text));
  } catch {
    // The messages of JSON.parse and of schemas quote what they read, so nothing of them goes on.
    throw new SigningKeysUnusable(
      `the file ${path} does not hold signing keys: move it away, and a new one is made; tokens already issued stop working`,
    );
  }
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new SigningKeysUnusable(`the file ${path} of the signing keys cannot be used: ${codeOf(error)}`);
  }
}
