import * as z from 'zod';
import { decodeData, encodeData } from '../../lib/storage/record.ts';
import { NOW_MS } from '../lib/support.ts';
import { HostedUpstream, World } from '../lib/upstream/world.ts';
import { MemoryStorage } from '../support/memory-storage.ts';
import { TestClock } from '../support/world.ts';

/** The stores of a release: of the hosted service, of the deliveries, and of Segue in front of another service. */
export class Stores extends TestClock {
  readonly hosted = new MemoryStorage();
  readonly deliveries = new MemoryStorage();
  readonly upstream: HostedUpstream;

  /** @param nowMs the time on all clocks, in milliseconds since 1970 */
  constructor(nowMs = NOW_MS) {
    super(nowMs);
    this.upstream = new HostedUpstream(new World(nowMs));
  }

  #all() {
    const { hosted, deliveries, upstream } = this;
    return { hosted, deliveries, ledger: upstream.world.storage, service: upstream.storage };
  }

  /** Returns all records. */
  async keep(): Promise<KeptRecord[]> {
    const kept: KeptRecord[] = [];
    for (const [store, storage] of Object.entries(this.#all())) {
      for (const item of storage.all()) {
        const { payload, data, ...record } = item;
        const bytes = payload === undefined ? undefined : (await storage.readWithPayload(item))?.bytes;
        kept.push({
          store,
          ...record,
          text: encodeData(data),
          ...(bytes && { payload: Buffer.from(bytes).toString('base64') }),
        });
      }
    }
    return kept;
  }

  /** Puts records into the empty stores. */
  async load(records: readonly KeptRecord[]): Promise<void> {
    const all = new Map<string, MemoryStorage>(Object.entries(this.#all()));
    for (const { store, partition, sort, version, text, expiresAtMs, payload } of records) {
      const write = {
        kind: 'insert',
        key: { partition, sort },
        data: decodeData(text),
        firstVersion: version,
        ...(expiresAtMs !== undefined && { expiresAtMs }),
        ...(payload !== undefined && { bytes: Buffer.from(payload, 'base64') }),
      } as const;
      if (!(await all.get(store)?.commit({ writes: [write] }))?.ok) throw new Error(`There is no room for ${sort}`);
    }
  }
}

/** A record of a release, with its payload in base64. */
const KeptRecord = z.object({
  store: z.string(),
  partition: z.string(),
  sort: z.string(),
  version: z.int(),
  /** The data as the store has it, with the version of its format. */
  text: z.string(),
  expiresAtMs: z.exactOptional(z.number()),
  payload: z.exactOptional(z.string()),
});
export type KeptRecord = z.infer<typeof KeptRecord>;

/** What is kept of a release: the records that its scenario wrote, and what its questions were answered. */
export const KeptRelease = z.object({ records: z.array(KeptRecord), answers: z.record(z.string(), z.unknown()) });
