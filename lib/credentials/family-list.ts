import * as z from 'zod/mini';
import type { ItemStore, Key, Write } from '../storage/port.ts';
import type { TokenSubject } from './tokens.ts';

/** How many live token families a key may have. */
export const MOST_FAMILIES = 100;

/** How many expired families a sign-in looks up, as long as there is room. */
const LOOKUPS = 2;

/**
 * The families of a key, the oldest sign-in first. It never expires: families live as long as they are refreshed, and a
 * refresh does not change the list.
 */
const FamilyList = z.strictObject({
  families: z.array(
    z.strictObject({
      id: z.string(),
      /** When its last token expires, as far as the list knows; a refresh may have moved it. In milliseconds since 1970. */
      untilMs: z.number(),
    }),
  ),
});
type Listed = z.infer<typeof FamilyList>['families'][number];

/** A new family's place in its key's list. */
export interface Enlisted {
  /** Refused if the list has changed since it was read. */
  readonly write: Write;
  /** The oldest families, for which there is no more room. */
  readonly evicted: readonly string[];
}

/**
 * Adds a family to its key's list. Families are looked up only after their time in the list is over, so that a sign-in
 * reads two of them at most, or if the list is full, those whose time is over.
 * @param untilMs when the last token of the family expires, in milliseconds since 1970
 * @param endOf reads when the last token of a family expires; 0 if the family has ended
 */
export async function enlist(
  store: ItemStore,
  { companyId, keyId, familyId }: Omit<TokenSubject, 'generation'>,
  { untilMs, nowMs }: { readonly untilMs: number; readonly nowMs: number },
  endOf: (familyId: string) => Promise<number>,
): Promise<Enlisted> {
  const key: Key = { partition: `company/${companyId}`, sort: `token-families/${keyId}` };
  const item = await store.read(key);
  const listed = item ? FamilyList.parse(item.data).families : [];
  const over = listed.filter((family) => family.untilMs <= nowMs);
  const lookedUp = over.slice(0, listed.length < MOST_FAMILIES ? LOOKUPS : undefined);
  const ends = new Map(await Promise.all(lookedUp.map(async ({ id }) => [id, await endOf(id)] as const)));
  const present = listed.flatMap(({ id, untilMs: listedMs }): Listed[] => {
    const endMs = ends.get(id);
    if (endMs === undefined) return [{ id, untilMs: listedMs }];
    return endMs > nowMs ? [{ id, untilMs: endMs }] : [];
  });
  const all = [...present, { id: familyId, untilMs }];
  const surplus = Math.max(0, all.length - MOST_FAMILIES);
  const data = { families: all.slice(surplus) };
  return {
    write: item ? { kind: 'replace', key, version: item.version, data } : { kind: 'insert', key, data },
    evicted: all.slice(0, surplus).map(({ id }) => id),
  };
}
