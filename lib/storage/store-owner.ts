import * as z from 'zod/mini';
import type { ItemReader, ItemStore, Key } from './port.ts';

/** Whose records a store has: those of the hosted service, or the ledger of one behind Segue. They differ under the same keys. */
const Owner = z.enum(['hosted', 'upstream']);
export type Owner = z.infer<typeof Owner>;

const KEY: Key = { partition: 'store', sort: 'owner' };

/** Whose a store is; `undefined` where no service has it yet. */
export async function ownerOf(storage: ItemReader): Promise<Owner | undefined> {
  const item = await storage.read(KEY);
  return item && Owner.parse(item.data);
}

/** Takes a store for a service, where no other one has it yet. @returns whose it is */
export async function claimStore(storage: ItemStore, owner: Owner): Promise<Owner> {
  for (;;) {
    const before = await ownerOf(storage);
    if (before) return before;
    const { ok } = await storage.commit({ writes: [{ kind: 'insert', key: KEY, data: owner }] });
    if (ok) return owner;
  }
}
