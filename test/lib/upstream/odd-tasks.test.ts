import { beforeEach, describe, expect, it } from 'vitest';
import { asObject, asObjects, type Json, type JsonObject, segment } from '../../support/projects.ts';
import { OddWorld } from './odd-world.ts';
import { silence } from './played-account.ts';

let world: OddWorld;
beforeEach(async () => {
  world = new OddWorld();
  const segments = [segment({ content: '1' }), segment({ content: '2', taskId: 'other' })];
  expect((await world.create(world.project({ taskId: 'own', segments }), 'key')).status).toBe(201);
  // From now on an absence is believed at once.
  world.world.settle();
});

/** Changes what the service shows of its projects from now on. */
function show(change: (project: JsonObject) => JsonObject): void {
  world.account.shown = (value) => change(asObject(JSON.parse(JSON.stringify(value))));
}

const withSegments = (segments: Json) => (project: JsonObject) => ({ ...project, segments });
/** Shows the segments with another task. */
const withTasks = (taskOf: (taskId: Json | undefined) => Json) => (project: JsonObject) => ({
  ...project,
  segments: asObjects(project['segments']).map((entry) => ({ ...entry, taskId: taskOf(entry['taskId']) })),
});
const withoutSegments = ({ segments: _, ...rest }: JsonObject): JsonObject => rest;

const get = (taskId: string) => world.ask('getProject', { segment: '1000', query: { taskId: [taskId] } });
const remove = (taskId: string, key = 'delete') =>
  world.ask('deleteProject', {
    segment: '1000',
    query: { taskId: [taskId] },
    headers: { 'Idempotency-Key': key, Prefer: 'return=representation' },
  });

/** The tasks of the segments that the service has. */
const tasksLeft = () => world.account.projects.get(1_000)?.segments.map(({ taskId }) => taskId);

describe('a task that the service hides', () => {
  const hiding: readonly (readonly [what: string, change: (project: JsonObject) => JsonObject])[] = [
    ['absent segments', withoutSegments],
    ['null for the segments', withSegments(null)],
    ['an object for the segments', withSegments({ 0: { taskId: 'other' } })],
    ['segments that are no objects', withSegments(['other', 5, null])],
    ['a number for the task of a segment', withTasks(() => 5)],
  ];

  it.each(hiding)('is neither absent nor deleted: %s', async (_, change) => {
    show(change);
    const answers = [await get('other'), await remove('other')];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 502, json: { type: expect.stringMatching(/upstream-invalid$/) } });
    }
    expect(world.account.asked.filter((line) => line.startsWith('DELETE'))).toEqual([]);
    expect(tasksLeft()).toEqual([undefined, 'other']);
    // The project itself can be read all the same.
    expect((await world.ask('getProject', { segment: '1000' })).status).toBe(200);
  });

  it.each(hiding)('is not reported as deleted: %s', async (_, change) => {
    world.account.after = ({ method }) => {
      if (method === 'DELETE') show(change);
    };
    expect(await remove('other')).toMatchObject({ status: 202, json: { outcome: 'pending', deletedAtUtc: null } });
    await world.reconcile();
    expect((await world.operation('delete')).json).toMatchObject({ status: 'running' });
    show((project) => project);
    await world.reconcile();
    expect((await world.operation('delete')).json).toMatchObject({ status: 'done', receipt: { outcome: 'deleted' } });
    expect(tasksLeft()).toEqual([undefined]);
  });

  it.each(hiding.slice(0, 2))('is deleted if it had all the shown segments: %s', async (_, change) => {
    expect((await remove('own', 'own')).status).toBe(200);
    world.account.after = ({ method }) => {
      if (method === 'DELETE') show(change);
    };
    expect(await remove('other')).toMatchObject({
      status: 200,
      json: { outcome: 'deleted', removed: { segments: 1 } },
    });
    expect((await world.ask('getProject', { segment: '1000' })).status).toBe(200);
  });
});

describe('the project’s own task', () => {
  it('is shown without segments, and their count is null', async () => {
    show(withoutSegments);
    const { status, json } = await get('own');
    expect([status, asObject(json)['taskId']]).toEqual([200, 'own']);
    expect(json).not.toHaveProperty('segments');
    const removed = { targetLanguages: 0, segments: null, tasks: 1 };
    expect(await remove('own')).toMatchObject({ status: 202, json: { outcome: 'pending', removed } });
  });

  it.each([null, '', ' '])('has the segments with the task %o', async (none) => {
    show(withTasks((taskId) => taskId ?? none));
    const { segments } = asObject((await get('own')).json);
    expect(asObjects(segments)).toMatchObject([{ content: '1' }]);
    expect(await remove('own')).toMatchObject({ status: 200, json: { outcome: 'deleted', removed: { segments: 1 } } });
    expect(tasksLeft()).toEqual(['other']);
  });

  it.each(['', null])('does not exist if the service shows %o', async (taskId) => {
    show((project) => ({ ...project, taskId }));
    expect((await get('own')).status).toBe(404);
    expect((await get('other')).status).toBe(200);
    expect(await remove('other')).toMatchObject({ status: 200, json: { outcome: 'deleted' } });
  });

  it.each([5, {}, ['own']])('is unknown if the service shows %o', async (taskId) => {
    show((project) => ({ ...project, taskId }));
    for (const answer of [await get('5'), await remove('5', '5'), await get('own'), await remove('own', 'own')]) {
      expect(answer).toMatchObject({ status: 502, json: { type: expect.stringMatching(/upstream-invalid$/) } });
    }
    expect(asObjects(asObject((await get('other')).json)['segments'])).toMatchObject([{ taskId: 'other' }]);
    expect(tasksLeft()).toEqual([undefined, 'other']);
    expect(await remove('other')).toMatchObject({ status: 202, json: { outcome: 'pending' } });
  });

  it.each([5, {}, ['own']])(
    'is not reported as deleted if it cannot be read after a lost response: %o',
    async (taskId) => {
      world.account.before = ({ method }) => {
        if (method !== 'DELETE') return;
        show((project) => ({ ...project, taskId }));
        silence();
      };
      expect((await remove('own')).status).toBe(504);
      expect(tasksLeft()).toEqual([undefined, 'other']);
    },
  );
});

it('a task without segments is not found', async () => {
  for (const change of [withSegments([]), withTasks((taskId) => taskId ?? null)]) {
    show(change);
    expect(await get('none')).toMatchObject({ status: 404, json: { type: expect.stringMatching(/task-not-found$/) } });
    expect((await remove('none')).status).toBe(404);
  }
});

it.each<[what: string, change: (project: JsonObject) => JsonObject, removed: object]>([
  ['everything', (project) => project, { targetLanguages: 1, segments: 2, tasks: 2 }],
  ['no segments', withoutSegments, { targetLanguages: 1, segments: null, tasks: null }],
  ['odd tasks', withTasks(() => 5), { targetLanguages: 1, segments: 2, tasks: null }],
  ['an odd own task', (project) => ({ ...project, taskId: 5 }), { targetLanguages: 1, segments: 2, tasks: null }],
  ['no languages', ({ targetLanguages: _, ...rest }) => rest, { targetLanguages: null, segments: 2, tasks: 2 }],
])('the receipt counts what the service shows: %s', async (_, change, removed) => {
  show(change);
  const prefer = { Prefer: 'return=representation' };
  const { status, json } = await world.ask('deleteProject', { segment: '1000', headers: prefer });
  expect([status, asObject(json)['removed']]).toEqual([200, removed]);
});
