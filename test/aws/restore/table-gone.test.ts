import { expect, it, onTestFinished } from 'vitest';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { FEED_PREFIX, readFeedRecord } from '../../../lib/records/feed-record.ts';
import { eventsPartition } from '../../../lib/records/outbox.ts';
import { eachItem } from '../../../lib/storage/port.ts';
import { byId } from '../../contract/api.ts';
import { segment, smallProject } from '../../support/projects.ts';
import { companiesOf, createStackStore, itemsIn, loseTables, RunningSegue, restoredCopy, restoreFor } from './world.ts';

const TASKS = { segments: [segment(), segment({ taskId: 'task' })] };

const lost = await createStackStore();
const before = await RunningSegue.on(lost);
const { companyId } = before.gateway;
const kept = (await before.api.create(smallProject())).id;
const deleted = (await before.api.create(smallProject({ customId: 'deleted' }))).id;
const withoutTask = (await before.api.create(smallProject(TASKS))).id;
const key = createApiKey();
await companiesOf(lost).add('acme', key);

const restored = await restoredCopy(lost);

await before.api.delete(byId(deleted));
await before.api.delete(`${byId(withoutTask)}?taskId=task`);
await companiesOf(lost).revoke(key.keyId);
// Reading the feed moves the events there, from which the bus gets them.
await before.api.get('/events');
const events: string[] = [];
for await (const { data } of eachItem(itemsIn(lost), eventsPartition(companyId), FEED_PREFIX)) {
  const detail = readFeedRecord(data).event;
  events.push(JSON.stringify({ source: 'segue', 'detail-type': detail.type, detail }));
}
await before.stop();
await loseTables(lost);

it('refuses a restore while nobody knows what was deleted', async () => {
  await expect(restoreFor(lost, { table: restored.table })).rejects.toThrow(
    /does not exist, so nobody knows which projects were deleted meanwhile: give --events .* or --complete/,
  );
  await expect(restoreFor(lost, { table: restored.table, from: 'nothing' })).rejects.toThrow('nothing does not exist');
  const events = '';
  await expect(restoreFor(lost, { table: restored.table, events })).rejects.toThrow(
    /the table of credentials .* does not exist in this region: restore it too/,
  );
  const wrong = { credentialsTable: restored.credentialsTable, credentialsFrom: 'nowhere' };
  await expect(restoreFor(lost, wrong)).rejects.toThrow('nowhere does not exist');
});

it('deletes again what the events of the bus tell, and lists the keys that may have been revoked', async () => {
  const { table, credentialsTable } = restored;
  const request = { table, credentialsTable, events: `${events.join('\n')}\n` };
  const first = await restoreFor(lost, request);
  expect(first.deletedAgain).toHaveLength(2);
  expect(first.deletedAgain).toEqual(
    expect.arrayContaining([
      { companyId, projectId: deleted },
      { companyId, projectId: withoutTask, taskId: 'task' },
    ]),
  );
  expect(first.uncheckedKeys).toEqual([{ companyId: 'acme', keyId: key.keyId }]);
  expect((await restoreFor(lost, request)).deletedAgain).toEqual([]);

  const after = await RunningSegue.on(restored);
  onTestFinished(async () => {
    await after.stop();
  });
  expect((await after.api.get(byId(kept))).status).toBe(200);
  expect((await after.api.get(byId(deleted))).status).toBe(404);
  expect((await after.api.get(`${byId(withoutTask)}?taskId=task`)).status).toBe(404);
});

it('repeats nothing if the restored table has the last state', async () => {
  const { table, credentialsTable } = restored;
  const complete = await restoreFor(lost, { table, credentialsTable, isComplete: true });
  expect(complete).toMatchObject({ deletedAgain: [], uncheckedKeys: [], lostProjects: [], withoutContent: [] });
});

it('refuses a file of events with a line that is none', async () => {
  const { table, credentialsTable } = restored;
  const request = { table, credentialsTable, events: `${events[0]}\n{"detail":{}}\n` };
  await expect(restoreFor(lost, request)).rejects.toThrow('line 2 of the events is no event of the bus');
});
