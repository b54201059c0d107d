import * as z from 'zod/mini';
import type { Refusal } from '../contract/basic-credentials.ts';
import { CREDENTIALS, type Item, type ItemReader, type ItemStore, type Key, type Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import type { TokenSubject } from './tokens.ts';

/**
 * The record of a token family, which is all tokens of one sign-in. It contains no token, only the number of the last
 * token pair. `revoked` means that a refresh token was used twice. `evicted` means that the key has too many newer
 * sign-ins.
 */
const Family = z.discriminatedUnion('state', [
  recordOf(() => ({ state: z.literal('live'), keyId: z.string(), generation: z.int() })),
  recordOf(() => ({ state: z.enum(['revoked', 'evicted']), keyId: z.string() })),
]);
export type Family = z.infer<typeof Family>;

/** Returns the partition of the state of a company's tokens and sign-ins. */
export function tokensPartition(companyId: string): string {
  return `${CREDENTIALS}tokens/${companyId}`;
}

/** Returns the storage key of a token family's record. */
export function familyKey({ companyId, familyId }: Pick<TokenSubject, 'companyId' | 'familyId'>): Key {
  return { partition: tokensPartition(companyId), sort: `token-family/${familyId}` };
}

export function readFamily(item: Item): Family {
  return Family.parse(item.data);
}

/**
 * Returns why a token of a family is refused, or `undefined` while Segue accepts it. The token must name the API key
 * for which the family was issued.
 */
export function familyRefusal(family: Family | undefined, { keyId }: Pick<TokenSubject, 'keyId'>): Refusal | undefined {
  if (family && family.keyId !== keyId) return 'wrong-token';
  if (family?.state === 'live') return undefined;
  return family?.state === 'evicted' ? 'evicted-family' : 'ended-family';
}

/** Reads a token family. Returns why its tokens are refused, or `undefined` while Segue accepts them. */
export async function findFamilyRefusal(store: ItemReader, subject: TokenSubject): Promise<Refusal | undefined> {
  const item = await store.read(familyKey(subject));
  return familyRefusal(item && readFamily(item), subject);
}

/** The maximum number of live token families of one API key. */
export const MAX_FAMILIES = 100;

/**
 * The maximum number of families that a sign-in looks up because they seem expired. If the key has `MAX_FAMILIES`, a
 * sign-in looks up all of them.
 */
const MAX_LOOKUPS = 2;

/**
 * The record of a key's token families, the oldest sign-in first. The record never expires: families live as long as
 * they are refreshed, and a refresh does not change the record.
 */
const KeyFamilies = recordOf(() => ({
  families: z.array(
    recordOf(() => ({
      id: z.string(),
      /**
       * When the last token of the family expires, in milliseconds since 1970. A later refresh may have extended this
       * time.
       */
      untilMs: z.number(),
    })),
  ),
}));

/** The result of adding a token family to the record of its key. */
interface AddedFamily {
  /** The write that changes the record. The store refuses it if the record has changed since it was read. */
  readonly write: Write;
  /** The ids of the oldest families, for which the record has no more room. */
  readonly evicted: readonly string[];
}

/**
 * Prepares the write that adds a token family to the record of its API key's families. A refresh extends a family
 * without changing the record, so a family may still be live after its time in the record. Each call looks up at most
 * two such families, or all if the record is full, and removes those that have ended. If the record is still full, the
 * oldest family is evicted.
 * @param untilMs when the last token of the new family expires, in milliseconds since 1970
 */
export async function addFamily(
  store: ItemStore,
  { companyId, keyId, familyId }: Omit<TokenSubject, 'generation'>,
  { untilMs, nowMs }: { readonly untilMs: number; readonly nowMs: number },
): Promise<AddedFamily> {
  /** Returns when the last token of a family expires, in milliseconds since 1970, or 0 if the family has ended. */
  async function endOf(id: string): Promise<number> {
    const item = await store.read(familyKey({ companyId, familyId: id }));
    return item && readFamily(item).state === 'live' ? (item.expiresAtMs ?? 0) : 0;
  }
  const key: Key = { partition: tokensPartition(companyId), sort: `token-families/${keyId}` };
  const item = await store.read(key);
  const record = item && KeyFamilies.parse(item.data);
  const listed = record?.families ?? [];
  const expired = listed.filter((family) => family.untilMs <= nowMs);
  const lookedUp = expired.slice(0, listed.length < MAX_FAMILIES ? MAX_LOOKUPS : undefined);
  const ends = new Map(await Promise.all(lookedUp.map(async ({ id }) => [id, await endOf(id)] as const)));
  const live = listed
    .map((family) => ({ ...family, untilMs: ends.get(family.id) ?? family.untilMs }))
    .filter(({ id, untilMs: endMs }) => !ends.has(id) || endMs > nowMs);
  const all = [...live, { id: familyId, untilMs }];
  const surplus = Math.max(0, all.length - MAX_FAMILIES);
  const data = { ...record, families: all.slice(surplus) };
  return {
    write: item ? { kind: 'replace', key, version: item.version, data } : { kind: 'insert', key, data },
    evicted: all.slice(0, surplus).map(({ id }) => id),
  };
}
