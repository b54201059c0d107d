import * as z from 'zod/mini';
import type { Refusal } from '../contract/credentials.ts';
import type { Item, ItemReader, ItemStore, Key, Write } from '../storage/port.ts';
import type { TokenSubject } from './tokens.ts';

/**
 * The record of a token family: all tokens of one sign-in. It contains no token, only the last generation. A refresh token
 * that is used twice revokes its family. Newer sign-ins of the same key evict it.
 */
const Family = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('live'), keyId: z.string(), generation: z.int() }),
  z.strictObject({ state: z.enum(['revoked', 'evicted']), keyId: z.string() }),
]);
export type Family = z.infer<typeof Family>;

/** The storage key of a family. */
export function familyKey({ companyId, familyId }: Pick<TokenSubject, 'companyId' | 'familyId'>): Key {
  return { partition: `company/${companyId}`, sort: `token-family/${familyId}` };
}

export function readFamily(item: Item): Family {
  return Family.parse(item.data);
}

/** Returns why the tokens of a family are refused, or `undefined` while they are accepted. */
export function familyRefusal(family: Family | undefined): Refusal | undefined {
  if (family?.state === 'live') return undefined;
  return family?.state === 'evicted' ? 'evicted-family' : 'ended-family';
}

/** Reads a family, and returns why its tokens are refused, or `undefined` while they are accepted. */
export async function findFamilyRefusal(store: ItemReader, subject: TokenSubject): Promise<Refusal | undefined> {
  const item = await store.read(familyKey(subject));
  return familyRefusal(item && readFamily(item));
}

/** The maximum of live families of one key. */
export const MAX_FAMILIES = 100;

/** How many expired families a sign-in looks up while the key has room for more. */
const MAX_LOOKUPS = 2;

/**
 * The families of a key, the oldest sign-in first. The record never expires: families live as long as they are refreshed,
 * and a refresh does not change the record.
 */
const KeyFamilies = z.strictObject({
  families: z.array(
    z.strictObject({
      id: z.string(),
      /** When its last token expires, in milliseconds since 1970; a refresh may have moved it since. */
      untilMs: z.number(),
    }),
  ),
});

/** A new family in the record of its key. */
interface AddedFamily {
  /** Changes the record. Refused if the record has changed since it was read. */
  readonly write: Write;
  /** The ids of the oldest families, for which there is no more room. */
  readonly evicted: readonly string[];
}

/**
 * Adds a family to the families of its key. It looks families up only once they seem expired: two at most, or all of those
 * if the record is full.
 * @param untilMs when the last token of the new family expires, in milliseconds since 1970
 */
export async function addFamily(
  store: ItemStore,
  { companyId, keyId, familyId }: Omit<TokenSubject, 'generation'>,
  { untilMs, nowMs }: { readonly untilMs: number; readonly nowMs: number },
): Promise<AddedFamily> {
  /** When the last token of a family expires, in milliseconds since 1970; 0 if the family has ended. */
  async function endOf(id: string): Promise<number> {
    const item = await store.read(familyKey({ companyId, familyId: id }));
    return item && readFamily(item).state === 'live' ? (item.expiresAtMs ?? 0) : 0;
  }
  const key: Key = { partition: `company/${companyId}`, sort: `token-families/${keyId}` };
  const item = await store.read(key);
  const listed = item ? KeyFamilies.parse(item.data).families : [];
  const expired = listed.filter((family) => family.untilMs <= nowMs);
  const lookedUp = expired.slice(0, listed.length < MAX_FAMILIES ? MAX_LOOKUPS : undefined);
  const ends = new Map(await Promise.all(lookedUp.map(async ({ id }) => [id, await endOf(id)] as const)));
  const live = listed
    .map(({ id, untilMs: listedMs }) => ({ id, untilMs: ends.get(id) ?? listedMs }))
    .filter(({ id, untilMs: endMs }) => !ends.has(id) || endMs > nowMs);
  const all = [...live, { id: familyId, untilMs }];
  const surplus = Math.max(0, all.length - MAX_FAMILIES);
  const data = { families: all.slice(surplus) };
  return {
    write: item ? { kind: 'replace', key, version: item.version, data } : { kind: 'insert', key, data },
    evicted: all.slice(0, surplus).map(({ id }) => id),
  };
}
