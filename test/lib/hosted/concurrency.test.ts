import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { segment, segments } from '../../support/projects.ts';
import { openSqlite } from '../storage/folder.ts';
import { callOf, checked, expectProblem, heldNow } from '../support.ts';
import { hosted, projectIn } from './fixture.ts';

const call = callOf();
const whole = { kind: 'project' } as const;

/** What became of each of several works at the same time: a value, or the name of its problem. */
async function outcomes<T>(works: readonly Promise<T>[]): Promise<(T | string)[]> {
  const settled = await Promise.allSettled(works);
  return settled.map((result) => {
    if (result.status === 'fulfilled') return result.value;
    if (result.reason instanceof Problem) return result.reason.name;
    throw result.reason;
  });
}

/** Several services of their own on one store, as several functions have them. */
function services(count: number, storage: Storage): ProjectService[] {
  let seed = 0;
  return Array.from({ length: count }, () => hosted({ storage, random: () => (seed++ % 97) / 97 }));
}

describe('at the same time', () => {
  it('one of many creates gets a custom id', async () => {
    const many = services(8, openSqlite(heldNow));
    const made = await outcomes(many.map((service) => service.create(checked({ customId: 'x' }), call)));
    expect(made.filter((result) => result === 'custom-id-in-use')).toHaveLength(7);
    expect((await many[0]?.list({ limit: 99 }, call))?.projects).toHaveLength(1);
  });

  it('many deletes of tasks of one project all come through', async () => {
    const service = hosted();
    const names = Array.from({ length: 60 }, (_, index) => `t${index}`);
    const segments = names.map((taskId) => segment({ taskId }));
    const { id } = await service.create(
      checked({ segments }),
      callOf('acme', () => 20_000),
    );
    const deletions = names.map((taskId) =>
      service.delete(
        { id },
        { kind: 'task', taskId },
        callOf('acme', () => 20_000),
      ),
    );
    expect((await Promise.all(deletions)).map(({ removed }) => removed.segments)).toEqual(names.map(() => 1));
    expect((await service.get({ id }, undefined, callOf())).segments).toBe(0);
  });

  it('one of many deletes gives the receipt', async () => {
    const many = services(8, openSqlite(heldNow));
    const [service] = many;
    const { id } = (await service?.create(checked({ customId: 'x' }), call)) ?? { id: 0 };
    const done = await outcomes(many.map((one, n) => one.delete(n % 2 ? { id } : { customId: 'x' }, whole, call)));
    expect(done.filter((result) => result === 'project-not-found')).toHaveLength(7);
  });

  it('each of many tasks is deleted once, and none comes back', async () => {
    const many = services(5, openSqlite(heldNow));
    const [service = hosted()] = many;
    const parts = ['a', 'b', 'c', 'd', 'kept'].flatMap((taskId) => segments(3, { taskId }));
    const { id } = await service.create(checked({ segments: parts }), call);
    const tasks = ['a', 'b', 'c', 'd', 'a'];
    const done = await outcomes(
      many.map((one, n) => one.delete({ id }, { kind: 'task', taskId: tasks[n] ?? '' }, call)),
    );
    expect(done.filter((result) => result === 'task-not-found')).toHaveLength(1);
    expect((await projectIn(await service.get({ id }, undefined, call))).segments.map(({ taskId }) => taskId)).toEqual(
      Array.from({ length: 3 }, () => 'kept'),
    );
    expect((await service.delete({ id }, whole, call)).removed).toMatchObject({ segments: 3, tasks: 1 });
  });

  it('creates and deletes leave no custom id without its project, and no project without its custom id', async () => {
    const storage = openSqlite(heldNow);
    const many = services(6, storage);
    for (let round = 0; round < 10; round++) {
      await outcomes(
        many.flatMap((service, n) => [
          service.create(checked({ customId: `${n % 2}` }), call).then(() => 'created'),
          service.delete({ customId: `${n % 2}` }, whole, call).then(() => 'deleted'),
          service.get({ customId: `${n % 2}` }, undefined, call).then(() => 'read'),
        ]),
      );
      const { items } = await storage.list('company/acme', { prefix: '', limit: 99, maxBytes: 1_000_000 });
      const ids = items.flatMap(({ sort }) => (sort.startsWith('project/') ? [Number(sort.slice(8))] : []));
      const named = items.flatMap(({ sort, data }) => (sort.startsWith('custom-id/') ? [data] : []));
      expect(named).toEqual(expect.arrayContaining(ids.map((projectId) => ({ projectId }))));
      expect(named).toHaveLength(ids.length);
    }
  });

  it('a reader sees a project whole or not at all', async () => {
    const storage = openSqlite(heldNow);
    const [writer = hosted(), reader = hosted()] = services(2, storage);
    const { id } = await writer.create(checked({ segments: [...segments(9, { taskId: 'a' }), ...segments(9)] }), call);
    const results = await outcomes<string | number | null>([
      ...Array.from({ length: 5 }, () => reader.get({ id }, undefined, call).then(({ segments: count }) => count)),
      writer.delete({ id }, { kind: 'task', taskId: 'a' }, call).then(() => 'deleted'),
      ...Array.from({ length: 5 }, () => reader.get({ id }, undefined, call).then(({ segments: count }) => count)),
      writer.delete({ id }, whole, call).then(() => 'deleted'),
      ...Array.from({ length: 5 }, () => reader.get({ id }, undefined, call).then(({ segments: count }) => count)),
    ]);
    for (const result of results) expect([18, 9, 'deleted', 'project-not-found']).toContain(result);
  });
});

describe('a service that is always too late', () => {
  /** A store on which every conditional change loses. */
  const lost = (storage: Storage): Storage => ({
    read: (key) => storage.read(key),
    list: (partition, range) => storage.list(partition, range),
    readWithPayload: (key) => storage.readWithPayload(key),
    commit: async () => ({ ok: false, refused: 0 }),
  });

  it('gives up when its time is over, with nothing done', async () => {
    const storage = openSqlite(heldNow);
    const { id } = await hosted({ storage }).create(checked(), call);
    let left = 5;
    const hurried = callOf('acme', () => left--);
    await expectProblem('unavailable', () => hosted({ storage: lost(storage) }).delete({ id }, whole, hurried));
    await expectProblem('unavailable', () =>
      hosted({ storage }).create(
        checked(),
        callOf('acme', () => 0),
      ),
    );
    expect((await hosted({ storage }).list({ limit: 9 }, call)).projects).toHaveLength(1);
  });
});

describe('a store that fails', () => {
  it('is the problem unavailable, for every command', async () => {
    const storage = openSqlite(heldNow);
    const service = hosted({ storage });
    storage.close();
    await expectProblem('unavailable', () => service.create(checked(), call));
    await expectProblem('unavailable', () => service.validate(checked({ customId: 'x' }), call));
    await expectProblem('unavailable', () => service.get({ id: 1 }, undefined, call));
    await expectProblem('unavailable', () => service.list({ limit: 1 }, call));
    await expectProblem('unavailable', () => service.delete({ customId: 'x' }, whole, call));
  });
});
