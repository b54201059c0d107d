import { afterAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { byCustomId, byId, PROJECTS } from '../../contract/api.ts';
import { contractOfStores } from '../../contract/suite/index.ts';
import { segment, smallProject } from '../../support/projects.ts';
import {
  companiesOf,
  createStackStore,
  itemsOf,
  largeProject,
  objectNames,
  RunningSegue,
  restoredCopy,
  restoreFor,
  sweepAll,
} from './world.ts';

const DAY_MS = 86_400_000;
const TASKS = { segments: [segment(), segment({ taskId: 'task' })] };

// Every step of docs/restore.md, on emulators: data, the time to restore, more changes, the loss, and the restore.
const lost = await createStackStore();
const before = await RunningSegue.on(lost);
const ids = {
  kept: (await before.api.create(smallProject({ customId: 'kept' }))).id,
  keptLarge: (await before.api.create(largeProject({ customId: 'kept large' }))).id,
  deleted: (await before.api.create(smallProject({ customId: 'deleted' }))).id,
  deletedLarge: (await before.api.create(largeProject())).id,
  deletedBefore: (await before.api.create(smallProject())).id,
  withoutTask: (await before.api.create(smallProject(TASKS))).id,
  replaced: (await before.api.create(largeProject({ customId: 'replaced' }))).id,
};
await before.api.delete(byId(ids.deletedBefore));
const companies = companiesOf(lost);
const keys = { kept: createApiKey(), revoked: createApiKey(), added: createApiKey() };
const limits = { expiresAtUtc: '2027-01-01T00:00:00.000Z', networks: ['203.0.113.0/24'] };
await companies.add('acme', keys.revoked);
await companies.rotate('acme', keys.kept);
await companies.add('closed', createApiKey());

const restored = await restoredCopy(lost);

const late = { id: (await before.api.create(largeProject({ customId: 'late' }))).id };
for (const id of [ids.deleted, ids.deletedLarge]) await before.api.delete(byId(id));
const deletedAtUtc = JSON.parse((await before.api.get(byId(ids.deleted))).text).deletedAtUtc;
for (const id of [ids.withoutTask, ids.replaced]) await before.api.delete(`${byId(id)}?taskId=task`);
const gone = await before.api.create(smallProject({ customId: 'gone at once' }));
await before.api.delete(byId(gone.id));
await companies.revoke(keys.revoked.keyId);
await companies.rotate('acme', keys.added);
await companies.limit(keys.kept.keyId, limits);
await companies.setState('closed', 'suspended');
await sweepAll(lost);
await before.stop();

const request = { table: restored.table, credentialsTable: restored.credentialsTable };
const itemsBefore = await itemsOf(restored.table);
const planned = await restoreFor(lost, { ...request, isDryRun: true });
const itemsPlanned = await itemsOf(restored.table);
const first = await restoreFor(lost, request);
const second = await restoreFor(lost, request, 2 * DAY_MS);

const after = await RunningSegue.on(restored);
afterAll(() => after.stop());
const { companyId } = before.gateway;

describe('a restore while the lost table exists', () => {
  it('shows in a dry run what it does, and changes nothing', () => {
    expect(itemsPlanned).toEqual(itemsBefore);
    const { tables, ...findings } = planned;
    expect(first).toMatchObject(findings);
    for (const kind of ['table', 'credentialsTable'] as const) {
      expect(tables[kind]?.added).toEqual(first.tables[kind]?.added);
    }
    expect(planned.tables.table?.setting).toBeUndefined();
  });

  it('adds the settings that restored tables lack, and says how a stack uses the tables', () => {
    expect(first.tables.table).toMatchObject({
      name: restored.table,
      added: ['stream', 'time to live', 'point-in-time recovery', 'deletion protection'],
      setting: expect.stringMatching(new RegExp(`^${restored.table}/stream/\\d{4}-\\d\\d-\\d\\dT[\\d:.]+$`)),
    });
    expect(first.tables.credentialsTable).toEqual({
      name: restored.credentialsTable,
      added: ['time to live', 'point-in-time recovery', 'deletion protection'],
      setting: restored.credentialsTable,
    });
  });

  it('deletes again what was deleted since then, and nothing else', async () => {
    const deleted = [
      { companyId, projectId: ids.deleted },
      { companyId, projectId: ids.deletedLarge },
      { companyId, projectId: ids.withoutTask, taskId: 'task' },
    ];
    expect(first.deletedAgain).toHaveLength(deleted.length);
    expect(first.deletedAgain).toEqual(expect.arrayContaining(deleted));
    const projects = await after.api.list();
    expect(projects.map(({ id }) => id).sort()).toEqual(
      [ids.kept, ids.keptLarge, ids.withoutTask, ids.replaced].sort(),
    );
    expect((await after.api.get(byId(ids.keptLarge))).status).toBe(200);
    expect((await after.api.get(`${byId(ids.withoutTask)}?taskId=task`)).status).toBe(404);
    expect((await after.api.get(byId(ids.withoutTask))).status).toBe(200);
  });

  it('keeps the tombstones of the first deletions, also of projects that the restored table never had', async () => {
    for (const id of [ids.deleted, ids.deletedLarge, ids.deletedBefore, gone.id]) {
      const { status, text } = await after.api.get(byId(id));
      expect({ id, status, deletedAtUtc: JSON.parse(text).deletedAtUtc }).toEqual({
        id,
        status: 404,
        deletedAtUtc: expect.any(String),
      });
    }
    expect(JSON.parse((await after.api.get(byId(ids.deleted))).text).deletedAtUtc).toBe(deletedAtUtc);
    expect(JSON.parse((await after.api.get(byCustomId('deleted'))).text).deletedAtUtc).toBe(deletedAtUtc);
    expect((await after.api.create(smallProject({ customId: 'deleted' }))).id).not.toBe(ids.deleted);
  });

  it('revokes, limits and suspends again, and reports keys that are lost', async () => {
    expect(first).toMatchObject({
      revoked: [{ companyId: 'acme', keyId: keys.revoked.keyId }],
      states: [{ companyId: 'closed', state: 'suspended' }],
      limited: [{ companyId: 'acme', keyId: keys.kept.keyId, ...limits }],
      lostKeys: [{ companyId: 'acme', keyId: keys.added.keyId }],
      uncheckedKeys: [],
    });
    const listed = await Array.fromAsync(companiesOf(restored).list());
    const found = new Map(listed.flatMap((company) => company.keys.map((key) => [key.keyId, key])));
    expect(found.get(keys.kept.keyId)).toMatchObject({ state: 'active', ...limits });
    expect(found.get(keys.revoked.keyId)).toMatchObject({ state: 'revoked' });
    expect(listed.find((company) => company.companyId === 'closed')?.state).toBe('suspended');
  });

  it('reports projects that are lost, and projects without content, which a read says and a deletion ends', async () => {
    expect(first).toMatchObject({
      lostProjects: [{ companyId, projectId: late.id }],
      withoutContent: [{ companyId, projectId: ids.replaced }],
    });
    const { status, text } = await after.api.get(byId(ids.replaced));
    expect({ status, type: JSON.parse(text).type }).toEqual({
      status: 500,
      type: `${after.gateway.url}/problems/content-lost`,
    });
    expect((await after.api.delete(byId(ids.replaced))).status).toBe(204);
    expect((await after.api.get(`${PROJECTS}?limit=100`)).text).not.toContain('replaced');
  });

  it('does nothing the second time, and finds the objects that nobody refers to a day later', async () => {
    expect(second).toMatchObject({ deletedAgain: [], revoked: [], states: [], limited: [], lostKeys: first.lostKeys });
    expect(second.tables.table?.added).toEqual([]);
    const unreferenced = (await objectNames(lost)).filter((name) => second.unreferenced.includes(name));
    // The content of the late project, and the new content of the replaced one.
    expect([first.unreferenced.length, unreferenced.length]).toEqual([0, 2]);
  });
});

// The suite needs a company without other projects. The whole contract passes on new tables, in `../stack`.
const other = await RunningSegue.on(restored, 'suite');
afterAll(() => other.stop());
contractOfStores({ ...other.gateway, name: 'a restored stack', writesTranslations: true, assignsMembers: true });
