import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSigningKeys, type SigningKeys } from './signing-keys.ts';

/**
 * The signing keys of one machine: a file in the data folder that only its owner may read, made at the first start.
 * @throws where the file cannot be read or holds something else
 */
export function signingKeysInFolder(folder: string): SigningKeys {
  const path = join(folder, 'signing-keys.json');
  if (!existsSync(path)) makeKeys(path);
  return readSigningKeys(JSON.parse(readFileSync(path, 'utf8')));
}

/** Writes a whole file or none, and never over another: two starts at once end up with the same keys. */
function makeKeys(path: string): void {
  const keys = [{ id: randomBytes(6).toString('hex'), secret: randomBytes(32).toString('base64url') }];
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, JSON.stringify({ keys }), { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
}
