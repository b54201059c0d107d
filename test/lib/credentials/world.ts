import { randomUUID } from 'node:crypto';
import { createApiKey, hashApiKey } from '../../../lib/credentials/api-key.ts';
import type { AuthDeps } from '../../../lib/credentials/authenticate.ts';
import { companyKey as companyRecordKey } from '../../../lib/credentials/company-record.ts';
import {
  type KeyDirectory,
  type KeyRecord,
  keyOwnerKey,
  keyRecordKey,
} from '../../../lib/credentials/key-directory.ts';
import type { SigningKeys } from '../../../lib/credentials/signing-keys.ts';
import type { ItemReader, Key } from '../../../lib/storage/port.ts';
import { openSqlite } from '../storage/folder.ts';
import { heldNow, NOW_MS } from '../support.ts';

/** A table of keys in memory that counts how often it is read. */
export function keyTable(entries: readonly { companyId: string; keyId: string; record: unknown }[]) {
  let reads = 0;
  const table: ItemReader = {
    async read({ partition, sort }) {
      reads++;
      const isHere = (key: Key) => key.partition === partition && key.sort === sort;
      for (const { companyId, keyId, record } of entries) {
        const item = { partition, sort, version: 1 };
        if (isHere(keyRecordKey(companyId, keyId))) return { ...item, data: record };
        if (isHere(keyOwnerKey(keyId))) return { ...item, data: { companyId } };
        if (isHere(companyRecordKey(companyId))) return { ...item, data: { state: 'active', activeKeyIds: [] } };
      }
      return undefined;
    },
  };
  return { table, reads: () => reads };
}

/** A new key of a company, and what is kept of it. */
export function companyKey(companyId: string, fields: Partial<KeyRecord> = {}) {
  const { keyId, apiKey } = createApiKey();
  const record: KeyRecord = {
    hash: hashApiKey(apiKey),
    scopes: ['create', 'read'],
    state: 'active',
    createdAtUtc: '2026-11-20T09:30:00.000Z',
    ...fields,
  };
  return { companyId, keyId, apiKey, record };
}

const secret = (text: string) => new TextEncoder().encode(text.padEnd(32, '.'));

/** Two signing keys, the newer first. */
export const SIGNING_KEYS = [
  { id: 'new', secret: secret('the newer one'), signsFromMs: 1 },
  { id: 'old', secret: secret('the older one'), signsFromMs: 0 },
] as const satisfies SigningKeys;

/** What proving who somebody is stands on, with the clock held and an empty store unless given. */
export function authenticationWith(keys: KeyDirectory, options: Partial<AuthDeps> = {}): AuthDeps {
  const fixed = { signingKeys: async () => SIGNING_KEYS, now: () => NOW_MS, newId: randomUUID };
  return { keys, store: openSqlite(heldNow), ...fixed, ...options };
}
