import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Rate } from '../../../lib/contract/settings.ts';
import { createApiKey, hashApiKey } from '../../../lib/credentials/api-key.ts';
import { type AuthDeps, authenticate } from '../../../lib/credentials/authenticate.ts';
import { NEW_COMPANY, writeCompany } from '../../../lib/credentials/company-record.ts';
import { CredentialsRefused } from '../../../lib/credentials/credentials-refused.ts';
import { type KeyDirectory, storedKeys } from '../../../lib/credentials/key-directory.ts';
import { type KeyRecord, keyRecordKey, writeKey } from '../../../lib/credentials/key-record.ts';
import { storedRate } from '../../../lib/credentials/rate-limit.ts';
import type { SigningKeys } from '../../../lib/credentials/signing-keys.ts';
import { issueFirstPair, refreshPair, type TokenPair } from '../../../lib/credentials/token-pair.ts';
import type { ItemReader, ItemStore, Key } from '../../../lib/storage/port.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { TestClock } from '../../support/world.ts';
import { openSqlite } from '../storage/folder.ts';
import { NOW_MS } from '../support.ts';

/** The address of the sender of a request. */
export const ADDRESS = '203.0.113.7';
/** A use of credentials from that address. */
export const USE = { address: ADDRESS, nowMs: NOW_MS };
/** Returns a refresh token, sent from that address. */
export const sent = (refreshToken: string) => ({ refreshToken, address: ADDRESS });

/** Returns a table of keys and their companies in memory that counts its reads. */
export function keyTable(entries: readonly { companyId: string; keyId: string; record: KeyRecord }[]) {
  let reads = 0;
  const nameOf = ({ partition, sort }: Key) => `${partition} ${sort}`;
  const writes = entries.flatMap(({ companyId, keyId, record }) => [
    ...writeKey(keyId, undefined, record),
    ...writeCompany(companyId, undefined, NEW_COMPANY),
  ]);
  const data = new Map(writes.map((write) => [nameOf(write.key), 'data' in write ? write.data : undefined]));
  const table: ItemReader = {
    async read({ partition, sort }) {
      reads++;
      const name = nameOf({ partition, sort });
      return data.has(name) ? { partition, sort, version: 1, data: data.get(name) } : undefined;
    },
  };
  return { table, reads: () => reads };
}

/** Returns a new key of a company, and its record. */
export function companyKey(companyId: string, fields: Partial<KeyRecord> = {}) {
  const { keyId, apiKey } = createApiKey();
  const record: KeyRecord = {
    companyId,
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
      if (error instanceof CredentialsRefused) return error.refusal;
      throw error;
    },
  );

/** Opens a store. A test may open a new one for each of its worlds. */
export type OpenStore = (now: () => number) => ItemStore | Promise<ItemStore>;

/** Creates a company with a key, a store that counts its calls, and a clock that the test moves. */
export async function signInWorld({ open = openSqlite, rate }: { open?: OpenStore; rate?: Rate | undefined } = {}) {
  const clock = new TestClock();
  const { now } = clock;
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
    await opened.commit({ writes: writeKey(key.keyId, undefined, key.record) });
    return { companyId, keyId: key.keyId, scopes: [] };
  };
  const principal = await newKey();
  const stored = rate && storedRate(store, rate, now, { sleep: setTimeout, random: Math.random });
  const deps = authenticationWith(storedKeys(store), { store, now, rate: stored });
  const refresh = (refreshToken: string, key?: string, replayed = () => {}) =>
    refreshPair(deps, sent(refreshToken), key === undefined ? undefined : { key, leaseMs: 1_000, replayed });
  return {
    clock,
    calls,
    deps,
    principal,
    newKey,
    revokeKey: () => {
      const { record } = companyKey(companyId, { state: 'revoked' });
      const key = keyRecordKey(principal.keyId);
      return opened.commit({ writes: [{ kind: 'put', key, data: record }] });
    },
    signIn: (as = principal) => issueFirstPair(deps, as),
    refresh,
    accessState: ({ accessToken }: Pick<TokenPair, 'accessToken'>) =>
      refusalOf(authenticate(`Bearer ${accessToken}`, ADDRESS, deps)),
    refreshState: ({ refreshToken }: TokenPair) => refusalOf(refresh(refreshToken)),
  };
}
