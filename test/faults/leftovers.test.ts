import { afterAll, expect, it } from 'vitest';
import { CANARY, FIELDS } from './canary.ts';
import { SqliteWorld } from './sqlite-world.ts';

const world = new SqliteWorld();
afterAll(() => world.close());

/** Every row of the store, as text. */
function rows(): string[] {
  const tables = ['items', 'payloads', 'dropped'].flatMap((table) =>
    world.database.prepare(`SELECT * FROM ${table}`).all(),
  );
  return tables.map((row) =>
    Object.values(row)
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
      .join(' '),
  );
}

it('a deleted project leaves ids, times and hashes, and a receipt for who had a key', async () => {
  const companyId = world.newCompany();
  const service = world.service();
  const { id } = await service.create(world.project(FIELDS), world.call(companyId, 'create'));
  expect(rows().join()).toContain(CANARY);
  await service.delete({ id }, { kind: 'task', taskId: 't' }, world.call(companyId));
  await service.delete({ id }, { kind: 'project' }, world.call(companyId));
  await world.sweep();
  expect(rows()).not.toEqual([]);
  expect(rows().filter((row) => row.includes(CANARY))).toEqual([]);
});

it('a receipt kept for a key has the names that its caller gave, and no others', async () => {
  const companyId = world.newCompany();
  const service = world.service();
  const { id } = await service.create(world.project(FIELDS), world.call(companyId, 'create'));
  await service.delete({ id }, { kind: 'project' }, world.call(companyId, 'delete'));
  await world.sweep();
  const left = rows().join().replaceAll(`"customId":"${CANARY} custom id"`, '');
  expect(left).not.toContain(CANARY);
});
