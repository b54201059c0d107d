import { describe, expect, it } from 'vitest';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import { type DeletionScope, operationIdOf } from '../../../lib/service/port.ts';
import { member, segment, target } from '../../support/projects.ts';
import { owning, type Played } from './played-service.ts';
import {
  ABSENT,
  AMBIGUOUS,
  EVERYWHERE,
  found,
  gone,
  NOT_THE_SERVICE,
  project,
  type Row,
  taskless,
} from './responses.ts';
import { breakOff, empty, inTurn, json, type Play, problem } from './server.ts';
import { answered, checked, kept, problemOf, START_MS } from './world.ts';

const PROJECT: DeletionScope = { kind: 'project' };
const TASK: DeletionScope = { kind: 'task', taskId: 't' };
const remove = ({ world, service }: Played) => service.delete({ id: 1_000 }, PROJECT, world.call());
const removeTask = ({ world, service }: Played) => service.delete({ id: 1_000 }, TASK, world.call());
type Remove = typeof remove;

/** How long a service may take for a deletion that it has only accepted. */
const DAY_MS = 86_400_000;

const lost = empty(502);
/** What the service has under the project's id once it has given that to somebody else's. */
const ANOTHER = json(200, answered(checked({ customId: 'segue.other.n.a' })));
/** What the service has before, and what it has from then on. */
const then = (...after: readonly Play[]) => inTurn(found, ...after);

describe('refused, and so it stays', () => {
  const rows: readonly Row[] = [
    ...EVERYWHERE,
    ['413', empty(413), 'upstream-refused'],
    ...NOT_THE_SERVICE.filter(([what]) => what !== '404 that breaks off').map(
      ([what, play]): Row => [what, play, 'upstream-refused'],
    ),
  ];
  it.each(rows)('%s', async (_, play, type) => {
    const owned = await owning(project, { read: found, remove: play });
    expect((await problemOf(remove(owned))).name).toBe(type);
    // Longer than a service may ask to be left alone here.
    owned.world.settle();
    expect((await owned.service.get({ id: 1_000 }, undefined, owned.world.call())).id).toBe(1_000);
    expect(await owned.service.reconcile(() => true)).toEqual({ settled: 0, givenUp: 0, left: 0, oldestMs: 0 });
  });
});

describe('an answer that tells nothing', () => {
  const rows: readonly (readonly [what: string, play: Play])[] = [...AMBIGUOUS, ['302', empty(302, { location: '/' })]];
  it.each(rows)('is sent again as long as it is there, and then unknown: %s', async (_, play) => {
    const owned = await owning(project, { read: found, remove: play });
    const { name, occurrence } = await problemOf(remove(owned));
    expect(name).toBe('outcome-unknown');
    expect(owned.asked().filter((kind) => kind === 'remove')).toHaveLength(3);
    const call = owned.world.call();
    expect(await owned.service.operation(occurrence.operationId ?? '', call)).toEqual({ kind: 'running' });
  });

  it.each(rows)('is a deletion where nothing is left: %s', async (_, play) => {
    const owned = await owning(project, { read: then(gone), remove: play });
    expect(await remove(owned)).toMatchObject({ outcome: 'deleted' });
    expect(owned.asked()).toEqual(['read', 'remove', 'read']);
  });

  it('is not sent again where its id is another project’s by now, and ends', async () => {
    const owned = await owning(project, { read: then(ANOTHER), remove: lost });
    const { name, occurrence } = await problemOf(remove(owned));
    expect(name).toBe('outcome-unknown');
    expect((await problemOf(owned.service.delete({ id: 1_000 }, PROJECT, owned.world.call()))).name).toBe(
      'upstream-invalid',
    );
    // A lost answer may have been a 202.
    owned.world.nowMs += DAY_MS;
    await owned.service.reconcile(() => true);
    const { operationId = '' } = occurrence;
    const state = await owned.service.operation(operationId, owned.world.call());
    expect(state).toMatchObject({ kind: 'failed', problem: { name: 'outcome-unknown' } });
    expect(owned.asked().filter((kind) => kind === 'remove')).toHaveLength(1);
  });

  it('is not sent again by a retry with its key either', async () => {
    const owned = await owning(project, { read: then(ANOTHER), remove: lost });
    const retry = () => owned.service.delete({ id: 1_000 }, PROJECT, owned.world.once('k'));
    expect((await problemOf(retry())).name).toBe('outcome-unknown');
    expect((await problemOf(retry())).name).toBe('outcome-unknown');
    expect(owned.asked().filter((kind) => kind === 'remove')).toHaveLength(1);
  });

  it('and a 404 to the next attempt is a deletion', async () => {
    const owned = await owning(project, { read: then(found, gone), remove: inTurn(lost, gone) });
    expect(await remove(owned)).toMatchObject({ outcome: 'deleted' });
  });

  const refusals: readonly (readonly [what: string, play: Play])[] = [
    ...EVERYWHERE.map(([what, play]) => [what, play] as const),
    ['404 project-not-found', problem(404, 'project-not-found')],
  ];
  it.each(refusals)('and a refusal of the next attempt does not make it undone: %s', async (_, refusal) => {
    const owned = await owning(project, { read: found, remove: inTurn(lost, refusal) });
    const { name, occurrence } = await problemOf(remove(owned));
    expect(name).toBe('outcome-unknown');
    const call = owned.world.call();
    expect(await owned.service.operation(occurrence.operationId ?? '', call)).toEqual({ kind: 'running' });
  });
});

describe('accepted', () => {
  const rows: readonly (readonly [what: string, work: Remove, answer: Play, after: Play])[] = [
    ['still there', remove, empty(204), found],
    ['still there after 202', remove, empty(202), found],
    ['the task still there', removeTask, empty(204), found],
    ['unreadable afterwards', remove, empty(204), empty(500)],
    ['locked out afterwards', remove, empty(204), empty(401)],
    ['the whole project gone with its task', removeTask, empty(204), gone],
    ['the whole project gone with its task, as a problem', removeTask, empty(204), problem(404, 'project-not-found')],
    ...NOT_THE_SERVICE.map(
      ([what, after]) => [`nothing shows that it is done: ${what}`, remove, empty(204), after] as const,
    ),
  ];
  it.each(rows)('and pending: %s', async (_, work, answer, after) => {
    const owned = await owning(project, { read: then(after), remove: answer });
    const receipt = await work(owned);
    expect(receipt).toMatchObject({ outcome: 'pending', deletedAtUtc: null, operationId: expect.any(String) });
    const call = owned.world.call();
    expect(await owned.service.operation(receipt.operationId ?? '', call)).toEqual({ kind: 'running' });
    expect(owned.asked().filter((kind) => kind === 'remove')).toHaveLength(1);
  });

  it('and done a moment later', async () => {
    const owned = await owning(project, { read: then(found, found, gone), remove: empty(202) });
    expect(await remove(owned)).toMatchObject({ outcome: 'deleted', deletedAtUtc: expect.any(String) });
  });

  it.each([
    ['archived', { archived: true }],
    ['isArchived', { isArchived: true }],
    ['a status', { status: 'Archived' }],
    ['a state', { state: 'archived' }],
  ])('and archived: %s', async (_, fields) => {
    const archived = json(200, { ...kept(project), ...fields });
    const owned = await owning(project, { read: then(archived), remove: empty(204) });
    expect(await remove(owned)).toMatchObject({ outcome: 'archived', deletedAtUtc: null });
    expect((await owned.service.get({ customId: 'a' }, undefined, owned.world.call())).id).toBe(1_000);
  });
});

describe('a pending deletion', () => {
  /** @param after what is read once the caller has its answer */
  async function pending(after: Play) {
    let now = found;
    const owned = await owning(project, {
      read: (request, response) => now(request, response),
      remove: empty(202),
    });
    const { operationId = '', outcome } = await remove(owned);
    expect(outcome).toBe('pending');
    now = after;
    const state = () => owned.service.operation(operationId, owned.world.call());
    const reconcile = () => owned.service.reconcile(() => true);
    return { ...owned, state, reconcile };
  }

  it('is done once nothing is left', async () => {
    const { reconcile, state, service, world } = await pending(gone);
    expect(await reconcile()).toEqual({ settled: 1, givenUp: 0, left: 0, oldestMs: 0 });
    expect(await state()).toMatchObject({ kind: 'done', result: { outcome: 'deleted', scope: 'project' } });
    const { occurrence } = await problemOf(service.get({ customId: 'a' }, undefined, world.call()));
    expect(occurrence.deletedAtUtc).toEqual(expect.any(String));
  });

  it('stays pending while it can be read, for a day', async () => {
    const { reconcile, state, world, asked } = await pending(found);
    world.nowMs += 86_000_000;
    expect(await reconcile()).toMatchObject({ settled: 0, left: 1 });
    expect(await state()).toEqual({ kind: 'running' });
    world.nowMs += 1_000_000;
    expect(await reconcile()).toMatchObject({ settled: 1, left: 0 });
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'upstream-unavailable' } });
    expect(asked().filter((kind) => kind === 'remove')).toHaveLength(1);
  });

  const answers: readonly (readonly [what: string, answer: Play])[] = [
    ['202', empty(202)],
    ['204', empty(204)],
    ['404', gone],
    ['409, because the deletion is under way', empty(409)],
    ['503', empty(503)],
    ['nothing', lost],
  ];
  it.each(answers)('keeps its day when a retry with its key is answered with %s', async (_, answer) => {
    let now = found;
    const owned = await owning(project, {
      read: (request, response) => now(request, response),
      remove: inTurn(empty(202), answer),
    });
    const { world, service } = owned;
    const request = () => service.delete({ id: 1_000 }, PROJECT, world.once('k'));
    const state = () => service.operation(operationIdOf('k'), world.call());
    expect(await request()).toMatchObject({ outcome: 'pending' });
    const acceptedMs = world.nowMs;
    await request().catch(({ name }: { readonly name: string }) => expect(name).toBe('outcome-unknown'));
    world.nowMs = acceptedMs + 86_000_000;
    expect(await service.reconcile(() => true)).toMatchObject({ settled: 0, left: 1 });
    expect(await state()).toEqual({ kind: 'running' });
    now = gone;
    expect(await service.reconcile(() => true)).toMatchObject({ settled: 1, left: 0 });
    expect(await state()).toMatchObject({ kind: 'done', result: { outcome: 'deleted' } });
    expect((await service.list({ limit: 9 }, world.call())).projects).toEqual([]);
  });

  it('may also be one whose answer is lost', async () => {
    const owned = await owning(project, { read: found, remove: lost });
    const { occurrence } = await problemOf(remove(owned));
    const state = () => owned.service.operation(occurrence.operationId ?? '', owned.world.call());
    owned.world.nowMs += 86_000_000;
    expect(await owned.service.reconcile(() => true)).toMatchObject({ settled: 0, left: 1 });
    expect(await state()).toEqual({ kind: 'running' });
    owned.world.nowMs += 1_000_000;
    expect(await owned.service.reconcile(() => true)).toMatchObject({ settled: 1, left: 0 });
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'upstream-unavailable' } });
  });

  it('is not taken for done by a service that says nothing', async () => {
    const { reconcile, state, world } = await pending(empty(500));
    world.nowMs += 87_000_000;
    expect(await reconcile()).toMatchObject({ settled: 0, left: 1 });
    expect(await state()).toEqual({ kind: 'running' });
  });
});

describe('somebody else was faster, or the service does not delete', () => {
  type After = readonly [what: string, work: Remove, after: Play, result: ProblemType | Receipt['outcome']];
  const rows: readonly After[] = [
    ['nothing is left', remove, gone, 'deleted'],
    ['it is there', remove, found, 'outcome-unknown'],
    ['nothing can be read', remove, lost, 'outcome-unknown'],
    ['the whole project of the task is gone', removeTask, gone, 'project-not-found'],
    ['the task is gone', removeTask, taskless, 'deleted'],
    ['the task is there', removeTask, found, 'outcome-unknown'],
  ];
  const answers = [...ABSENT, ['404 task-not-found', problem(404, 'task-not-found')] as const];
  it.each(rows.flatMap((row) => answers.map((answer) => [...answer, ...row] as const)))(
    '%s, %s, and reading tells: %s',
    async (_what, play, _after, work, after, result) => {
      const owned = await owning(project, { read: then(after), remove: play });
      const end = await work(owned).then(
        ({ outcome }) => outcome,
        ({ name }: { readonly name: string }) => name,
      );
      expect(end).toBe(result);
    },
  );

  it.each([
    ['a project', remove],
    ['a task', removeTask],
  ])('%s that is still there is refused once the settle time is over, and not before', async (_, work) => {
    const owned = await owning(project, { read: found, remove: gone });
    const { name, occurrence } = await problemOf(work(owned));
    expect(name).toBe('outcome-unknown');
    const state = () => owned.service.operation(occurrence.operationId ?? '', owned.world.call());
    expect(await owned.service.reconcile(() => true)).toMatchObject({ settled: 0, left: 1 });
    expect(await state()).toEqual({ kind: 'running' });
    owned.world.settle();
    expect(await owned.service.reconcile(() => true)).toMatchObject({ settled: 1, left: 0 });
    expect(await state()).toMatchObject({ kind: 'failed', problem: { name: 'upstream-refused' } });
  });
});

describe('nothing is deleted where the reading before', () => {
  it.each([
    ['gives no such project', remove, gone, 'project-not-found'],
    ['gives no such project of a task', removeTask, gone, 'project-not-found'],
    ['gives no such task', removeTask, taskless, 'task-not-found'],
    ['gives another project', remove, json(200, kept(project, 1_001)), 'upstream-invalid'],
    ['gives another project under its id', remove, ANOTHER, 'upstream-invalid'],
    ['gives another project under its id, and not the task', removeTask, ANOTHER, 'upstream-invalid'],
    ['fails', remove, lost, 'upstream-unavailable'],
    ['breaks off', remove, breakOff(200), 'upstream-unavailable'],
  ] as const)('%s', async (_, work, read, type) => {
    const owned = await owning(project, { read });
    expect((await problemOf(work(owned))).name).toBe(type);
    expect(owned.asked()).not.toContain('remove');
  });
});

describe('a deletion', () => {
  const large = checked({
    customId: 'a/b',
    taskId: 'own',
    segments: [segment(), segment({ taskId: 'other' }), segment({ taskId: 'other' })],
  });
  const whole = kept(large);
  const lines = ({ received }: Played) => received.map(({ method, url }) => `${method} ${url}`);

  it.each([200, 202, 204])('that is answered with %i is proved by reading before and after', async (status) => {
    const owned = await owning(large, { read: inTurn(json(200, whole), gone), remove: empty(status) });
    const receipt = await owned.service.delete({ customId: 'a/b' }, PROJECT, owned.world.call());
    expect(lines(owned)).toEqual([
      'GET /segments/projects/1000',
      // By id: the custom id may name another project by now.
      'DELETE /segments/projects/1000',
      'GET /segments/projects/1000',
    ]);
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

  it('is remembered with the moment of its receipt, whatever the clock does meanwhile', async () => {
    let nowMs = START_MS;
    const plays = { read: then(gone), remove: empty(204) };
    const { service, world } = await owning(project, plays, { now: () => nowMs++ });
    nowMs += 3_600_000;
    const { deletedAtUtc } = await service.delete({ id: 1_000 }, PROJECT, world.call());
    const { occurrence } = await problemOf(service.get({ id: 1_000 }, undefined, world.call()));
    expect(occurrence.deletedAtUtc).toBe(deletedAtUtc);
  });

  it('of a task is proved by reading the whole project before and after', async () => {
    const rest = { ...whole, segments: whole.segments.slice(0, 1) };
    const owned = await owning(large, { read: inTurn(json(200, whole), json(200, rest)), remove: empty(204) });
    const other: DeletionScope = { kind: 'task', taskId: 'other' };
    const receipt = await owned.service.delete({ id: 1_000 }, other, owned.world.call());
    expect(lines(owned)).toEqual([
      'GET /segments/projects/1000',
      'DELETE /segments/projects/1000?taskId=other',
      'GET /segments/projects/1000',
    ]);
    expect(receipt).toMatchObject({
      scope: 'task',
      taskId: 'other',
      removed: { targetLanguages: 0, segments: 2, tasks: 1 },
      requestedBy: { kind: 'workflow', id: null },
    });
    expect((await owned.service.get({ customId: 'a/b' }, undefined, owned.world.call())).segments).toBe(1);
  });

  it('of a task counts the segments without a task of their own to the project’s', async () => {
    const { taskId: _, ...bare } = { ...whole, segments: whole.segments.slice(1) };
    const owned = await owning(large, { read: inTurn(json(200, whole), json(200, bare)), remove: empty(204) });
    const own: DeletionScope = { kind: 'task', taskId: 'own' };
    const { removed } = await owned.service.delete({ id: 1_000 }, own, owned.world.call());
    expect(removed).toEqual({ targetLanguages: 0, segments: 1, tasks: 1 });
    const { projects } = await owned.service.list({ limit: 1 }, owned.world.call());
    expect(projects[0]).not.toHaveProperty('taskId');
  });

  it('of a task names it in one value of the query', async () => {
    const taskId = 'a&b=c+d %';
    const odd = checked({ customId: 'a', taskId });
    const owned = await owning(odd, { read: inTurn(json(200, kept(odd)), taskless), remove: empty(204) });
    await owned.service.delete({ id: 1_000 }, { kind: 'task', taskId }, owned.world.call());
    expect(owned.received[1]?.url).toBe('/segments/projects/1000?taskId=a%26b%3Dc%2Bd%20%25');
  });

  it('of a project without a custom id has none on its receipt', async () => {
    const bare = checked({ targetLanguages: [target({ team: [member()] })] });
    const name = `segue.company.g.${operationIdOf('operation id-1')}`;
    const there = json(200, answered({ ...bare, customId: name }));
    const owned = await owning(bare, { read: inTurn(there, gone), remove: empty(204) });
    expect(await remove(owned)).toMatchObject({
      customId: null,
      removed: { targetLanguages: 1, segments: 1, tasks: 0 },
      requestedBy: { kind: 'workflow', id: null },
    });
  });
});
