import * as z from 'zod/mini';
import type { ItemReader, ItemStore, Key } from './port.ts';

/**
 * The service that owns a store: the hosted service, or the ledger of an upstream service. Both use equal keys for
 * different records, so they must not share a store.
 */
const Owner = z.enum(['hosted', 'upstream']);
export type Owner = z.infer<typeof Owner>;

const KEY: Key = { partition: 'store', sort: 'owner' };

/** Reads the owner of a store; `undefined` if the store has no owner yet. */
export async function ownerOf(storage: ItemReader): Promise<Owner | undefined> {
  const item = await storage.read(KEY);
  return item && Owner.parse(item.data);
}

/**
 * Makes a service the owner of a store, if the store has no owner yet.
 * @returns the owner of the store, which may be the other service
 */
export async function claimStore(storage: ItemStore, owner: Owner): Promise<Owner> {
  for (;;) {
    const before = await ownerOf(storage);
    if (before) return before;
    const { ok } = await storage.commit({ writes: [{ kind: 'insert', key: KEY, data: owner }] });
    if (ok) return owner;
  }
}
