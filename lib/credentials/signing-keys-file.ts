import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSigningKeys, type SigningKeys } from './signing-keys.ts';

/**
 * The signing keys of one machine: a file in the data folder that only its owner may read, made at the first start.
 * @throws where the file cannot be read or holds something else
 */
export function signingKeysInFolder(folder: string): SigningKeys {
  const path = join(folder, 'signing-keys.json');
  const fresh = { keys: [{ id: randomBytes(6).toString('hex'), secret: randomBytes(32).toString('base64url') }] };
  try {
    // `wx` fails where the file exists, so that two starts at once end up with the same keys.
    writeFileSync(path, JSON.stringify(fresh), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readSigningKeys(JSON.parse(readFileSync(path, 'utf8')));
}
