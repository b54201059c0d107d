import { existsSync, linkSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { publishFile } from '../service/publish-file.ts';
import type { ReadSecret } from './cached-secret.ts';
import type { SecretStore } from './secret-store.ts';
import { addSigningKey, newSigningKey, replaceSigningKeys } from './signing-key-rotation.ts';
import { parseSigningKeys, type StoredKeys } from './signing-keys.ts';

/**
 * Creates a secret store that keeps each secret in its own file, in a folder inside the data folder. Only the owner of
 * the folder can read the files.
 */
export function secretFiles(dataFolder: string, folder: string): SecretStore {
  const pathOf = (name: string) => join(dataFolder, folder, name);
  return {
    read: (name) => readFile(pathOf(name), 'utf8'),
    create: async (name, text) => createSecretFile(pathOf(name), text),
    delete: (name) => rm(pathOf(name), { force: true }),
  };
}

/**
 * The error for a secret file that cannot be used. The message is for the operator, and contains no text of the file.
 */
export class SecretFileError extends Error {
  override readonly name = 'SecretFileError';
}

/** A file that holds one secret. */
interface SecretFile<T> {
  readonly path: string;
  /** The name of the secret for error texts, such as `the signing keys`. */
  readonly secret: string;
  /** What the file should contain, and what to do if it contains something else. For error texts. */
  readonly format: string;
  /** Creates the text of a new file. */
  readonly create: () => string;
  /** Parses the text of the file. Its errors are dropped, because they may quote the text. */
  readonly parse: (text: string) => T;
}

/**
 * Reads a secret file, and first creates the file if it is missing.
 * @throws {SecretFileError} if the file cannot be created or read, or its content is invalid
 */
export function openSecretFile<T>({ path, secret, format, create, parse }: SecretFile<T>): T {
  const text = withFile({ path, secret }, () => {
    createSecretFile(path, create());
    return readFileSync(path, 'utf8');
  });
  try {
    return parse(text);
  } catch {
    throw new SecretFileError(`the file ${path} does not contain ${format}`);
  }
}

/** Runs `work`, which reads or writes a secret file. @throws {SecretFileError} if `work` fails */
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

/** Creates a secret file, unless it exists. If two processes start at the same time, only one creates the file. */
function createSecretFile(path: string, text: string): void {
  if (existsSync(path)) return;
  try {
    write(path, text, linkSync);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Replaces a secret file, or the target of its symbolic link, at once: a reader sees the old text or the new one. */
function replaceSecretFile(path: string, keys: StoredKeys): void {
  write(existsSync(path) ? realpathSync(path) : path, JSON.stringify(keys));
}

/** Writes a secret file for its owner alone. Creates its folder. */
function write(path: string, text: string, publish?: typeof linkSync): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  publishFile(path, text, { mode: 0o600, publish });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/**
 * Checks the file of the signing keys in the data folder, and creates the file if it is missing.
 * @returns the function that reads the file
 * @throws {SecretFileError} if the file cannot be created or read, or its content is invalid
 */
export function openSigningKeysFile(dataFolder: string): ReadSecret {
  const file = signingKeysFile(dataFolder);
  openSecretFile({ ...file, parse: (text) => parseSigningKeys(JSON.parse(text)) });
  return () => readFile(file.path, 'utf8');
}

/**
 * Adds a key to the file of the signing keys. A running gateway reads the file again before the new key signs.
 * @returns when the new key starts to sign, as a date in UTC; never `undefined`, because every added key has this date
 * @throws {SecretFileError} if the file cannot be read or written, or its content is invalid
 */
export function rotateSigningKeysFile(dataFolder: string, nowMs: number): string | undefined {
  const file = signingKeysFile(dataFolder);
  const rotated = openSecretFile({ ...file, parse: (text) => addSigningKey(JSON.parse(text), newSigningKey(), nowMs) });
  withFile(file, () => replaceSecretFile(file.path, rotated));
  return rotated.keys[0]?.signsFromUtc;
}

/**
 * Replaces all signing keys in their file by a new one, which signs at once. A running gateway reads the file again
 * within 30 seconds.
 * @throws {SecretFileError} if the file cannot be written
 */
export function dropSigningKeysFile(dataFolder: string, nowMs: number): void {
  const file = signingKeysFile(dataFolder);
  withFile(file, () => replaceSecretFile(file.path, replaceSigningKeys(newSigningKey(), nowMs)));
}

function signingKeysFile(dataFolder: string) {
  return {
    path: join(dataFolder, 'signing-keys.json'),
    secret: 'the signing keys',
    format: 'signing keys: move the file away, and Segue creates a new one; all issued tokens then stop working',
    create: () => JSON.stringify({ keys: [newSigningKey()] }),
  };
}
