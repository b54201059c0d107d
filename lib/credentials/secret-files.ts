import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ReadSecret } from './cached-secret.ts';
import type { SecretStore } from './secret-store.ts';
import { addSigningKey } from './signing-key-rotation.ts';
import { parseSigningKeys } from './signing-keys.ts';

/** Keeps each secret in a file of its own, in a folder of the data folder. Only the owner can read the files. */
export function secretFiles(dataFolder: string, folder: string): SecretStore {
  const pathOf = (name: string) => join(dataFolder, folder, name);
  return {
    read: (name) => readFile(pathOf(name), 'utf8'),
    create: async (name, text) => createSecretFile(pathOf(name), text),
    delete: (name) => rm(pathOf(name), { force: true }),
  };
}

/** A secret file cannot be used. The message is for the person who runs Segue, and contains nothing of the file. */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError';
}

/** A file that holds one secret. */
interface SecretFile<T> {
  readonly path: string;
  /** What the secret is, such as `the signing keys`. */
  readonly secret: string;
  /** What the file should contain, and what to do if it does not. */
  readonly format: string;
  /** Makes the text of a new file. */
  readonly create: () => string;
  /** Checks the text of the file. Its errors may quote the text, so they are dropped. */
  readonly parse: (text: string) => T;
}

/**
 * Reads a secret file. Creates it first if it is missing.
 * @throws {SecretFileError} if the file cannot be created or read, or contains something else
 */
export function openSecretFile<T>({ path, secret, format, create, parse }: SecretFile<T>): T {
  const text = withFile({ path, secret }, () => {
    createSecretFile(path, create());
    return readFileSync(path, 'utf8');
  });
  try {
    return parse(text);
  } catch {
    throw new SecretFileError(`the file ${path} does not hold ${format}`);
  }
}

/** @throws {SecretFileError} if the file cannot be read or written */
function withFile<T>({ path, secret }: Pick<SecretFile<unknown>, 'path' | 'secret'>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = codeOf(error) ?? 'unknown reason';
    throw new SecretFileError(
      `the file ${path} of ${secret} cannot be used: ${reason}; set SEGUE_DATA_DIR to another folder`,
    );
  }
}

/** Leaves an existing file as it is. If two processes start at the same time, one of them creates the file. */
function createSecretFile(path: string, text: string): void {
  if (existsSync(path)) return;
  try {
    writeDraft(path, text, linkSync);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Writes a draft to the same folder. `publish` then gives it the name of the file. */
function writeDraft(path: string, text: string, publish: (draft: string, path: string) => void): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    publish(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

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
  // As a whole: a reader sees the old text or the new one.
  withFile(file, () => writeDraft(file.path, JSON.stringify(rotated), renameSync));
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
