import { expect, it, onTestFinished } from 'vitest';
import { SqliteWorld } from './sqlite-world.ts';
import { endingOf } from './world.ts';

it('refuses changes while the store can only be read, serves reads, and makes the changes afterwards', async () => {
  const world = new SqliteWorld();
  onTestFinished(() => world.close());
  const [companyId, service] = [world.newCompany(), world.service()];
  const { id } = await service.create(world.project(), world.call(companyId));
  const create = () => endingOf(() => service.create(world.project(), world.call(companyId, 'a')));
  const remove = () => endingOf(() => service.delete({ id }, { kind: 'project' }, world.call(companyId, 'b')));
  const refused = { is: 'refused', problem: { name: 'unavailable' } };

  world.database.exec('PRAGMA query_only = ON');
  expect([await create(), await remove()]).toMatchObject([refused, refused]);
  expect((await service.list({ limit: 9 }, world.call(companyId))).projects).toMatchObject([{ id }]);

  world.database.exec('PRAGMA query_only = OFF');
  expect([await create(), await remove()]).toMatchObject([{ is: 'done' }, { is: 'done' }]);
  expect((await service.list({ limit: 9 }, world.call(companyId))).projects).toHaveLength(1);
});
