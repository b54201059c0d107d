import { describe, expect, it } from 'vitest';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import { type DeletionScope, operationIdOf } from '../../../lib/service/port.ts';
import { segment } from '../../support/projects.ts';
import { ABSENT, another, brokenOff, found, gone, notTheService, project, taskless, UNCERTAIN } from './responses.ts';
import { breakOff, empty, inTurn, json, type Play, problem } from './server.ts';
import { checked, DAY_MS, kept, NOTHING_OPEN, owning, type Played, type Plays, problemOf } from './world.ts';

const PROJECT: DeletionScope = { kind: 'project' };
const TASK: DeletionScope = { kind: 'task', taskId: 't' };
const remove = ({ world, service }: Played) => service.delete({ id: 1_000 }, PROJECT, world.once('k'));
const removeTask = ({ world, service }: Played) => service.delete({ id: 1_000 }, TASK, world.once('k'));
const stateOf = ({ world, service }: Played) => service.operation(operationIdOf('k'), world.call());
const reconcile = ({ service }: Played) => service.reconcile(() => true);
const sentCount = ({ asked }: Played) => asked().filter((kind) => kind === 'remove').length;

const lost = empty(502);
/** The read before the deletion shows the project; later reads show this. */
const then = (...after: readonly Play[]) => inTurn(found, ...after);

/** Segue in front of a service whose project changes when the test says so. */
async function changing(plays: Plays) {
  let now = found;
  const owned = await owning(project, { read: (request, response) => now(request, response), ...plays });
  const show = (play: Play) => {
    now = play;
  };
  return { ...owned, show };
}

it.each<[string, Play, ProblemType]>([
  ['401', empty(401), 'upstream-unavailable'],
  ['429', empty(429, { 'retry-after': '9' }), 'upstream-unavailable'],
  ['400', empty(400), 'upstream-refused'],
  ['404 of a proxy', notTheService, 'upstream-refused'],
])('a refused deletion ends, and the project stays: %s', async (_, play, type) => {
  const owned = await owning(project, { read: found, remove: play });
  expect((await problemOf(remove(owned))).name).toBe(type);
  // By then, the service takes requests again.
  owned.world.settle();
  expect((await owned.service.get({ id: 1_000 }, undefined, owned.world.call())).id).toBe(1_000);
  expect(await reconcile(owned)).toEqual(NOTHING_OPEN);
});

describe('a deletion with an uncertain response', () => {
  const rows = [...UNCERTAIN, ['404 that breaks off', breakOff(404)] as const];
  it.each(rows)('is sent three times while the project is there, and stays open for a day: %s', async (_, play) => {
    const owned = await owning(project, { read: found, remove: play });
    expect((await problemOf(remove(owned))).name).toBe('outcome-unknown');
    expect(sentCount(owned)).toBe(3);
    owned.world.nowMs += DAY_MS - 400_000;
    expect(await reconcile(owned)).toMatchObject({ settled: 0, left: 1 });
    expect(await stateOf(owned)).toEqual({ kind: 'running' });
    owned.world.nowMs += 1_000_000;
    expect(await reconcile(owned)).toMatchObject({ settled: 1, left: 0 });
    expect(await stateOf(owned)).toMatchObject({ kind: 'failed', problem: { name: 'upstream-unavailable' } });
  });

  it.each(rows)('is done if the project is gone: %s', async (_, play) => {
    const owned = await owning(project, { read: then(gone), remove: play });
    expect(await remove(owned)).toMatchObject({ outcome: 'deleted' });
    expect(owned.asked()).toEqual(['read', 'remove', 'read']);
  });

  it('is never sent again if another project has its id', async () => {
    const owned = await owning(project, { read: then(another), remove: lost });
    expect((await problemOf(remove(owned))).name).toBe('outcome-unknown');
    expect((await problemOf(remove(owned))).name).toBe('outcome-unknown');
    const withoutKey = owned.service.delete({ id: 1_000 }, PROJECT, owned.world.call());
    expect((await problemOf(withoutKey)).name).toBe('upstream-invalid');
    owned.world.nowMs += DAY_MS;
    await reconcile(owned);
    expect(await stateOf(owned)).toMatchObject({ kind: 'failed', problem: { name: 'outcome-unknown' } });
    expect(sentCount(owned)).toBe(1);
  });

  it('is done if the next attempt gets a 404', async () => {
    const owned = await owning(project, { read: then(found, gone), remove: inTurn(lost, gone) });
    expect(await remove(owned)).toMatchObject({ outcome: 'deleted' });
  });

  it.each([
    ['401', empty(401)],
    ['400', empty(400)],
    ['503', empty(503)],
    ['404 project-not-found', problem(404, 'project-not-found')],
  ])('stays open if the next attempt is refused: %s', async (_, refusal) => {
    const owned = await owning(project, { read: found, remove: inTurn(lost, refusal) });
    expect((await problemOf(remove(owned))).name).toBe('outcome-unknown');
    expect(await stateOf(owned)).toEqual({ kind: 'running' });
  });
});

describe('a confirmed deletion', () => {
  it.each<[string, typeof remove, Play, Play]>([
    ['the project is there', remove, empty(204), found],
    ['the project is there after 202', remove, empty(202), found],
    ['the task is there', removeTask, empty(204), found],
    ['the service fails', remove, empty(204), empty(500)],
    ['the service rejects the credentials', remove, empty(204), empty(401)],
    ['a proxy answers', remove, empty(204), notTheService],
    ['the response breaks off', remove, empty(204), breakOff(404)],
    ['the whole project of the task is gone', removeTask, empty(204), gone],
  ])('is pending while %s', async (_, work, answer, after) => {
    const owned = await owning(project, { read: then(after), remove: answer });
    const pending = { outcome: 'pending', deletedAtUtc: null, operationId: operationIdOf('k') };
    expect(await work(owned)).toMatchObject(pending);
    expect(await stateOf(owned)).toEqual({ kind: 'running' });
    expect(sentCount(owned)).toBe(1);
  });

  it('is done when the project is gone a moment later', async () => {
    const owned = await owning(project, { read: then(found, found, gone), remove: empty(202) });
    expect(await remove(owned)).toMatchObject({ outcome: 'deleted', deletedAtUtc: expect.any(String) });
  });

  it.each([{ archived: true }, { isArchived: true }, { status: 'Archived' }, { state: 'archived' }])(
    'may only archive the project: %j',
    async (fields) => {
      const archived = json(200, { ...kept(project), ...fields });
      const owned = await owning(project, { read: then(archived), remove: empty(204) });
      expect(await remove(owned)).toMatchObject({ outcome: 'archived', deletedAtUtc: null });
      expect((await owned.service.get({ customId: 'a' }, undefined, owned.world.call())).id).toBe(1_000);
    },
  );
});

describe('a pending deletion', () => {
  it('is done when the project is gone', async () => {
    const owned = await changing({ remove: empty(202) });
    expect(await remove(owned)).toMatchObject({ outcome: 'pending' });
    owned.show(gone);
    expect(await reconcile(owned)).toEqual({ ...NOTHING_OPEN, settled: 1 });
    expect(await stateOf(owned)).toMatchObject({ kind: 'done', result: { outcome: 'deleted', scope: 'project' } });
    const { occurrence } = await problemOf(owned.service.get({ customId: 'a' }, undefined, owned.world.call()));
    expect(occurrence.deletedAtUtc).toEqual(expect.any(String));
  });

  it.each([
    ['202', empty(202)],
    ['204', empty(204)],
    ['404', gone],
    ['409', empty(409)],
    ['503', empty(503)],
    ['no response', lost],
  ])('stays open for a day although a retry gets %s', async (_, answer) => {
    const owned = await changing({ remove: inTurn(empty(202), answer) });
    expect(await remove(owned)).toMatchObject({ outcome: 'pending' });
    const acceptedMs = owned.world.nowMs;
    await remove(owned).catch(({ name }: { readonly name: string }) => expect(name).toBe('outcome-unknown'));
    owned.world.nowMs = acceptedMs + DAY_MS - 400_000;
    expect(await reconcile(owned)).toMatchObject({ settled: 0, left: 1 });
    expect(await stateOf(owned)).toEqual({ kind: 'running' });
    owned.show(gone);
    expect(await reconcile(owned)).toMatchObject({ settled: 1, left: 0 });
    expect(await stateOf(owned)).toMatchObject({ kind: 'done', result: { outcome: 'deleted' } });
    expect((await owned.service.list({ limit: 9 }, owned.world.call())).projects).toEqual([]);
  });

  it('fails after a day if the project is still there, and is not sent again', async () => {
    const owned = await changing({ remove: empty(202) });
    await remove(owned);
    owned.world.nowMs += DAY_MS + 600_000;
    expect(await reconcile(owned)).toMatchObject({ settled: 1, left: 0 });
    expect(await stateOf(owned)).toMatchObject({ kind: 'failed', problem: { name: 'upstream-unavailable' } });
    expect(sentCount(owned)).toBe(1);
  });
});

describe('a deletion that the service answers with a 404', () => {
  const rows: readonly (readonly [string, typeof remove, Play, ProblemType | Receipt['outcome']])[] = [
    ['the project is gone', remove, gone, 'deleted'],
    ['the project is there', remove, found, 'outcome-unknown'],
    ['the service fails', remove, lost, 'outcome-unknown'],
    ['the whole project of the task is gone', removeTask, gone, 'project-not-found'],
    ['the task is gone', removeTask, taskless, 'deleted'],
    ['the task is there', removeTask, found, 'outcome-unknown'],
  ];
  const answers = [...ABSENT, ['404 task-not-found', problem(404, 'task-not-found')] as const];
  it.each(rows)('is decided by the read-back: %s', async (_, work, after, result) => {
    for (const [, play] of answers) {
      const owned = await owning(project, { read: then(after), remove: play });
      const end = work(owned).then(
        ({ outcome }) => outcome,
        ({ name }: { readonly name: string }) => name,
      );
      expect(await end).toBe(result);
    }
  });

  it.each([
    ['project', remove],
    ['task', removeTask],
  ])('is refused after the settle time if the %s is still there', async (_, work) => {
    const owned = await owning(project, { read: found, remove: gone });
    expect((await problemOf(work(owned))).name).toBe('outcome-unknown');
    expect(await reconcile(owned)).toMatchObject({ settled: 0, left: 1 });
    expect(await stateOf(owned)).toEqual({ kind: 'running' });
    owned.world.settle();
    expect(await reconcile(owned)).toMatchObject({ settled: 1, left: 0 });
    expect(await stateOf(owned)).toMatchObject({ kind: 'failed', problem: { name: 'upstream-refused' } });
  });
});

it.each([
  ['no project', remove, gone, 'project-not-found'],
  ['no project of the task', removeTask, gone, 'project-not-found'],
  ['no task', removeTask, taskless, 'task-not-found'],
  ['a project with another id', remove, json(200, kept(project, 1_001)), 'upstream-invalid'],
  ['another project', remove, another, 'upstream-invalid'],
  ['another project without the task', removeTask, another, 'upstream-invalid'],
  ['a failure', remove, lost, 'upstream-unavailable'],
  ['half a response', remove, brokenOff, 'upstream-unavailable'],
] as const)('deletes nothing if the read before shows %s', async (_, work, read, type) => {
  const owned = await owning(project, { read });
  expect((await problemOf(work(owned))).name).toBe(type);
  expect(owned.asked()).not.toContain('remove');
});

describe('a deletion', () => {
  const large = checked({
    customId: 'a/b',
    taskId: 'own',
    segments: [segment(), segment({ taskId: 'a&b=c+d %' }), segment({ taskId: 'a&b=c+d %' })],
  });
  const whole = kept(large);
  const lines = ({ received }: Played) => received.map(({ method, url }) => `${method} ${url}`);

  it.each([200, 202, 204])('of a project reads it before and after: %i', async (status) => {
    const owned = await owning(large, { read: inTurn(json(200, whole), gone), remove: empty(status) });
    const receipt = await owned.service.delete({ customId: 'a/b' }, PROJECT, owned.world.call());
    // By id, because another project may have the custom id meanwhile.
    const path = '/segments/projects/1000';
    expect(lines(owned)).toEqual([`GET ${path}`, `DELETE ${path}`, `GET ${path}`]);
    expect(owned.received[1]?.body).toBe('');
    expect(receipt).toEqual({
      scope: 'project',
      projectId: 1_000,
      customId: 'a/b',
      taskId: null,
      outcome: 'deleted',
      deletedAtUtc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      removed: { targetLanguages: 1, segments: 3, tasks: 2 },
      requestedBy: { kind: 'workflow', id: null },
    });
    const again = owned.service.delete({ customId: 'a/b' }, PROJECT, owned.world.call());
    expect((await problemOf(again)).occurrence.deletedAtUtc).toBe(receipt.deletedAtUtc);
  });

  it('of a task reads the whole project before and after', async () => {
    const rest = { ...whole, segments: whole.segments.slice(0, 1) };
    const owned = await owning(large, { read: inTurn(json(200, whole), json(200, rest)), remove: empty(204) });
    const receipt = await owned.service.delete(
      { id: 1_000 },
      { kind: 'task', taskId: 'a&b=c+d %' },
      owned.world.call(),
    );
    const path = '/segments/projects/1000';
    expect(lines(owned)).toEqual([`GET ${path}`, `DELETE ${path}?taskId=a%26b%3Dc%2Bd%20%25`, `GET ${path}`]);
    const removed = { targetLanguages: 0, segments: 2, tasks: 1 };
    expect(receipt).toMatchObject({ scope: 'task', taskId: 'a&b=c+d %', removed });
    expect((await owned.service.get({ customId: 'a/b' }, undefined, owned.world.call())).segments).toBe(1);
  });
});
