import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSigningKeys, type SigningKeys } from './signing-keys.ts';

/** Why there are no signing keys, in words for the person who starts Segue. What the file holds is not among them. */
export class SigningKeysUnusable extends Error {
  override readonly name = 'SigningKeysUnusable';
}

/**
 * The signing keys of one machine: a file in the data folder that only its owner may read, made at the first start.
 * @throws {SigningKeysUnusable} where the file cannot be made or read, or holds something else
 */
export function signingKeysInFolder(folder: string): SigningKeys {
  const path = join(folder, 'signing-keys.json');
  return keysIn(path, textOf(path));
}

function textOf(path: string): string {
  try {
    if (!existsSync(path)) makeKeys(path);
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SigningKeysUnusable(`the file ${path} of the signing keys cannot be used: ${codeOf(error)}`);
  }
}

function keysIn(path: string, text: string): SigningKeys {
  try {
    return readSigningKeys(JSON.parse(text));
  } catch {
    // The messages of JSON.parse and of schemas quote what they read, so nothing of them goes on.
    throw new SigningKeysUnusable(
      `the file ${path} does not hold signing keys: move it away, and a new one is made; tokens already issued stop working`,
    );
  }
}

/** Writes a whole file or none, and never over another: two starts at once end up with the same keys. */
function makeKeys(path: string): void {
  const keys = [{ id: randomBytes(6).toString('hex'), secret: randomBytes(32).toString('base64url') }];
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, JSON.stringify({ keys }), { mode: 0o600 });
    linkSync(draft, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The system's code of a failure, such as `EACCES`. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
