import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadSecret } from './cached-secret.ts';
import { openSecretFile, replaceSecretFile } from './secret-files.ts';
import { addSigningKey } from './signing-key-rotation.ts';
import { parseSigningKeys } from './signing-keys.ts';

/**
 * Opens the signing keys of one machine: a file in the data folder, created if it is missing.
 * @returns what reads the file
 * @throws {SecretFileError} if the file cannot be created or read, or contains something else
 */
export function openSigningKeysFile(dataFolder: string): ReadSecret {
  const file = signingKeysFile(dataFolder);
  openSecretFile({ ...file, parse: (text) => parseSigningKeys(JSON.parse(text)) });
  return () => readFile(file.path, 'utf8');
}

/**
 * Adds a key to the file. A running gateway reads the file again before the key signs.
 * @returns when the key starts to sign, as UTC text
 * @throws {SecretFileError}
 */
export function rotateSigningKeysFile(dataFolder: string, nowMs: number): string | undefined {
  const file = signingKeysFile(dataFolder);
  const rotated = openSecretFile({ ...file, parse: (text) => addSigningKey(JSON.parse(text), newKey(), nowMs) });
  replaceSecretFile(file, JSON.stringify(rotated));
  return rotated.keys[0]?.signsFromUtc;
}

function signingKeysFile(dataFolder: string) {
  return {
    path: join(dataFolder, 'signing-keys.json'),
    secret: 'the signing keys',
    format: 'signing keys: move it away, and a new one is made; tokens already issued stop working',
    create: () => JSON.stringify({ keys: [newKey()] }),
  };
}

function newKey() {
  return { id: randomBytes(6).toString('hex'), secret: randomBytes(32).toString('base64url') };
}
