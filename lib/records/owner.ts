import * as z from 'zod/mini';
import type { ItemStore, Key } from '../storage/port.ts';

/** Whose records a store has: those of the hosted service, or the ledger of one behind Segue. They differ under the same keys. */
const Owner = z.enum(['hosted', 'upstream']);
export type Owner = z.infer<typeof Owner>;

const KEY: Key = { partition: 'store', sort: 'owner' };

/** Takes a store for a service, where no other one has it yet. @returns whose it is */
export async function claimStore(storage: ItemStore, owner: Owner): Promise<Owner> {
  for (;;) {
    const item = await storage.read(KEY);
    if (item) return Owner.parse(item.data);
    const { ok } = await storage.commit({ writes: [{ kind: 'insert', key: KEY, data: owner }] });
    if (ok) return owner;
  }
}
