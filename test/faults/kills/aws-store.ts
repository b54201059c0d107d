import assert from 'node:assert/strict';
import type { Storage } from '../../../lib/storage/port.ts';
import type { StartOptions } from '../../support/gateway.ts';
import { type Aws, AwsWorld } from '../aws-world.ts';
import type { KillStore } from './store.ts';

/** More than there are here. */
const ALL = { limit: 10_000, maxBytes: 100_000_000 } as const;

/** A table and a bucket, on which gateways are started that serve one company. */
export function awsStore(aws: Aws, companyId: string, start: StartOptions): KillStore {
  const world = new AwsWorld(aws);
  const partition = `company/${companyId}`;
  return {
    start,
    // More than a table takes.
    large: 25_000,
    endLeases: () => endLeases(world.storage, partition),
    async requireNoOrphans() {
      world.nowMs = Date.now();
      await world.sweep();
      const { items } = await world.storage.list(partition, { prefix: 'project/', ...ALL });
      const payloads = await world.payloads(companyId);
      assert.deepEqual(payloads.map(({ id }) => id).sort(), items.map(({ sort }) => sort).sort());
      assert.deepEqual(await world.pending(companyId), []);
    },
    async remove() {
      world.close();
    },
  };
}

async function endLeases(storage: Storage, partition: string): Promise<void> {
  const { items } = await storage.list(partition, { prefix: 'request/', ...ALL });
  for (const { sort, version, data, expiresAtMs } of items) {
    if (typeof data !== 'object' || data === null || 'result' in data || expiresAtMs === undefined) continue;
    const ended = { ...data, leaseEndsAtMs: 0 };
    const key = { partition, sort };
    await storage.commit({ writes: [{ kind: 'replace', key, version, data: ended, expiresAtMs }] });
  }
}
