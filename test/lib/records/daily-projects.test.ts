import { expect, it } from 'vitest';
import type { Key, Storage } from '../../../lib/storage/port.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { hosted } from '../../support/world.ts';
import { openSqlite } from '../storage/folder.ts';
import { callContext, checked, heldNow } from '../support.ts';
import { describeDailyProjects } from './daily-projects-suite.ts';

describeDailyProjects('a store in memory', async () => new MemoryStorage());
describeDailyProjects('SQLite', async () => openSqlite(heldNow));

it('a creation of a company without a limit reads and writes nothing for it', async () => {
  const store = new MemoryStorage();
  const used: Key[] = [];
  const storage: Storage = {
    read: (key) => {
      used.push(key);
      return store.read(key);
    },
    list: (...range) => store.list(...range),
    readWithPayload: (key) => store.readWithPayload(key),
    readPayloadRange: (...range) => store.readPayloadRange(...range),
    commit: (batch) => {
      used.push(...batch.writes.map(({ key }) => key));
      return store.commit(batch);
    },
  };
  await hosted({ storage }).create(checked(), callContext());
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter(({ sort }) => sort.startsWith('projects-a-day/'))).toEqual([]);
});
