import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { segment, segments } from '../../support/projects.ts';
import { openSqlite } from '../storage/folder.ts';
import { callContext, checked, heldNow } from '../support.ts';
import { hosted, projectIn } from './fixture.ts';

const call = callContext();
const WHOLE = { kind: 'project' } as const;

/** The values of works at the same time, or the names of their problems. */
async function outcomes<T>(works: readonly Promise<T>[]): Promise<(T | string)[]> {
  const settled = await Promise.allSettled(works);
  return settled.map((result) => {
    if (result.status === 'fulfilled') return result.value;
    if (result.reason instanceof Problem) return result.reason.name;
    throw result.reason;
  });
}

/** Several processes on one store. */
function services(count: number, storage: Storage): ProjectService[] {
  let seed = 0;
  return Array.from({ length: count }, () => hosted({ storage, random: () => (seed++ % 97) / 97 }));
}

describe('requests at the same time', () => {
  it('delete many tasks of one project', async () => {
    const service = hosted();
    const patient = () => callContext('acme', () => 20_000);
    const names = Array.from({ length: 30 }, (_, index) => `t${index}`);
    const { id } = await service.create(checked({ segments: names.map((taskId) => segment({ taskId })) }), patient());
    const deletions = names.map((taskId) => service.delete({ id }, { kind: 'task', taskId }, patient()));
    expect((await Promise.all(deletions)).map(({ removed }) => removed.segments)).toEqual(names.map(() => 1));
    expect((await service.get({ id }, undefined, callContext())).segments).toBe(0);
  });

  it('delete each task once, and bring none back', async () => {
    const many = services(5, openSqlite(heldNow));
    const [service = hosted()] = many;
    const parts = ['a', 'b', 'c', 'd', 'kept'].flatMap((taskId) => segments(3, { taskId }));
    const { id } = await service.create(checked({ segments: parts }), call);
    const tasks = ['a', 'b', 'c', 'd', 'a'];
    const done = await outcomes(
      many.map((one, n) => one.delete({ id }, { kind: 'task', taskId: tasks[n] ?? '' }, call)),
    );
    expect(done.filter((result) => result === 'task-not-found')).toHaveLength(1);
    const left = await projectIn(await service.get({ id }, undefined, call));
    expect(left.segments.map(({ taskId }) => taskId)).toEqual(['kept', 'kept', 'kept']);
  });

  it('leave no custom id without its project, and no project without its custom id', async () => {
    const storage = openSqlite(heldNow);
    const many = services(6, storage);
    for (let round = 0; round < 10; round++) {
      await outcomes<unknown>(
        many.flatMap((service, n) => [
          service.create(checked({ customId: `${n % 2}` }), call),
          service.delete({ customId: `${n % 2}` }, WHOLE, call),
          service.get({ customId: `${n % 2}` }, undefined, call),
        ]),
      );
      const { items } = await storage.list('company/acme', { prefix: '', limit: 99, maxBytes: 1_000_000 });
      const ids = items.flatMap(({ sort }) => (sort.startsWith('project/') ? [Number(sort.slice(8))] : []));
      const named = items.flatMap(({ sort, data }) => (sort.startsWith('custom-id/') ? [data] : []));
      expect(named).toEqual(expect.arrayContaining(ids.map((projectId) => ({ projectId }))));
      expect(named).toHaveLength(ids.length);
    }
  });

  it('read a project whole or not at all', async () => {
    const [writer = hosted(), reader = hosted()] = services(2, openSqlite(heldNow));
    const { id } = await writer.create(checked({ segments: [...segments(9, { taskId: 'a' }), ...segments(9)] }), call);
    const reads = () => Array.from({ length: 5 }, async () => (await reader.get({ id }, undefined, call)).segments);
    const results = await outcomes<number | null>([
      ...reads(),
      writer.delete({ id }, { kind: 'task', taskId: 'a' }, call).then(() => 9),
      ...reads(),
      writer.delete({ id }, WHOLE, call).then(() => 9),
      ...reads(),
    ]);
    for (const result of results) expect([18, 9, 'project-not-found']).toContain(result);
  });
});
