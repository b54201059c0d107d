import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createApiKey, hashApiKey } from '../../../lib/credentials/api-key.ts';
import { type AuthDeps, authenticate } from '../../../lib/credentials/authenticate.ts';
import { companyKey as companyRecordKey } from '../../../lib/credentials/company-record.ts';
import {
  type KeyDirectory,
  type KeyRecord,
  keyOwnerKey,
  keyRecordKey,
  storedKeys,
} from '../../../lib/credentials/key-directory.ts';
import { type Rate, storedRate } from '../../../lib/credentials/rate-limit.ts';
import type { SigningKeys } from '../../../lib/credentials/signing-keys.ts';
import { issueFirstPair, refreshPair, type TokenPair } from '../../../lib/credentials/token-pair.ts';
import { Unauthenticated } from '../../../lib/credentials/unauthenticated.ts';
import type { ItemReader, ItemStore, Key } from '../../../lib/storage/port.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { openSqlite } from '../storage/folder.ts';
import { NOW_MS } from '../support.ts';

/** Returns a table of keys in memory that counts its reads. */
export function keyTable(entries: readonly { companyId: string; keyId: string; record: unknown }[]) {
  let reads = 0;
  const table: ItemReader = {
    async read({ partition, sort }) {
      reads++;
      const isKey = (key: Key) => key.partition === partition && key.sort === sort;
      for (const { companyId, keyId, record } of entries) {
        const item = { partition, sort, version: 1 };
        if (isKey(keyRecordKey(companyId, keyId))) return { ...item, data: record };
        if (isKey(keyOwnerKey(keyId))) return { ...item, data: { companyId } };
        if (isKey(companyRecordKey(companyId))) return { ...item, data: { state: 'active', activeKeyIds: [] } };
      }
      return undefined;
    },
  };
  return { table, reads: () => reads };
}

/** Returns a new key of a company, and its record. */
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

/** Returns the dependencies of authentication. By default, the clock stands still and the store is empty. */
export function authenticationWith(keys: KeyDirectory, options: Partial<AuthDeps> = {}): AuthDeps {
  const fixed = { signingKeys: async () => SIGNING_KEYS, now: () => NOW_MS, newId: randomUUID };
  return { keys, store: new MemoryStorage(), ...fixed, ...options };
}

/** Returns why credentials are refused, or `good`. */
export const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'good',
    (error: unknown) => {
      if (error instanceof Unauthenticated) return error.refusal;
      throw error;
    },
  );

/** Opens a store. A test may open a new one for each of its worlds. */
export type OpenStore = (now: () => number) => ItemStore | Promise<ItemStore>;

/** Creates a company with a key, a store that counts its calls, and a clock that the test moves. */
export async function signInWorld({ open = openSqlite, rate }: { open?: OpenStore; rate?: Rate | undefined } = {}) {
  const clock = { nowMs: NOW_MS };
  const now = () => clock.nowMs;
  const opened = await open(now);
  const companyId = `company-${randomUUID()}`;
  const calls = { reads: 0, writes: 0 };
  const store: ItemStore = {
    read: (key) => {
      calls.reads++;
      return opened.read(key);
    },
    commit: (batch) => {
      calls.writes += batch.writes.length;
      return opened.commit(batch);
    },
  };
  const newKey = async () => {
    const key = companyKey(companyId);
    const data = key.record;
    await opened.commit({ writes: [{ kind: 'insert', key: keyRecordKey(companyId, key.keyId), data }] });
    return { companyId, keyId: key.keyId, scopes: [] };
  };
  const principal = await newKey();
  const stored = rate && storedRate(store, rate, now, { sleep: setTimeout, random: Math.random });
  const deps = authenticationWith(storedKeys(store), { store, now, rate: stored });
  const refresh = (refreshToken: string, key?: string, replayed = () => {}) =>
    refreshPair(deps, refreshToken, key === undefined ? undefined : { key, leaseMs: 1_000, replayed });
  return {
    clock,
    calls,
    deps,
    principal,
    newKey,
    revokeKey: () => {
      const { record } = companyKey(companyId, { state: 'revoked' });
      const key = keyRecordKey(companyId, principal.keyId);
      return opened.commit({ writes: [{ kind: 'put', key, data: record }] });
    },
    signIn: (as = principal) => issueFirstPair(deps, as),
    refresh,
    accessState: ({ accessToken }: TokenPair) => refusalOf(authenticate(`Bearer ${accessToken}`, deps)),
    refreshState: ({ refreshToken }: TokenPair) => refusalOf(refresh(refreshToken)),
  };
}
