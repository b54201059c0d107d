import { describe, expect, it } from 'vitest';
import { hostedService } from '../../../lib/hosted/service.ts';
import { contextOf } from '../../lib/http/fixture.ts';
import { openSqlite } from '../../lib/storage/folder.ts';
import { callOf, NOW_MS, project } from '../../lib/support.ts';
import { BUCKET } from './definitions.ts';
import { tasksOn } from './tasks.ts';

/** The tasks on an empty store, and what the company has in it. */
function world() {
  let nowMs = NOW_MS;
  const now = () => nowMs;
  const service = hostedService({ storage: openSqlite(now), now, random: () => 0.5 });
  const tasks = tasksOn(service, { now });
  const create = (execution: object | undefined, fields = {}) =>
    tasks.createProject({ companyId: 'acme', ...(execution && { execution }), project: project(fields) }, contextOf());
  const remove = (execution: object, projectId: number) =>
    tasks.deleteProject({ companyId: 'acme', execution, scope: 'project', projectId }, contextOf());
  const ids = async () => (await service.list({ limit: 99 }, callOf())).projects.map(({ id }) => id);
  const createFrom = (execution: object, key: string) =>
    tasks.createProject({ companyId: 'acme', execution, projectFrom: { bucket: BUCKET, key } }, contextOf());
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { create, createFrom, remove, ids, put: tasks.put, pass };
}

const HOUR_MS = 3_600_000;
const here = { id: 'arn:aws:states:eu-central-1:123456789012:execution:m:1', state: 'Create' };

describe('a task that is run again at the same place of an execution', () => {
  it('gives the project that it made, with the start date of another attempt', async () => {
    const { create, ids, pass } = world();
    const first = await create(here, { startDateUtc: null });
    pass(HOUR_MS);
    expect(await create(here, { startDateUtc: null })).toEqual(first);
    expect(await ids()).toHaveLength(1);
  });

  it('gives the project that it made of an object, an hour later too', async () => {
    const { createFrom, ids, put, pass } = world();
    const { startDateUtc: _, ...undated } = project();
    put('a.json', JSON.stringify(undated));
    const first = await createFrom(here, 'a.json');
    pass(HOUR_MS);
    expect(await createFrom(here, 'a.json')).toEqual(first);
    put('a.json', JSON.stringify({ ...undated, name: 'Another' }));
    await expect(createFrom(here, 'a.json')).rejects.toMatchObject({ name: 'Segue.Terminal.idempotency-key-reused' });
    expect(await ids()).toHaveLength(1);
  });

  it.each([
    ['another execution', { ...here, id: `${here.id}2` }],
    ['another state', { ...here, state: 'CreateAgain' }],
    ['another entry of a map', { ...here, index: 1 }],
    ['no execution', undefined],
  ])('is another task in %s', async (_, there) => {
    const { create, ids } = world();
    await create(here);
    await create(there);
    expect(await ids()).toHaveLength(2);
  });

  it('fails by name with another project', async () => {
    const { create } = world();
    await create(here);
    await expect(create(here, { name: 'Another' })).rejects.toMatchObject({
      name: 'Segue.Terminal.idempotency-key-reused',
    });
  });

  it('never makes a project again that was deleted', async () => {
    const { create, remove, ids } = world();
    await create(here);
    const [id = 0] = await ids();
    const receipt = await remove({ ...here, state: 'Delete' }, id);
    expect(await remove({ ...here, state: 'Delete' }, id)).toEqual(receipt);
    await expect(create(here)).rejects.toMatchObject({ name: 'Segue.Terminal.project-deleted' });
    expect(await ids()).toEqual([]);
  });
});
