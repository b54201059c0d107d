import { describe, expect, it } from 'vitest';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import { NoAnswer } from '../../../lib/service/http-client/exchange.ts';
import { type DeletionScope, operationIdOf } from '../../../lib/service/port.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { storeFailure, storeWith } from '../../faults/faulty.ts';
import { segment } from '../../support/projects.ts';
import { problemOf } from '../support.ts';
import {
  absent,
  accepted,
  answers,
  breaksOff,
  changed,
  DAY_MS,
  type Fate,
  failing,
  type HostedUpstream,
  inTurn,
  killed,
  NOTHING_OPEN,
  old,
  proxied,
  refuses,
  SETTLE_MS,
  swallowed,
  there,
  young,
} from './world.ts';

const PROJECT: DeletionScope = { kind: 'project' };
const TASK: DeletionScope = { kind: 'task', taskId: 't' };

/** A fate in which the service shows another company's project. */
const another = changed((project) => ({ ...project, customId: 'segue.company.n.theirs' }));
const withoutTask = changed((project) => ({ ...project, segments: [] }));
const withId = changed((project) => ({ ...project, id: 5 }));

/** Gives deletions one fate, and reads after the first deletion another. */
async function deleting(onDelete: Fate, after: Fate = there) {
  const made = await old();
  const { upstream } = made;
  const read = { after };
  upstream.way = ({ method }, reach) => {
    if (method === 'DELETE') return onDelete(reach);
    return (upstream.asked.includes('remove') ? read.after : there)(reach);
  };
  const sentCount = () => upstream.asked.filter((kind) => kind === 'remove').length;
  const show = (fate: Fate) => {
    read.after = fate;
  };
  return { ...made, sentCount, show };
}

/** Expects the operation to stay open until a time, although the service shows the project. */
async function expectOpenUntil({ upstream, reconcile }: Awaited<ReturnType<typeof old>>, untilMs: number) {
  upstream.world.nowMs = untilMs;
  expect(await reconcile()).toMatchObject({ settled: 0, left: 1 });
  expect(await upstream.state()).toEqual({ kind: 'running' });
}

/** Expects the operation to end with a failure. */
async function expectFailed({ upstream, reconcile }: Awaited<ReturnType<typeof old>>, name: ProblemType) {
  expect(await reconcile()).toMatchObject({ settled: 1, left: 0 });
  expect(await upstream.state()).toMatchObject({ kind: 'failed', problem: { name } });
}

it.each<[string, Fate, ProblemType]>([
  ['401', answers(401), 'upstream-unavailable'],
  ['429', answers(429), 'upstream-unavailable'],
  ['400', answers(400), 'upstream-refused'],
  ['404 of a proxy', proxied, 'upstream-refused'],
])('a refused deletion ends, and the project stays: %s', async (_, fate, type) => {
  const { remove, list, reconcile } = await deleting(fate);
  expect((await problemOf(remove())).name).toBe(type);
  expect(await list()).toHaveLength(1);
  expect(await reconcile()).toEqual(NOTHING_OPEN);
});

describe('a deletion with an uncertain response', () => {
  const rows: readonly (readonly [string, Fate])[] = [
    ['502', answers(502)],
    ['a reset', swallowed],
    ['302', answers(302)],
    ['404 that breaks off', breaksOff(404)],
  ];
  it.each(rows)('is sent three times while the project is there, and stays open for a day: %s', async (_, fate) => {
    const made = await deleting(fate);
    expect((await problemOf(made.remove())).name).toBe('outcome-unknown');
    expect(made.sentCount()).toBe(3);
    const { nowMs } = made.world;
    await expectOpenUntil(made, nowMs + DAY_MS - 400_000);
    made.world.nowMs = nowMs + DAY_MS + 600_000;
    await expectFailed(made, 'upstream-unavailable');
  });

  it.each(rows)('is done if the project is gone: %s', async (_, fate) => {
    const { upstream, remove } = await deleting(fate, absent);
    expect(await remove()).toMatchObject({ outcome: 'deleted' });
    expect(upstream.asked).toEqual(['read', 'remove', 'read']);
  });

  it('is never sent again if another project has its id', async () => {
    const made = await deleting(failing, another);
    const { world, remove } = made;
    expect((await problemOf(remove())).name).toBe('outcome-unknown');
    expect((await problemOf(remove())).name).toBe('outcome-unknown');
    expect((await problemOf(remove(PROJECT, world.call()))).name).toBe('upstream-invalid');
    world.nowMs += DAY_MS;
    await expectFailed(made, 'outcome-unknown');
    expect(made.sentCount()).toBe(1);
  });

  it('is not sent again while nobody can tell whose project has the id', async () => {
    const slow: Fate = async () => {
      world.nowMs += 15_000;
      throw new NoAnswer(true, 'DEADLINE');
    };
    const { world, remove, sentCount, show, upstream } = await deleting(slow, proxied);
    expect((await problemOf(remove())).name).toBe('outcome-unknown');
    const before = sentCount();
    world.nowMs += 3_600_000;
    expect((await problemOf(remove())).name).toBe('outcome-unknown');
    expect(sentCount()).toBe(before);
    show(there);
    upstream.next('remove', there);
    expect(await remove()).toMatchObject({ outcome: 'deleted' });
  });

  it('is sent three times while the service does not answer reads', async () => {
    const { remove, sentCount } = await deleting(failing, answers(408));
    expect((await problemOf(remove())).name).toBe('outcome-unknown');
    expect(sentCount()).toBe(3);
  });

  it('is done if the next attempt gets a 404', async () => {
    const { remove } = await deleting(inTurn(failing, absent), inTurn(there, absent));
    expect(await remove()).toMatchObject({ outcome: 'deleted' });
  });

  it.each<[string, Fate]>([
    ['401', answers(401)],
    ['400', answers(400)],
    ['503', answers(503)],
    ['404 project-not-found', refuses(404, 'project-not-found')],
  ])('stays open if the next attempt is refused: %s', async (_, refusal) => {
    const { upstream, remove } = await deleting(inTurn(failing, refusal));
    expect((await problemOf(remove())).name).toBe('outcome-unknown');
    expect(await upstream.state()).toEqual({ kind: 'running' });
  });
});

describe('a confirmed deletion', () => {
  it.each<[string, DeletionScope, Fate, Fate]>([
    ['the project is there', PROJECT, answers(204), there],
    ['the project is there after 202', PROJECT, accepted, there],
    ['the task is there', TASK, answers(204), there],
    ['the service fails', PROJECT, answers(204), failing],
    ['the service rejects the credentials', PROJECT, answers(204), answers(401)],
    ['a proxy answers', PROJECT, answers(204), proxied],
    ['the response breaks off', PROJECT, answers(204), breaksOff(404)],
    ['the whole project of the task is gone', TASK, answers(204), absent],
  ])('is pending while %s', async (_, scope, fate, after) => {
    const { upstream, remove, sentCount } = await deleting(fate, after);
    const pending = { outcome: 'pending', deletedAtUtc: null, operationId: operationIdOf('k') };
    expect(await remove(scope)).toMatchObject(pending);
    expect(await upstream.state()).toEqual({ kind: 'running' });
    expect(sentCount()).toBe(1);
  });

  it('is done when the project is gone a moment later', async () => {
    const { remove } = await deleting(accepted, inTurn(there, there, absent));
    expect(await remove()).toMatchObject({ outcome: 'deleted', deletedAtUtc: expect.any(String) });
  });

  it.each([{ archived: true }, { isArchived: true }, { status: 'Archived' }, { state: 'archived' }])(
    'may only archive the project: %j',
    async (fields) => {
      const { remove, list } = await deleting(
        answers(204),
        changed((project) => ({ ...project, ...fields })),
      );
      expect(await remove()).toMatchObject({ outcome: 'archived', deletedAtUtc: null });
      expect(await list()).toHaveLength(1);
    },
  );
});

describe('a pending deletion', () => {
  it.each<[string, Fate]>([
    ['202', accepted],
    ['204', answers(204)],
    ['404', absent],
    ['409', answers(409)],
    ['503', answers(503)],
    ['no response', failing],
  ])('stays open for a day although a retry gets %s, and is done when the project is gone', async (_, answer) => {
    const made = await deleting(inTurn(accepted, answer));
    const { upstream, world, segue, id, remove, list, reconcile } = made;
    expect(await remove()).toMatchObject({ outcome: 'pending' });
    const acceptedMs = world.nowMs;
    await remove().catch(({ name }: { readonly name: string }) => expect(name).toBe('outcome-unknown'));
    await expectOpenUntil(made, acceptedMs + DAY_MS - 400_000);
    made.show(absent);
    expect(await reconcile()).toMatchObject({ settled: 1, left: 0 });
    expect(await upstream.state()).toMatchObject({ kind: 'done', result: { outcome: 'deleted', scope: 'project' } });
    expect(await list()).toEqual([]);
    const { occurrence } = await problemOf(segue.get({ id }, undefined, world.call()));
    expect(occurrence.deletedAtUtc).toEqual(expect.any(String));
  });

  it('fails after a day if the project is still there, although retries were refused meanwhile', async () => {
    const made = await deleting(inTurn(accepted, answers(403)));
    await made.remove();
    made.world.nowMs += 80_000_000;
    expect((await problemOf(made.remove())).name).toBe('outcome-unknown');
    made.world.nowMs += DAY_MS - 80_000_000;
    await expectFailed(made, 'upstream-unavailable');
  });

  it('stays open for a day if its process dies before it records the response', async () => {
    const made = await deleting(accepted, inTurn(killed, there));
    await expect(made.remove()).rejects.toThrow('killed');
    await expectOpenUntil(made, made.world.nowMs + DAY_MS - 400_000);
  });

  it('stays open for a day if a retry dies after the clock was set back', async () => {
    const made = await deleting(accepted);
    const acceptedMs = made.world.nowMs;
    expect(await made.remove()).toMatchObject({ outcome: 'pending' });
    made.show(killed);
    made.world.nowMs -= 3_600_000;
    await expect(made.remove()).rejects.toThrow('killed');
    made.show(there);
    await expectOpenUntil(made, acceptedMs + DAY_MS - 10_000);
  });

  it.each([PROJECT, TASK])('stays pending if the ledger cannot be read meanwhile: $kind', async (scope) => {
    const { upstream, world, id } = await young();
    const read: Storage['read'] = async (key) => {
      if (upstream.asked.includes('remove') && key.sort.startsWith('project/')) throw storeFailure(true);
      return world.storage.read(key);
    };
    upstream.next('remove', accepted);
    upstream.next('read', there);
    upstream.way = ({ method }, reach) => (method === 'GET' ? absent(reach) : reach());
    const segue = upstream.segue({ storage: storeWith(world.storage, { read }) });
    expect(await segue.delete({ id }, scope, world.once('k'))).toMatchObject({ outcome: 'pending' });
  });

  it.each([
    ['another client', async (upstream: HostedUpstream) => upstream.next('read', absent)],
    ['another request', async (_: HostedUpstream, remove: () => Promise<unknown>) => void (await remove())],
  ])('ends for a task if %s deletes the project', async (_, removeProject) => {
    const { upstream, world, remove, reconcile } = await young();
    upstream.next('remove', accepted);
    expect(await remove(TASK)).toMatchObject({ outcome: 'pending' });
    await removeProject(upstream, () => remove(PROJECT, world.call()));
    world.nowMs += SETTLE_MS;
    await reconcile();
    expect(await upstream.state()).toMatchObject({ kind: 'failed' });
  });
});

describe('a deletion that the service answers with a 404', () => {
  it.each<[string, DeletionScope, Fate, ProblemType | Receipt['outcome'], sent?: number]>([
    ['the project is gone', PROJECT, absent, 'deleted'],
    ['the project is there', PROJECT, there, 'outcome-unknown'],
    ['the service fails', PROJECT, failing, 'outcome-unknown', 3],
    ['the whole project of the task is gone', TASK, absent, 'project-not-found'],
    ['the task is gone', TASK, withoutTask, 'deleted'],
    ['the task is there', TASK, there, 'outcome-unknown'],
  ])('is decided by the read-back: %s', async (_, scope, after, result, sent = 1) => {
    for (const fate of [absent, refuses(404, 'project-not-found'), refuses(404, 'task-not-found')]) {
      const { remove, sentCount } = await deleting(fate, after);
      const end = remove(scope).then(
        ({ outcome }) => outcome,
        ({ name }: { readonly name: string }) => name,
      );
      expect([await end, sentCount()]).toEqual([result, sent]);
    }
  });

  it.each([PROJECT, TASK])('is refused after the settle time if the $kind is still there', async (scope) => {
    const made = await deleting(absent);
    expect((await problemOf(made.remove(scope))).name).toBe('outcome-unknown');
    await expectOpenUntil(made, made.world.nowMs);
    made.world.settle();
    await expectFailed(made, 'upstream-refused');
  });
});

it.each<[string, DeletionScope, Fate, ProblemType]>([
  ['no project', PROJECT, absent, 'project-not-found'],
  ['no project of the task', TASK, absent, 'project-not-found'],
  ['no task', TASK, withoutTask, 'task-not-found'],
  ['a project with another id', PROJECT, withId, 'upstream-invalid'],
  ['another project', PROJECT, another, 'upstream-invalid'],
  ['another project without the task', TASK, another, 'upstream-invalid'],
  ['a failure', PROJECT, failing, 'upstream-unavailable'],
  ['half a response', PROJECT, breaksOff(200), 'upstream-unavailable'],
])('deletes nothing if the read before shows %s', async (_, scope, fate, type) => {
  const { upstream, remove } = await old();
  upstream.way = ({ path }, reach) => (path.includes('/custom/') ? absent : fate)(reach);
  expect((await problemOf(remove(scope))).name).toBe(type);
  expect(upstream.asked).not.toContain('remove');
});

describe('a deletion', () => {
  const segments = [segment(), segment({ taskId: 'a&b=c+d %' }), segment({ taskId: 'a&b=c+d %' })];

  /** Segue with a project, and the lines of its requests. */
  async function watched() {
    const made = await old({ customId: 'a/b', taskId: 'own', segments });
    const lines: string[] = [];
    made.upstream.way = ({ method, path, body }, reach) => {
      lines.push([method, path, body].filter((part) => part !== undefined).join(' '));
      return reach();
    };
    return { ...made, lines, path: `/segments/projects/${made.id}` };
  }

  it('of a project reads it by its id before and after', async () => {
    const { world, segue, id, lines, path } = await watched();
    const receipt = await segue.delete({ customId: 'a/b' }, PROJECT, world.call());
    expect(lines).toEqual([`GET ${path}`, `DELETE ${path}`, `GET ${path}`]);
    expect(receipt).toEqual({
      scope: 'project',
      projectId: id,
      customId: 'a/b',
      taskId: null,
      outcome: 'deleted',
      deletedAtUtc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      removed: { targetLanguages: 1, segments: 3, tasks: 2 },
      requestedBy: { kind: 'workflow', id: null },
    });
    const again = segue.delete({ customId: 'a/b' }, PROJECT, world.call());
    expect((await problemOf(again)).occurrence.deletedAtUtc).toBe(receipt.deletedAtUtc);
  });

  it('of a task reads the whole project before and after', async () => {
    const { world, segue, remove, lines, path } = await watched();
    const receipt = await remove({ kind: 'task', taskId: 'a&b=c+d %' });
    expect(lines).toEqual([`GET ${path}`, `DELETE ${path}?taskId=a%26b%3Dc%2Bd%20%25`, `GET ${path}`]);
    const removed = { targetLanguages: 0, segments: 2, tasks: 1 };
    expect(receipt).toMatchObject({ scope: 'task', taskId: 'a&b=c+d %', removed });
    expect((await segue.get({ customId: 'a/b' }, undefined, world.call())).segments).toBe(1);
  });
});
