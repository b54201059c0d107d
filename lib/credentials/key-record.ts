import * as z from 'zod/mini';
import { SCOPES } from '../contract/routes.ts';
import { CREDENTIALS, type Key, type Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import { COMPANY_STATES, companyCredentials } from './company-record.ts';
import { guardWrites } from './guards.ts';

/** The record of an API key. */
export const KeyRecord = recordOf(() => ({
  companyId: z.string(),
  /** The SHA-256 of the API key, in hex. */
  hash: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** The state of the key: `revoked`, or else the state of its company. */
  state: z.enum([...COMPANY_STATES, 'revoked']),
  createdAtUtc: z.string(),
  revokedAtUtc: z.optional(z.string()),
  /** When the key expires; absent if it never does. */
  expiresAtUtc: z.optional(z.iso.datetime()),
  /** How many projects the company of the key may create in a day; absent if there is no limit. */
  projectsADay: z.optional(z.int()),
  /** The networks from which the key may be used, such as `203.0.113.0/24`; absent if it may be used from any. */
  networks: z.optional(z.array(z.string())),
}));
export type KeyRecord = z.infer<typeof KeyRecord>;

/** The record of a key, and the version of the record when it was read. */
export interface FoundKey {
  readonly record: KeyRecord;
  readonly version: number;
}

/** Returns the storage key of an API key's record. A request may name the API key alone, without its company. */
export function keyRecordKey(keyId: string): Key {
  return { partition: `${CREDENTIALS}key/${keyId}`, sort: 'key' };
}

/** The prefix of the sort keys in the list of a company's API keys. */
export const LISTED_KEY = 'key/';

/**
 * Creates the writes that change a key's record and its guards. For a new key, they also add it to the list of its
 * company's keys.
 */
export function writeKey(keyId: string, before: FoundKey | undefined, data: KeyRecord): Write[] {
  const key = keyRecordKey(keyId);
  const { state, expiresAtUtc, networks } = data;
  const guard = { state, ...(expiresAtUtc !== undefined && { expiresAtUtc }), ...(networks && { networks }) };
  const guards = guardWrites({ kind: 'key', id: keyId }, before?.version, guard);
  if (before) return [{ kind: 'replace', key, version: before.version, data }, ...guards];
  const listed = { partition: companyCredentials(data.companyId), sort: LISTED_KEY + keyId };
  return [{ kind: 'insert', key, data }, { kind: 'insert', key: listed, data: {} }, ...guards];
}
