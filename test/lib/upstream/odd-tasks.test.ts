import { beforeEach, describe, expect, it } from 'vitest';
import { asObjects, type Json, type JsonObject, segment } from '../../support/projects.ts';
import { contentOf } from '../../support/world.ts';
import { problemOf } from '../support.ts';
import { HostedUpstream, straight, swallowed } from './world.ts';

const upstreamInvalid = { name: 'upstream-invalid' };
const WHOLE = { kind: 'project' } as const;

let upstream: HostedUpstream;
let id: number;
beforeEach(async () => {
  upstream = new HostedUpstream();
  const { world } = upstream;
  const segments = [segment({ content: '1' }), segment({ content: '2', taskId: 'other' })];
  ({ id } = await upstream.segue().create(world.checked({ taskId: 'own', segments }), world.call()));
  // From now on, a read can prove that the project is gone.
  world.settle();
});

type Change = (project: JsonObject) => JsonObject;

/** Changes how the service shows its projects from now on. */
function show(change: Change): void {
  upstream.shown = change;
}
/** Changes how the service shows its projects after a deletion was sent. */
function showAfterDeletion(change: Change): void {
  upstream.next('remove', async (reach) => {
    const answer = await reach();
    show(change);
    return answer;
  });
}
const asItIs: Change = (project) => project;
const withSegments =
  (segments: Json): Change =>
  (project) => ({ ...project, segments });
/** Returns a change that shows the segments with another task. */
const withTasks =
  (taskOf: (taskId: Json | undefined) => Json): Change =>
  (project) => ({
    ...project,
    segments: asObjects(project['segments']).map((entry) => ({ ...entry, taskId: taskOf(entry['taskId']) })),
  });
const withoutSegments: Change = ({ segments: _, ...rest }) => rest;

const get = async (taskId?: string) => contentOf(await upstream.segue().get({ id }, taskId, upstream.world.call()));
const remove = (taskId: string, key = 'k') =>
  upstream.segue().delete({ id }, { kind: 'task', taskId }, upstream.world.once(key));
const reconcile = () => upstream.segue().reconcile(() => true);

/** Returns the tasks of the segments that the service has. */
async function tasksLeft() {
  const [head] = await upstream.heads();
  const project = await contentOf(await upstream.service.get({ id: head?.id ?? 0 }, undefined, upstream.account()));
  return asObjects(project['segments']).map(({ taskId }) => taskId);
}

describe('a task that the service hides', () => {
  const hiding: readonly (readonly [what: string, change: Change])[] = [
    ['absent segments', withoutSegments],
    ['null for the segments', withSegments(null)],
    ['an object for the segments', withSegments({ 0: { taskId: 'other' } })],
    ['segments that are no objects', withSegments(['other', 5, null, ['other']])],
    ['a number for the task of a segment', withTasks(() => 5)],
  ];

  it.each(hiding)('is neither absent nor deleted: %s', async (_, change) => {
    show(change);
    await expect(get('other')).rejects.toMatchObject(upstreamInvalid);
    await expect(remove('other')).rejects.toMatchObject(upstreamInvalid);
    expect(upstream.asked).not.toContain('remove');
    // The project itself can still be read.
    expect(await get()).toMatchObject({ taskId: 'own' });
  });

  it.each(hiding)('is not reported as deleted: %s', async (_, change) => {
    showAfterDeletion(change);
    expect(await remove('other')).toMatchObject({ outcome: 'pending', deletedAtUtc: null });
    await reconcile();
    expect(await upstream.state()).toEqual({ kind: 'running' });
    show(asItIs);
    await reconcile();
    expect(await upstream.state()).toMatchObject({ kind: 'done', result: { outcome: 'deleted' } });
    expect(await tasksLeft()).toEqual([undefined]);
  });

  it('ends its deletion as unknown after the settle time, and frees the key', async () => {
    showAfterDeletion(withoutSegments);
    expect(await remove('other')).toMatchObject({ outcome: 'pending' });
    upstream.world.settle();
    expect(await reconcile()).toMatchObject({ settled: 1, left: 0 });
    expect(await upstream.state()).toMatchObject({ kind: 'failed', problem: upstreamInvalid });
    show(asItIs);
    expect((await problemOf(remove('other'))).name).toBe('task-not-found');
  });

  it.each(hiding.slice(0, 2))('is deleted if it had all the shown segments: %s', async (_, change) => {
    await remove('own', 'own');
    showAfterDeletion(change);
    expect(await remove('other')).toMatchObject({ outcome: 'deleted', removed: { segments: 1 } });
    expect(upstream.asked.filter((kind) => kind === 'remove')).toHaveLength(2);
  });
});

describe('the project’s own task', () => {
  it('is shown without segments, and their count is null', async () => {
    show(withoutSegments);
    const shown = await get('own');
    expect(shown).toMatchObject({ taskId: 'own' });
    expect(shown).not.toHaveProperty('segments');
    const removed = { targetLanguages: 0, segments: null, tasks: 1 };
    expect(await remove('own')).toMatchObject({ outcome: 'pending', removed });
  });

  it.each([null, '', ' '])('has the segments with the task %o', async (none) => {
    show(withTasks((taskId) => taskId ?? none));
    expect(asObjects((await get('own'))['segments'])).toMatchObject([{ content: '1' }]);
    expect(await remove('own')).toMatchObject({ outcome: 'deleted', removed: { segments: 1 } });
    expect(await tasksLeft()).toEqual(['other']);
  });

  it.each(['', null])('does not exist if the service shows %o', async (taskId) => {
    show((project) => ({ ...project, taskId }));
    expect((await problemOf(get('own'))).name).toBe('task-not-found');
    expect(await remove('other')).toMatchObject({ outcome: 'deleted' });
  });

  it.each([5, ['own']])('is unknown if the service shows %o', async (taskId) => {
    show((project) => ({ ...project, taskId }));
    for (const task of ['5', 'own']) {
      await expect(get(task)).rejects.toMatchObject(upstreamInvalid);
      await expect(remove(task, task)).rejects.toMatchObject(upstreamInvalid);
    }
    expect(asObjects((await get('other'))['segments'])).toMatchObject([{ taskId: 'other' }]);
    expect(await tasksLeft()).toEqual([undefined, 'other']);
    expect(await remove('other')).toMatchObject({ outcome: 'pending' });
  });

  it('is not reported as deleted if it cannot be read after a lost response', async () => {
    upstream.way = ({ method }, reach) => {
      if (method !== 'DELETE') return reach();
      show((project) => ({ ...project, taskId: 5 }));
      return swallowed(reach);
    };
    expect((await problemOf(remove('own'))).name).toBe('outcome-unknown');
    upstream.way = straight;
    expect(await tasksLeft()).toEqual([undefined, 'other']);
  });
});

it('a task without segments is not found', async () => {
  for (const change of [withSegments([]), withTasks((taskId) => taskId ?? null)]) {
    show(change);
    expect((await problemOf(get('none'))).name).toBe('task-not-found');
    expect((await problemOf(remove('none'))).name).toBe('task-not-found');
  }
});

it.each<[what: string, change: Change, removed: object]>([
  ['everything', asItIs, { targetLanguages: 1, segments: 2, tasks: 2 }],
  ['no segments', withoutSegments, { targetLanguages: 1, segments: null, tasks: null }],
  ['odd tasks', withTasks(() => 5), { targetLanguages: 1, segments: 2, tasks: null }],
  ['an odd own task', (project) => ({ ...project, taskId: 5 }), { targetLanguages: 1, segments: 2, tasks: null }],
  ['no languages', ({ targetLanguages: _, ...rest }) => rest, { targetLanguages: null, segments: 2, tasks: 2 }],
])('the receipt counts what the service shows: %s', async (_, change, removed) => {
  show(change);
  expect(await upstream.segue().delete({ id }, WHOLE, upstream.world.call())).toMatchObject({ removed });
});
