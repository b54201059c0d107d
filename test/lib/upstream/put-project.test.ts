import { describe, expect, it } from 'vitest';
import { retentionMsOf } from '../../../lib/contract/retentions.ts';
import type { CallContext, DeletionScope, ProjectRef } from '../../../lib/service/port.ts';
import type { PutRequest } from '../../../lib/service/put.ts';
import { putToken, readPutToken } from '../../../lib/service/put-plan.ts';
import { storeWith } from '../../faults/faulty.ts';
import { type JsonObject, segment, target } from '../../support/projects.ts';
import { contentOf, type UpstreamService } from '../../support/world.ts';
import { expectProblem, problemOf } from '../support.ts';
import {
  absent,
  accepted,
  answers,
  failing,
  HostedUpstream,
  killed,
  lost,
  NOTHING_OPEN,
  refuses,
  swallowed,
  there,
} from './world.ts';

const PAGE: ProjectRef = { customId: 'page 1' };
const FIELDS: JsonObject = { segments: [segment({ content: 'One' }), segment({ content: 'Two', taskId: 't' })] };
const ALL: DeletionScope = { kind: 'project' };
const CREATED = {
  outcome: 'create',
  customId: 'page 1',
  segments: { kept: 0, changed: 0, added: 2, removed: 0 },
  targetLanguages: { kept: 0, added: 1, removed: 0 },
  automaticCharacters: 0,
};
const UNCHANGED = {
  outcome: 'unchanged',
  customId: 'page 1',
  segments: { kept: 2, changed: 0, added: 0, removed: 0 },
  targetLanguages: { kept: 1, added: 0, removed: 0 },
  automaticCharacters: 0,
};
const EQUAL: readonly (readonly [what: string, JsonObject])[] = [
  ['nothing', {}],
  ['the start date, as every put has the present time', { startDateUtc: '2026-11-20T12:01:00+01:00' }],
  ['the spelling of the end date', { endDateUtc: '2059-01-01T01:00:00+01:00' }],
  ['the spelling of a language', { sourceLanguageId: null, sourceLanguageCode: 'EN_us' }],
  ['a field that is null', { description: null }],
];
const DIFFERENT: readonly (readonly [what: string, JsonObject])[] = [
  ['the name', { name: 'Another' }],
  ['the deadline', { endDateUtc: '2059-01-01T00:00:01Z' }],
  ['a content', { segments: [segment({ content: 'One!' }), segment({ content: 'Two', taskId: 't' })] }],
  ['white space in a content', { segments: [segment({ content: 'One ' }), segment({ content: 'Two', taskId: 't' })] }],
  ['a task', { segments: [segment({ content: 'One' }), segment({ content: 'Two', taskId: 'u' })] }],
  ['the order of segments', { segments: [segment({ content: 'Two', taskId: 't' }), segment({ content: 'One' })] }],
  ['a note', { segments: [segment({ content: 'One', notes: 'x' }), segment({ content: 'Two', taskId: 't' })] }],
  ['the team', { targetLanguages: [target({ team: null })] }],
  ['a service of a language', { targetLanguages: [target({ serviceScoring: true })] }],
  ['a language', { targetLanguages: [target(), { targetLanguageCode: 'fr-FR' }] }],
  ['the project’s task', { taskId: 'own' }],
  ['the custom field', { customField1: 'x' }],
  ['where events go', { eventUrl: 'https://hooks.example.com/segue' }],
];

interface PutOptions extends Omit<Partial<PutRequest>, 'project'> {
  readonly call?: CallContext;
  readonly segue?: UpstreamService;
}

function start(options: Parameters<HostedUpstream['segue']>[0] = {}) {
  const upstream = new HostedUpstream();
  const { world } = upstream;
  const segue = upstream.segue(options);
  const requestOf = (fields: JsonObject, request: Omit<Partial<PutRequest>, 'project'> = {}): PutRequest => ({
    ref: PAGE,
    project: world.checked({ ...FIELDS, ...fields }),
    ...request,
  });
  const put = (fields: JsonObject = {}, { call = world.call(), segue: at = segue, ...request }: PutOptions = {}) =>
    at.put(requestOf(fields, request), call);
  const plan = (fields: JsonObject = {}, request: Omit<Partial<PutRequest>, 'project'> = {}) =>
    segue.planPut(requestOf(fields, request), world.call());
  const remove = (revision?: number, ref: ProjectRef = PAGE, call = world.call()) =>
    segue.delete(ref, { kind: 'project', revision }, call);
  /** Returns the requests that were sent since the last call. */
  const asked = () => upstream.asked.splice(0);
  return { upstream, world, segue, put, plan, remove, asked, reconcile: () => segue.reconcile(() => true) };
}

describe('a put of a project that does not exist', () => {
  it('creates it with the custom id', async () => {
    const { upstream, put, asked, segue, world } = start();
    const result = await put();
    expect(result).toMatchObject(CREATED);
    expect(asked()).toEqual(['create']);
    expect(await upstream.names()).toEqual(['segue.company.n.page 1']);
    if (result.outcome === 'outdated') throw new Error('The put was not outdated');
    expect(contentOf(await result.document())).toMatchObject({ id: result.projectId, customId: 'page 1' });
    expect((await segue.get(PAGE, undefined, world.call())).id).toBe(result.projectId);
  });

  it('counts the characters that an engine would get', async () => {
    const automatic = { serviceAutomaticTranslation: true };
    const targetLanguages = [
      target(automatic),
      { targetLanguageCode: 'fr-FR', ...automatic },
      { targetLanguageCode: 'it-IT' },
    ];
    expect(await start().put({ targetLanguages })).toMatchObject({ automaticCharacters: 12 });
    expect(await start().put({ targetLanguages, segments: [{ content: '👍🏽' }] })).toMatchObject({
      automaticCharacters: 4,
    });
  });

  it('is refused by id, or if it is for a task', async () => {
    const { put, asked } = start();
    await expectProblem('project-not-found', () => put({}, { ref: { id: 7 } }));
    await expectProblem('project-not-found', () => put({}, { taskId: 't' }));
    expect(asked()).toEqual([]);
  });

  it('needs the scope create, and nothing else', async () => {
    const { put, world, asked } = start();
    const { name, message } = await problemOf(put({}, { call: world.call({ scopes: ['update', 'delete'] }) }));
    expect([name, message]).toEqual(['scope-missing', expect.stringContaining('create a project')]);
    expect(asked()).toEqual([]);
    expect(await put({}, { call: world.call({ scopes: ['create'] }) })).toMatchObject(CREATED);
  });

  it('checks the dates as a creation does', async () => {
    const { segue, world, asked } = start();
    const request = { ref: PAGE, project: world.checked(FIELDS) };
    world.nowMs += 3_600_000;
    await expectProblem('invalid-project', () => segue.put(request, world.call()));
    await expectProblem('invalid-project', () => segue.planPut(request, world.call()));
    expect(asked()).toEqual([]);
  });

  it('returns the faults that the service finds, and leaves the custom id free', async () => {
    const { put, upstream } = start();
    upstream.next('create', refuses(422, 'no-money'));
    await expectProblem('upstream-refused', () => put({}, { revision: 9 }));
    expect(await put({}, { revision: 1 })).toMatchObject(CREATED);
  });

  it('may be another one after a put that failed', async () => {
    const { put, upstream } = start();
    upstream.next('create', answers(503));
    await expectProblem('upstream-unavailable', () => put());
    expect(await put({ name: 'Another' })).toMatchObject(CREATED);
  });

  it('is refused if another client of the company’s own account has the custom id', async () => {
    const { put, plan, upstream, world } = start({ isOwnAccount: async () => true });
    await upstream.service.create(world.checked({ customId: 'page 1' }), upstream.account());
    await expectProblem('custom-id-in-use', () => put());
    await expectProblem('custom-id-in-use', () => plan());
  });

  it('never finds the project of another company', async () => {
    const { put, world, upstream } = start();
    const first = await put();
    const other = await put({}, { call: world.call({ companyId: 'globex' }) });
    expect(other).toMatchObject(CREATED);
    expect(await upstream.names()).toEqual(['segue.globex.n.page 1', 'segue.company.n.page 1']);
    if (first.outcome === 'outdated') throw new Error('The put was not outdated');
    const byId = put({}, { ref: { id: first.projectId }, call: world.call({ companyId: 'globex' }) });
    await expectProblem('project-not-found', () => byId);
  });
});

describe('a put of a project that exists', () => {
  it.each(EQUAL)('changes and sends nothing if it differs in %s', async (_, fields) => {
    const { put, asked, world } = start();
    const { projectId } = { projectId: 0, ...(await put()) };
    asked();
    const before = await Array.fromAsync(storedIn(world));
    expect(await put(fields)).toMatchObject({ ...UNCHANGED, projectId });
    expect(asked()).toEqual([]);
    expect(await Array.fromAsync(storedIn(world))).toEqual(before);
  });

  it.each(DIFFERENT)('is refused if it differs in %s', async (_, fields) => {
    const { put, plan, asked } = start();
    await put();
    asked();
    const { name, message } = await problemOf(put(fields));
    expect([name, message]).toEqual(['not-supported', expect.stringMatching(/cannot change a project.*delete it/s)]);
    await expectProblem('not-supported', () => plan(fields));
    expect(asked()).toEqual([]);
    expect(await put()).toMatchObject(UNCHANGED);
  });

  it('is compared with a creation, too', async () => {
    const { put, segue, world } = start();
    await segue.create(world.checked({ ...FIELDS, customId: 'page 1' }), world.call());
    expect(await put()).toMatchObject(UNCHANGED);
  });

  it('may name it by id, with or without its custom id', async () => {
    const { put, segue, world } = start();
    const made = await segue.create(world.checked(FIELDS), world.call());
    const named = await segue.create(world.checked({ ...FIELDS, customId: 'page 1' }), world.call());
    expect(await put({}, { ref: { id: made.id } })).toMatchObject({ ...UNCHANGED, customId: null });
    for (const fields of [{}, { customId: 'page 1' }])
      expect(await put(fields, { ref: { id: named.id } })).toMatchObject(UNCHANGED);
    for (const id of [made.id, named.id]) {
      const { name, occurrence } = await problemOf(put({ customId: 'page 2' }, { ref: { id } }));
      expect([name, occurrence.errors]).toMatchObject([
        'invalid-project',
        [{ pointer: '/customId', code: 'not-the-same' }],
      ]);
    }
  });

  it('is not equal any more after a task of the project was deleted', async () => {
    const { put, segue, world } = start();
    await put();
    world.settle();
    await segue.delete(PAGE, { kind: 'task', taskId: 't' }, world.call());
    for (const fields of [{}, { segments: [segment({ content: 'One' })] }])
      await expectProblem('not-supported', () => put(fields));
  });

  it('creates it again after its deletion', async () => {
    const { put, remove, world, upstream } = start();
    await put();
    world.settle();
    await remove();
    expect(await put({ name: 'Another' })).toMatchObject(CREATED);
    expect(await put({ name: 'Another' })).toMatchObject(UNCHANGED);
    expect(await upstream.names()).toEqual(['segue.company.n.page 1']);
  });

  it('does not need the scope create if nothing changes', async () => {
    const { put, world } = start();
    await put();
    expect(await put({}, { call: world.call({ scopes: ['update'] }) })).toMatchObject(UNCHANGED);
  });

  it('of a task is equal only if the whole project is the task', async () => {
    const { put, asked } = start();
    const whole = { segments: [segment({ content: 'One', taskId: 't' }), segment({ content: 'Two', taskId: 't' })] };
    await put(whole);
    asked();
    expect(await put(whole, { taskId: 't' })).toMatchObject(UNCHANGED);
    const others: readonly (readonly [JsonObject, string])[] = [
      [whole, 'u'],
      [FIELDS, 't'],
      [{ segments: [segment({ content: 'One', taskId: 't' })] }, 't'],
    ];
    for (const [fields, taskId] of others) {
      const { name, message } = await problemOf(put(fields, { taskId }));
      expect([name, message]).toEqual(['not-supported', expect.stringContaining('single task')]);
    }
    expect(asked()).toEqual([]);
  });
});

describe('a plan of a put', () => {
  it('shows what the put would do, and changes nothing', async () => {
    const { put, plan, asked, world } = start();
    const before = await Array.fromAsync(storedIn(world));
    const { customId: _, ...created } = CREATED;
    expect(await plan()).toEqual({ ...created, projectId: null, digest: expect.any(String) });
    expect(asked()).toEqual([]);
    expect(await Array.fromAsync(storedIn(world))).toEqual(before);
    const { projectId } = { projectId: 0, ...(await put()) };
    const { customId: __, ...unchanged } = UNCHANGED;
    expect(await plan()).toEqual({ ...unchanged, projectId, digest: expect.any(String) });
  });

  it('binds the put', async () => {
    const { put, plan, remove, world } = start();
    const planned = async () => {
      const made = await plan();
      return made.outcome === 'outdated' ? undefined : readPutToken(putToken(made));
    };
    const creation = await planned();
    await expectProblem('plan-outdated', () => put({ name: 'Another' }, { planned: creation }));
    expect(await put({}, { planned: creation })).toMatchObject(CREATED);
    await expectProblem('plan-outdated', () => put({}, { planned: creation }));
    const nothing = await planned();
    expect(await put({}, { planned: nothing })).toMatchObject(UNCHANGED);
    world.settle();
    await remove();
    await expectProblem('plan-outdated', () => put({}, { planned: nothing }));
  });

  it('is outdated like the put', async () => {
    const { put, plan } = start();
    await put({}, { revision: 7 });
    expect(await plan({}, { revision: 6 })).toMatchObject({ outcome: 'outdated', revision: 7 });
  });
});

describe('a put with a key', () => {
  it('returns what the first one did', async () => {
    const { put, world, upstream, asked } = start();
    const first = await put({}, { call: world.once('k') });
    expect(first).toMatchObject(CREATED);
    asked();
    const replays: string[] = [];
    const again = (key = 'k') =>
      put({}, { call: world.call({ idempotency: { key, replayed: () => replays.push(key) } }) });
    const { document: _, ...recorded } = { document: undefined, ...first };
    expect(await again()).toMatchObject(recorded);
    expect(asked()).toEqual(['read']);
    expect(await put({}, { call: world.once('l') })).toMatchObject(UNCHANGED);
    expect(await again('l')).toMatchObject(UNCHANGED);
    expect(replays).toEqual(['k', 'l']);
    for (const key of ['k', 'l'])
      expect(await upstream.state(key)).toMatchObject({ kind: 'done', result: { segments: 2 } });
    expect(await upstream.names()).toHaveLength(1);
  });

  it('names what differs from the first one', async () => {
    const { put, world } = start();
    await put({}, { call: world.once('k') });
    const { name, occurrence } = await problemOf(put({ name: 'Another' }, { call: world.once('k') }));
    expect([name, occurrence.errors?.map(({ pointer }) => pointer)]).toEqual(['idempotency-key-reused', ['/name']]);
    await expectProblem('idempotency-key-reused', () => put({}, { revision: 1, call: world.once('k') }));
  });

  it('is not repeated after the project was deleted', async () => {
    const { put, remove, world, upstream } = start();
    await put({}, { call: world.once('k') });
    world.settle();
    await remove();
    await expectProblem('project-deleted', () => put({}, { call: world.once('k') }));
    expect(await upstream.state('k')).toMatchObject({ kind: 'done', result: { name: 'project-deleted' } });
    expect(await upstream.names()).toEqual([]);
  });

  it('remembers that it was outdated', async () => {
    const { put, remove, world, upstream } = start();
    await put({}, { revision: 7 });
    const late = { outcome: 'outdated', revision: 7 };
    expect(await put({}, { revision: 6, call: world.once('k') })).toMatchObject(late);
    world.settle();
    await remove(9);
    expect(await put({}, { revision: 6, call: world.once('k') })).toMatchObject(late);
    expect(await upstream.state('k')).toEqual({ kind: 'done', result: late });
    await expectProblem('idempotency-key-reused', () => put({}, { revision: 5, call: world.once('k') }));
  });

  it('is free again after a put that was refused', async () => {
    const { put, world } = start();
    await put();
    const call = () => world.once('k');
    await expectProblem('not-supported', () => put({ name: 'Another' }, { call: call() }));
    expect(await put({}, { call: call() })).toMatchObject(UNCHANGED);
  });
});

describe('a put whose response is lost', () => {
  it('creates one project', async () => {
    const { put, world, upstream } = start();
    upstream.next('create', lost);
    expect(await put({}, { call: world.once('k') })).toMatchObject(CREATED);
    expect(await put({}, { call: world.once('k') })).toMatchObject(CREATED);
    expect(await upstream.names()).toHaveLength(1);
    expect(await put()).toMatchObject(UNCHANGED);
  });

  it('is found by the reconciler, with its counts, its digest and its revision', async () => {
    const { put, world, upstream, reconcile } = start();
    upstream.next('create', lost);
    upstream.next('find', absent);
    await expectProblem('outcome-unknown', () => put({}, { revision: 7, call: world.hurried('k') }));
    expect(await upstream.state()).toEqual({ kind: 'running' });
    expect(await reconcile()).toEqual({ ...NOTHING_OPEN, settled: 1 });
    expect(await upstream.state()).toMatchObject({ kind: 'done' });
    expect(await put({}, { revision: 7, call: world.once('k') })).toMatchObject(CREATED);
    expect(await put()).toMatchObject(UNCHANGED);
    expect(await put({}, { revision: 6 })).toMatchObject({ outcome: 'outdated', revision: 7 });
  });

  it('is over if the service never got it', async () => {
    const { put, world, upstream, reconcile, plan } = start();
    upstream.next('create', swallowed);
    upstream.next('find', absent);
    await expectProblem('outcome-unknown', () => put({}, { revision: 7, call: world.hurried('k') }));
    await expectProblem('unavailable', () => put({}, { revision: 8 }));
    world.settle();
    expect(await reconcile()).toEqual({ ...NOTHING_OPEN, settled: 1 });
    expect(await upstream.state()).toMatchObject({ kind: 'failed' });
    expect(await plan({}, { revision: 0 })).toMatchObject({ outcome: 'create' });
    expect(await put({}, { revision: 3 })).toMatchObject(CREATED);
  });

  it('goes on with its first revision after a kill', async () => {
    const { put, world, upstream } = start();
    upstream.next('create', killed);
    await expect(put({}, { revision: 7, call: world.once('k') })).rejects.toThrow('killed');
    world.settle();
    world.settle();
    expect(await put({}, { revision: 7, call: world.once('k') })).toMatchObject(CREATED);
    expect(await upstream.names()).toHaveLength(1);
    expect(await put({}, { revision: 6 })).toMatchObject({ outcome: 'outdated', revision: 7 });
  });
});

describe('puts at once', () => {
  it('create one project, and the others find it', async () => {
    const { put, upstream } = start();
    const results = await Promise.all(Array.from({ length: 5 }, () => put()));
    expect(results.map(({ outcome }) => outcome).sort()).toEqual(['create', ...Array(4).fill('unchanged')]);
    expect(await upstream.names()).toHaveLength(1);
  });

  it('are judged against the first one', async () => {
    const { put, upstream } = start();
    const [first, second] = await Promise.allSettled([
      put({}, { revision: 1 }),
      put({ name: 'Another' }, { revision: 2 }),
    ]);
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected']);
    expect(await upstream.names()).toHaveLength(1);
  });

  it('wait for a creation only while a request works on it', async () => {
    const { put, world, upstream } = start();
    upstream.next('create', killed);
    await expect(put({}, { call: world.once('k') })).rejects.toThrow('killed');
    world.settle();
    const startedAtMs = world.nowMs;
    const { name, occurrence } = await problemOf(put());
    expect([name, occurrence.retryAfterSeconds, world.nowMs]).toEqual(['unavailable', 5, startedAtMs]);
  });

  it('are decided again if the project is deleted meanwhile', async () => {
    const { put, remove, world, upstream } = start();
    await put({}, { revision: 1 });
    world.settle();
    let isDeleted = false;
    const segue = upstream.segue({
      storage: storeWith(world.storage, {
        async commit(batch) {
          if (!isDeleted) {
            isDeleted = true;
            await remove();
          }
          return world.storage.commit(batch);
        },
      }),
    });
    expect(await put({}, { revision: 2, segue })).toMatchObject(CREATED);
    expect(isDeleted).toBe(true);
    expect(await put({}, { revision: 1 })).toMatchObject({ outcome: 'outdated', revision: 2 });
  });
});

describe('a put during a deletion', () => {
  it.each([
    ['the project', ALL],
    ['a task', { kind: 'task', taskId: 't' } as const],
  ])('of %s waits for its end', async (_, scope) => {
    const { put, world, upstream, segue } = start();
    await put();
    world.settle();
    let during: ReturnType<typeof put> | undefined;
    upstream.next('remove', async (reach) => {
      during = put({}, { segue: upstream.segue({ sleep: async () => void (await deletion) }) });
      return reach();
    });
    const deletion = segue.delete(PAGE, scope, world.call());
    expect((await deletion).outcome).toBe('deleted');
    if (scope.kind === 'project') expect(await during).toMatchObject(CREATED);
    else await expectProblem('not-supported', () => during);
  });

  it.each(['equal', 'different'])('is not possible while the outcome is unknown, if it is %s', async (which) => {
    const { put, segue, world, upstream, reconcile } = start();
    await put({}, { revision: 1 });
    world.settle();
    upstream.next('remove', accepted);
    expect(await segue.delete(PAGE, ALL, world.once('k'))).toMatchObject({ outcome: 'pending' });
    const fields = which === 'equal' ? {} : { name: 'Another' };
    const { name, message } = await problemOf(put(fields, { revision: 2 }));
    expect([name, message]).toEqual(['unavailable', expect.stringContaining('deletion')]);
    for (const project of await upstream.heads()) await upstream.lose(project.id);
    expect(await reconcile()).toEqual({ ...NOTHING_OPEN, settled: 1 });
    expect(await put(fields, { revision: 1 })).toMatchObject({ outcome: 'outdated', revision: 1 });
    expect(await put(fields, { revision: 2 })).toMatchObject(CREATED);
  });

  it('goes on after a deletion that failed', async () => {
    const { put, segue, world, upstream } = start();
    await put();
    world.settle();
    upstream.next('remove', refuses(422, 'locked'));
    await expectProblem('upstream-refused', () => segue.delete(PAGE, ALL, world.once('k')));
    expect(await put()).toMatchObject(UNCHANGED);
  });

  it('does not get in between the check of a revision and the deletion', async () => {
    const { put, segue, world, upstream } = start();
    await put({}, { revision: 1 });
    world.settle();
    upstream.next('read', async (reach) => {
      expect(await put({}, { revision: 9 })).toMatchObject(UNCHANGED);
      return reach();
    });
    const remove = () => segue.delete(PAGE, { kind: 'project', revision: 5 }, world.call());
    await expectProblem('unavailable', remove);
    await expectProblem('revision-outdated', remove);
    expect(await put({}, { revision: 9 })).toMatchObject(UNCHANGED);
  });
});

describe('a revision', () => {
  it('lower than the last one changes nothing', async () => {
    const { put, asked, world } = start();
    await put({}, { revision: 7 });
    asked();
    const before = await Array.fromAsync(storedIn(world));
    expect(await put({ name: 'Another' }, { revision: 6 })).toMatchObject({ outcome: 'outdated', revision: 7 });
    expect(asked()).toEqual([]);
    expect(await Array.fromAsync(storedIn(world))).toEqual(before);
    expect(await put({}, { revision: 7 })).toMatchObject(UNCHANGED);
  });

  it('that is too low names the project, and no deleted one', async () => {
    const { put, remove, world } = start();
    const { projectId } = Object(await put({}, { revision: 7 }));
    const late = { outcome: 'outdated', revision: 7 };
    expect(await put({}, { revision: 6 })).toEqual({ ...late, project: { projectId, customId: 'page 1' } });
    world.settle();
    await remove();
    expect(await put({}, { revision: 6 })).toEqual(late);
  });

  it('of an equal put is remembered', async () => {
    const { put } = start();
    await put();
    expect(await put({}, { revision: 5 })).toMatchObject(UNCHANGED);
    expect(await put({}, { revision: 4 })).toMatchObject({ outcome: 'outdated', revision: 5 });
  });

  it('of a put that was refused is not', async () => {
    const { put } = start();
    await put({}, { revision: 5 });
    await expectProblem('not-supported', () => put({ name: 'Another' }, { revision: 9 }));
    expect(await put({}, { revision: 6 })).toMatchObject(UNCHANGED);
  });

  it.each([undefined, 7, 9])(
    'keeps a late put from bringing back what a deletion with revision %s deleted',
    async (of) => {
      const { put, remove, world, upstream } = start();
      await put({}, { revision: 7 });
      world.settle();
      await remove(of);
      world.nowMs += retentionMsOf('tombstone') - 1_000;
      const revision = of ?? 7;
      expect(await put({}, { revision })).toMatchObject({ outcome: 'outdated', revision });
      expect(await upstream.names()).toEqual([]);
      expect(await put({}, { revision: revision + 1 })).toMatchObject(CREATED);
      expect(await put({}, { revision })).toMatchObject({ outcome: 'outdated', revision: revision + 1 });
    },
  );

  it.each(['a deletion', 'a deletion that found no project'])(
    'that is remembered after %s is kept by a project that is made again without one',
    async (of) => {
      for (const made of ['create', 'put'] as const) {
        const { put, remove, world, segue } = start();
        const again = () =>
          made === 'put' ? put() : segue.create(world.checked({ ...FIELDS, customId: 'page 1' }), world.call());
        if (of === 'a deletion') {
          await put({}, { revision: 7 });
          world.settle();
          await remove();
        } else {
          await expectProblem('project-not-found', () => remove(7));
        }
        for (let times = 0; times < 2; times++) {
          world.nowMs += retentionMsOf('tombstone') - 1_000;
          await again();
          world.nowMs += 2 * retentionMsOf('tombstone');
          expect(await put({}, { revision: 7 })).toMatchObject({ outcome: 'outdated', revision: 7 });
          await remove();
        }
        world.nowMs += retentionMsOf('tombstone') - 1_000;
        expect(await put({}, { revision: 7 })).toMatchObject({ outcome: 'outdated', revision: 7 });
        world.nowMs += 1_000;
        expect(await put({}, { revision: 7 })).toMatchObject(CREATED);
      }
    },
  );

  it('is remembered after a creation without one that was refused', async () => {
    const { put, remove, world, segue, upstream } = start();
    await put({}, { revision: 7 });
    world.settle();
    await remove();
    const create = () => segue.create(world.checked({ ...FIELDS, customId: 'page 1' }), world.call());
    upstream.next('create', refuses(422, 'no-money'));
    await expectProblem('upstream-refused', create);
    await create();
    await expectProblem('custom-id-in-use', create);
    world.nowMs += 2 * retentionMsOf('tombstone');
    expect(await put({}, { revision: 7 })).toMatchObject({ outcome: 'outdated', revision: 7 });
  });

  it('is forgotten 30 days after the deletion', async () => {
    const { put, remove, world } = start();
    await put({}, { revision: 7 });
    world.settle();
    await remove();
    world.nowMs += retentionMsOf('tombstone');
    expect(await put({}, { revision: 1 })).toMatchObject(CREATED);
  });

  it('of a late deletion refuses it', async () => {
    const { put, remove, asked, world, segue } = start();
    await put({}, { revision: 7 });
    const { id } = await segue.get(PAGE, undefined, world.call());
    world.settle();
    asked();
    for (const ref of [PAGE, { id }]) await expectProblem('revision-outdated', () => remove(6, ref));
    expect(asked()).toEqual([]);
    expect(await put({}, { revision: 7 })).toMatchObject(UNCHANGED);
    expect((await remove(7)).outcome).toBe('deleted');
    await expectProblem('revision-outdated', () => remove(6));
    await expectProblem('project-not-found', () => remove(7));
  });

  it('of a deletion that finds nothing is remembered, if it names a custom id', async () => {
    const { put, remove, asked } = start();
    await expectProblem('project-not-found', () => remove(7, { id: 5 }));
    await expectProblem('project-not-found', () => remove(7));
    expect(asked()).toEqual([]);
    expect(await put({}, { revision: 7 })).toMatchObject({ outcome: 'outdated', revision: 7 });
    expect(await put({}, { revision: 8 })).toMatchObject(CREATED);
  });

  it.each([
    ['its custom id', undefined],
    ['its id', 'id'],
  ])('of a deletion by %s whose project is gone at the service is remembered', async (_, by) => {
    const { put, remove, segue, world, upstream } = start();
    await put();
    const { id } = await segue.get(PAGE, undefined, world.call());
    world.settle();
    await upstream.lose(id);
    await expectProblem('project-not-found', () => remove(7, by ? { id } : PAGE));
    expect(await put({}, { revision: 7 })).toMatchObject({ outcome: 'outdated', revision: 7 });
  });

  it('of a deletion that another one overtakes is remembered', async () => {
    const { put, remove, world, upstream } = start();
    await put();
    world.settle();
    upstream.next('remove', async (reach) => {
      expect((await remove()).outcome).toBe('deleted');
      return reach();
    });
    await expectProblem('project-not-found', () => remove(7));
    expect(await put({}, { revision: 7 })).toMatchObject({ outcome: 'outdated', revision: 7 });
    expect(await put({}, { revision: 8 })).toMatchObject(CREATED);
  });

  it.each([2, undefined])(
    'of a deletion that is open is remembered by another one, of the revision %s',
    async (other) => {
      const { put, remove, world, upstream } = start();
      await put();
      world.settle();
      upstream.next('remove', accepted);
      expect(await remove(9, PAGE, world.once('k'))).toMatchObject({ outcome: 'pending' });
      expect((await remove(other)).outcome).toBe('deleted');
      expect(await put({}, { revision: 9 })).toMatchObject({ outcome: 'outdated', revision: 9 });
      expect(await put({}, { revision: 10 })).toMatchObject(CREATED);
    },
  );

  it('of a deletion that failed makes no put late', async () => {
    const { put, remove, world, upstream } = start();
    await put({}, { revision: 3 });
    world.settle();
    upstream.next('remove', refuses(422, 'locked'));
    await expectProblem('upstream-refused', () => remove(9));
    expect(await put({}, { revision: 4 })).toMatchObject(UNCHANGED);
  });

  it('of a deletion that finds nothing does not hold back what a later put has created', async () => {
    const { put, remove, world, upstream } = start();
    await put();
    world.settle();
    upstream.next('remove', async (reach) => {
      expect((await remove()).outcome).toBe('deleted');
      expect(await put({}, { revision: 9 })).toMatchObject(CREATED);
      return reach();
    });
    await expectProblem('project-not-found', () => remove(7));
    expect(await put({}, { revision: 9 })).toMatchObject(UNCHANGED);
  });

  it('of a project without a custom id is remembered under its id', async () => {
    const { put, segue, world } = start();
    const { id } = await segue.create(world.checked(FIELDS), world.call());
    const ref = { id };
    expect(await put({}, { ref, revision: 7 })).toMatchObject({ outcome: 'unchanged' });
    expect(await put({}, { ref, revision: 6 })).toMatchObject({ outcome: 'outdated', revision: 7 });
  });

  it('of a deletion waits for the end of a creation', async () => {
    const { put, remove, world, upstream, reconcile } = start();
    upstream.next('create', lost);
    upstream.next('find', absent);
    await expectProblem('outcome-unknown', () => put({}, { revision: 7, call: world.hurried('k') }));
    await expectProblem('request-in-progress', () => remove(9));
    await reconcile();
    world.settle();
    expect((await remove(9)).outcome).toBe('deleted');
    expect(await put({}, { revision: 8 })).toMatchObject({ outcome: 'outdated', revision: 9 });
  });

  it('of a deletion that comes first refuses the put that is being planned', async () => {
    const { put, remove, world, upstream } = start();
    let isFirst = true;
    const segue = upstream.segue({
      storage: storeWith(world.storage, {
        async commit(batch) {
          if (isFirst) {
            isFirst = false;
            await expectProblem('project-not-found', () => remove(9));
          }
          return world.storage.commit(batch);
        },
      }),
    });
    expect(await put({}, { revision: 8, segue })).toMatchObject({ outcome: 'outdated', revision: 9 });
    expect(await upstream.names()).toEqual([]);
  });

  it('survives a deletion whose response is lost', async () => {
    const { put, remove, world, upstream, reconcile } = start();
    await put({}, { revision: 7 });
    world.settle();
    upstream.next('remove', lost);
    upstream.next('read', there, failing);
    await expectProblem('outcome-unknown', () => remove(9, PAGE, world.hurried('k')));
    upstream.next('read');
    await reconcile();
    expect(await upstream.state()).toMatchObject({ kind: 'done' });
    expect(await put({}, { revision: 8 })).toMatchObject({ outcome: 'outdated', revision: 9 });
  });
});

it('the store has no content of puts, and equal contents have different digests', async () => {
  const { put, world } = start();
  const secret = 'A very secret text';
  for (const customId of ['page 1', 'page 2'])
    await put({ segments: [segment({ content: secret })], name: 'Equal' }, { ref: { customId }, revision: 1 });
  const stored = await Array.fromAsync(storedIn(world));
  expect(stored.join('\n')).not.toContain(secret);
  const digests = stored.flatMap((data) => /"request":\{"salt":"[^"]+","digest":"([^"]+)"/.exec(data)?.[1] ?? []);
  expect(new Set(digests).size).toBe(2);
});

/** Yields the data of all items of the company. */
async function* storedIn({ storage, companyId }: HostedUpstream['world']) {
  const { items } = await storage.list(`company/${companyId}`, { prefix: '', limit: 1_000, maxBytes: 1e9 });
  for (const { sort, data, version } of items) yield `${sort} ${version} ${JSON.stringify(data)}`;
}
