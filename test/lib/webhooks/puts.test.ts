import { describe, expect, it } from 'vitest';
import { putScopeMissing } from '../../../lib/contract/failures.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import type { CallContext, DeletionScope, ProjectService } from '../../../lib/service/port.ts';
import type { PutRequest } from '../../../lib/service/put.ts';
import { checkSample, type PreviewPut } from '../../../lib/webhooks/check-sample.ts';
import type { SourceScope } from '../../../lib/webhooks/sources.ts';
import { PUT_COUNTS, putResult } from '../../support/put-results.ts';
import { problemOf } from '../support.ts';
import { creation, type DeliveryWorld, unavailable, worldWith } from './world.ts';

const { automaticCharacters: _, ...COUNTS } = PUT_COUNTS;
const PAGE = { put: creation({ customId: 'page' }).create, revision: '2026-11-20T09:00:00Z' };
const REVISION = Date.UTC(2026, 10, 20, 9);

/** Returns the service of a world, which puts as given, with the calls of `put`. */
function putting(world: DeliveryWorld, put: ProjectService['put']) {
  const calls: { readonly request: PutRequest; readonly call: CallContext }[] = [];
  const service: ProjectService = {
    ...world.hosted(),
    put: async (request, call) => {
      calls.push({ request, call });
      return put(request, call);
    },
  };
  return { service, calls };
}

describe('a message with a put', () => {
  it('puts under a key, with the scopes of its source, and has a small result', async () => {
    const { world, message } = await worldWith(PAGE);
    const { service, calls } = putting(world, async () => putResult());
    expect(await world.run({ service })).toMatchObject({ done: 1 });
    const result = { projectId: 5, customId: 'page', outcome: 'update', ...COUNTS };
    expect(await world.stateOf(message)).toMatchObject({ kind: 'done', result });
    expect(calls).toMatchObject([
      {
        request: { ref: { customId: 'page' }, revision: REVISION },
        call: {
          scopes: ['create', 'update', 'delete'],
          requestedBy: { kind: 'source', id: 'cms' },
          idempotency: { key: expect.stringContaining('webhook cms') },
        },
      },
    ]);
  });

  it('that is late is done, and says the higher revision', async () => {
    const { world, message } = await worldWith(PAGE);
    const { service } = putting(world, async () => ({ outcome: 'outdated', revision: REVISION + 1 }));
    expect(await world.run({ service })).toMatchObject({ done: 1, dead: 0 });
    const result = { outcome: 'outdated', revision: REVISION + 1 };
    expect(await world.stateOf(message)).toMatchObject({ kind: 'done', result });
  });

  it('is a dead letter at once if its source lacks the scope for what it would remove', async () => {
    const { world } = await worldWith(PAGE);
    const scopes: SourceScope[] = ['create', 'update'];
    world.sources.set('cms', { name: 'cms', companyId: 'acme', mapping: 'body', scopes });
    const { service, calls } = putting(world, () => Promise.reject(putScopeMissing('delete', 'remove 3 segments')));
    expect(await world.run({ service })).toMatchObject({ dead: 1, postponed: 0 });
    expect(calls).toMatchObject([{ call: { scopes } }]);
    const detail = expect.stringMatching(/remove 3 segments.*scope delete/);
    expect(await world.deadLetter()).toMatchObject({ attempts: 1, failure: { problem: 'scope-missing', detail } });
  });

  it.each<[SourceScope[], boolean]>([
    [['delete'], false],
    [['create'], true],
    [['update'], true],
  ])('of a source with the scopes %j reaches the service: %s', async (scopes, reaches) => {
    const { world } = await worldWith(PAGE);
    world.sources.set('cms', { name: 'cms', companyId: 'acme', mapping: 'body', scopes });
    const { service, calls } = putting(world, async () => putResult());
    await world.run({ service });
    expect(calls).toHaveLength(reaches ? 1 : 0);
    if (reaches) return;
    const detail = 'The webhook source lacks the scope create or update. Segue did nothing.';
    expect(await world.deadLetter()).toMatchObject({ failure: { problem: 'scope-missing', detail } });
  });

  it('is tried again after a failure that may pass, under the same key', async () => {
    const { world } = await worldWith(PAGE);
    let fails = true;
    const { service, calls } = putting(world, async () => {
      if (fails) throw unavailable();
      return putResult();
    });
    expect(await world.run({ service })).toMatchObject({ postponed: 1 });
    fails = false;
    await world.settle({ service });
    const [first, second] = calls.map(({ call }) => call.idempotency?.key);
    expect([calls.length, first]).toEqual([2, second]);
  });

  it('is a dead letter with every fault if its project breaks rules', async () => {
    const { world } = await worldWith({ put: creation({ name: null }).create });
    expect(await world.run()).toMatchObject({ dead: 1 });
    const errors = expect.arrayContaining([
      expect.objectContaining({ pointer: '/name' }),
      expect.objectContaining({ pointer: '/customId', code: 'required' }),
    ]);
    expect(await world.deadLetter()).toMatchObject({ failure: { problem: 'invalid-project', errors } });
  });
});

describe('the hosted service', () => {
  const page = (revision: number, name: string) => ({
    put: creation({ customId: 'page', name }).create,
    revision,
  });
  const deletion = (revision: number) => ({ delete: { scope: 'project', customId: 'page', revision } });

  /** Sends a message, and returns the outcome of its command. */
  async function sent(world: DeliveryWorld, body: unknown) {
    const message = world.message(body, { id: crypto.randomUUID() });
    await world.inbox.accept(message);
    await world.run();
    const state = await world.stateOf(message);
    return state.kind === 'done' ? Object(state.result).outcome : state.kind;
  }

  it('keeps the newest of messages in any order, and brings nothing back that was deleted', async () => {
    const { world } = await worldWith('null');
    expect(await sent(world, page(2, 'Two'))).toBe('create');
    expect(await sent(world, page(1, 'One'))).toBe('outdated');
    expect(await sent(world, deletion(1))).toBe('already-newer');
    expect(await world.names()).toEqual(['Two']);
    expect(await sent(world, page(3, 'Three'))).toBe('update');
    expect(await sent(world, page(3, 'Three'))).toBe('unchanged');
    expect(await sent(world, deletion(4))).toBe('deleted');
    expect(await sent(world, page(3, 'Three'))).toBe('outdated');
    expect(await sent(world, page(4, 'Four'))).toBe('outdated');
    expect(await world.names()).toEqual([]);
    expect(await sent(world, page(5, 'Five'))).toBe('create');
  });

  it('changes nothing by a dead letter that is redriven after the deletion', async () => {
    const { world } = await worldWith(page(1, 'One'));
    const refused = () => Promise.reject(new Problem('upstream-refused', { detail: 'No.' }));
    await world.run({ service: { ...world.hosted(), put: refused } });
    await sent(world, page(2, 'Two'));
    await sent(world, deletion(3));
    await world.redrive();
    expect(await world.run()).toMatchObject({ done: 1, dead: 0 });
    expect(await world.names()).toEqual([]);
  });

  it('removes nothing for a source without the scope to delete', async () => {
    const { world } = await worldWith('null');
    const segments = [{ content: 'One' }, { content: 'Two' }];
    await sent(world, { put: creation({ customId: 'page', segments }).create });
    world.sources.set('cms', { name: 'cms', companyId: 'acme', mapping: 'body', scopes: ['create', 'update'] });
    const fewer = { put: creation({ customId: 'page', segments: [{ content: 'Two' }] }).create };
    expect(await sent(world, fewer)).toBe('dead');
    const detail = expect.stringMatching(/remove 1 segment.*scope delete/);
    expect(await world.deadLetter()).toMatchObject({ failure: { problem: 'scope-missing', detail } });
    const kept = await world.hosted().removal({ customId: 'page' }, { kind: 'project' }, world.call());
    expect(kept.removes.segments).toBe(2);
  });
});

it('a late deletion is done, and deletes nothing', async () => {
  const { world, message } = await worldWith({ delete: { scope: 'project', customId: 'page', revision: 1 } });
  const scopes: DeletionScope[] = [];
  const service: ProjectService = {
    ...world.hosted(),
    delete: (_ref, scope) => {
      scopes.push(scope);
      return Promise.reject(new Problem('revision-outdated', { detail: 'The project is newer.' }));
    },
  };
  expect(await world.run({ service })).toMatchObject({ done: 1 });
  expect(scopes).toEqual([{ kind: 'project', revision: 1 }]);
  const result = { scope: 'project', outcome: 'already-newer' };
  expect(await world.stateOf(message)).toMatchObject({ kind: 'done', result });
});

describe('the test of a sample', () => {
  const input = { headers: {}, body: [PAGE, { delete: { scope: 'project', customId: 'x' } }] };
  const check = (previewPut?: PreviewPut, body: unknown = input.body) =>
    checkSample('body', { ...input, body }, { nowMs: REVISION, scopes: ['create'], previewPut });

  it('says what its puts would do, with the scopes of the source', async () => {
    const effect = { outcome: 'update', ...COUNTS, automaticCharacters: 40 } as const;
    const previewed: unknown[] = [];
    const previewPut: PreviewPut = async (put, scopes) => {
      previewed.push([put.revision, scopes]);
      return effect;
    };
    const { commands, puts, creations } = await check(previewPut, [PAGE, creation()]);
    expect(commands).toHaveLength(2);
    expect(puts).toEqual([effect, undefined]);
    expect(creations).toMatchObject([undefined, { segments: 1, automaticCharacters: 0 }]);
    expect(previewed).toEqual([[REVISION, ['create']]]);
  });

  it('checks a put without a service', async () => {
    expect((await check(undefined, PAGE)).puts).toEqual([undefined]);
    const problem = await problemOf(check(undefined, { put: creation().create }));
    expect(problem.occurrence.errors).toMatchObject([{ pointer: '/customId', code: 'required' }]);
  });

  it('fails as the put would', async () => {
    const refused = new Problem('not-supported', { detail: 'Not here.' });
    expect((await problemOf(check(() => Promise.reject(refused), PAGE))).name).toBe('not-supported');
  });
});
