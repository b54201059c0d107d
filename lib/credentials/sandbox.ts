import * as z from 'zod/mini';
import type { ItemReader, ItemStore, Key } from '../storage/port.ts';
import { registerCompany } from './company-record.ts';

/** The company of `npm start` unless another one is set. */
export const SANDBOX = 'sandbox';

/** The company that `npm start` last ran as on a store. */
const LastStart = z.strictObject({ companyId: z.string() });
const KEY: Key = { partition: 'store', sort: 'last-start' };

/** Registers the company that `npm start` runs as, and records it as the last one that did. */
export async function recordStart(store: ItemStore, companyId: string): Promise<void> {
  await registerCompany(store, companyId);
  const data: z.infer<typeof LastStart> = { companyId };
  await store.commit({ writes: [{ kind: 'put', key: KEY, data }] });
}

/** The company that `npm start` runs as on a store, or last ran as; `sandbox` if it never has. */
export async function lastStarted(store: ItemReader): Promise<string> {
  const item = await store.read(KEY);
  return item ? LastStart.parse(item.data).companyId : SANDBOX;
}
