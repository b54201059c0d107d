import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { requireActiveCompany } from '../../../lib/credentials/company-record.ts';
import { keyGuard, storedKeys } from '../../../lib/credentials/key-directory.ts';
import { hostedService } from '../../../lib/hosted/service.ts';
import { tombstoneKey } from '../../../lib/idempotency/tombstones.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { messageKey } from '../../../lib/webhooks/delivery-records.ts';
import { type Mapper, MappingOverLimit } from '../../../lib/webhooks/mapping/mapper.ts';
import { LEASE_MS, MAX_ATTEMPTS } from '../../../lib/webhooks/retry-policy.ts';
import { throughout } from '../../faults/faulty.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { expectProblem } from '../support.ts';
import { creation, DAY_MS, DeliveryWorld, identity, MINUTE_MS } from './world.ts';

const NOTHING_LEFT = { postponed: 0, dead: 0, left: 0, oldestMs: 0, letters: 0 };

/** A service that fails at whatever it is asked. */
function failing(world: DeliveryWorld, problem: unknown): ProjectService {
  const fail = () => Promise.reject(problem);
  return { ...world.service(), create: fail, delete: fail };
}

const later = (retryAfterSeconds?: number) =>
  new Problem('unavailable', { detail: 'Not now.', ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });

/** Everything in a store, as text. */
const textOf = (store: unknown) => JSON.stringify(store instanceof MemoryStorage ? store.all() : undefined);

describe('a delivery', () => {
  it('is carried out once, and known for two weeks after that, without a trace of its message', async () => {
    const world = new DeliveryWorld();
    const message = world.message(creation({ customId: 'canary page' }), { headers: { 'x-canary': 'canary header' } });
    expect(await world.inbox.accept(message)).toBe('accepted');
    expect(await world.inbox.accept(message)).toBe('repeated');
    expect(await world.run()).toEqual({ ...NOTHING_LEFT, done: 1 });
    expect(await world.stateOf(message)).toMatchObject({ kind: 'done', attempts: 1, result: { segments: 1 } });
    const base64 = Buffer.from(message.body).toString('base64').slice(0, 40);
    for (const trace of ['canary', base64]) expect(textOf(world.store)).not.toContain(trace);

    world.nowMs += 14 * DAY_MS - 1;
    expect(await world.inbox.accept({ ...message, receivedAtMs: world.nowMs })).toBe('repeated');
    expect(await world.run()).toEqual({ ...NOTHING_LEFT, done: 0 });
    expect(await world.made()).toEqual(['canary page']);
  });

  it('that comes again after its id is forgotten is another one', async () => {
    const world = new DeliveryWorld();
    const message = world.message(creation({ customId: 'page' }));
    await world.inbox.accept(message);
    await world.run();
    world.nowMs += 14 * DAY_MS;
    expect(await world.inbox.accept({ ...message, receivedAtMs: world.nowMs })).toBe('accepted');
    expect(await world.run()).toMatchObject({ dead: 1 });
    expect(await world.dead()).toMatchObject([{ failure: { problem: 'custom-id-in-use' } }]);
  });

  it('with an id that another message had is refused', async () => {
    const world = new DeliveryWorld();
    await world.inbox.accept(world.message('{}', { id: 'theirs' }));
    await expectProblem('idempotency-key-reused', () => world.inbox.accept(world.message('[]', { id: 'theirs' })));
    const other = { id: 'theirs', source: 'other' };
    expect(await world.inbox.accept(world.message('[]', other))).toBe('accepted');
  });

  it('may be as large as a message may', async () => {
    const world = new DeliveryWorld();
    const content = randomBytes(90_000).toString('base64') + randomBytes(90_000).toString('hex').slice(0, 120_000);
    const message = world.message(creation({ segments: [{ content }] }), { headers: { x: 'y'.repeat(10_000) } });
    expect(message.body.length).toBeGreaterThan(239_000);
    await world.inbox.accept(message);
    const item = await world.store.read(messageKey(message));
    expect(JSON.stringify(item?.data).length).toBeLessThan(390_000);
    expect(await world.run()).toMatchObject({ done: 1 });
  });

  it('keeps numbers apart that are too large to be told apart, and all others numbers', async () => {
    const world = new DeliveryWorld();
    const seen: unknown[] = [];
    const apply: Mapper['apply'] = async (_, { body }) => void seen.push(body);
    const text =
      '{"id":9007199254740993,"ids":[9007199254740992,-9007199254740993],"safe":9007199254740991,"x":1e30,"__proto__":1}';
    await world.inbox.accept(world.message(text));
    expect(await world.run({ mapper: { ...identity, apply } })).toMatchObject({ done: 1 });
    const [body] = seen;
    expect(JSON.stringify(body)).toBe(
      '{"id":"9007199254740993","ids":["9007199254740992","-9007199254740993"],"safe":9007199254740991,"x":1e+30,"__proto__":1}',
    );
  });

  it('deletes what it names, and is content where that is gone', async () => {
    const world = new DeliveryWorld();
    await world.inbox.accept(world.message(creation({ customId: 'page' })));
    await world.run();
    for (const id of ['one', 'two']) {
      await world.inbox.accept(world.message({ delete: { scope: 'project', customId: 'page' } }, { id }));
    }
    expect(await world.run()).toEqual({ ...NOTHING_LEFT, done: 2 });
    expect(await world.made()).toEqual([]);
    const outcomes = await Promise.all(['one', 'two'].map((id) => world.stateOf({ source: 'cms', id })));
    expect(outcomes.map((state) => state.kind === 'done' && state.result)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ outcome: 'deleted' }),
        expect.objectContaining({ outcome: 'already-absent' }),
      ]),
    );
  });

  it.each([null, undefined])('whose mapping gives %s is done', async (result) => {
    const world = new DeliveryWorld();
    await world.inbox.accept(world.message('{}'));
    expect(await world.run({ mapper: { ...identity, apply: async () => result } })).toMatchObject({ done: 1 });
  });

  it.each([
    ['twice is done by the third attempt', 2, { done: 1 }],
    ['three times is a dead letter', 3, { dead: 1 }],
  ])('whose mapping takes too much %s', async (_, failures, end) => {
    const world = new DeliveryWorld();
    const message = world.message(creation({ customId: 'page' }));
    await world.inbox.accept(message);
    let left = failures;
    const mapper: Mapper = {
      ...identity,
      apply: async (_mapping, { body }) => {
        if (left-- > 0) throw new MappingOverLimit('The mapping took too much.');
        return body;
      },
    };
    // Attempts that fail for other reasons are not among the three.
    await world.run({ service: failing(world, later()) });
    for (let attempt = 1; attempt < 3; attempt++) {
      world.nowMs += MINUTE_MS;
      expect(await world.run({ mapper })).toMatchObject({ postponed: 1, dead: 0 });
    }
    world.nowMs += MINUTE_MS;
    expect(await world.run({ mapper })).toMatchObject({ postponed: 0, ...end });
    expect(await world.made()).toEqual(failures === 2 ? ['page'] : []);
    const failure = { problem: 'mapping-failed', detail: 'The mapping took too much.' };
    expect(await world.dead()).toMatchObject(failures === 3 ? [{ id: message.id, attempts: 4, failure }] : []);
  });

  it('whose mapping took too much has three attempts again when it is redriven', async () => {
    const world = new DeliveryWorld();
    await world.inbox.accept(world.message('{}'));
    const apply = () => Promise.reject(new MappingOverLimit('The mapping took too much.'));
    for (let opened = 0; opened < 2; opened++) {
      for (let attempt = 0; attempt < 3; attempt++) {
        await world.run({ mapper: { ...identity, apply } });
        world.nowMs += MINUTE_MS;
      }
      const letters = await world.dead();
      expect(letters).toMatchObject([{ attempts: 3 }]);
      for (const letter of letters) await world.letters.redrive(letter);
    }
  });

  it('is worked on with the mapping that its source has by then', async () => {
    const world = new DeliveryWorld();
    const seen: string[] = [];
    const apply = async (mapping: string) => void seen.push(mapping);
    await world.inbox.accept(world.message('{}'));
    world.sources.set('cms', { name: 'cms', companyId: 'acme', mapping: 'newer' });
    await world.run({ mapper: { ...identity, apply } });
    expect(seen).toEqual(['newer']);
  });
});

describe('a delivery that fails', () => {
  it.each<[string, unknown, object]>([
    ['is no JSON', '{', { problem: 'malformed-json', errors: [{ pointer: '', code: 'syntax' }] }],
    ['has a key twice', '{"a":1,"a":2}', { problem: 'malformed-json', errors: [{ code: 'duplicate-key' }] }],
    ['is no command', { remove: 1 }, { problem: 'invalid-parameter' }],
    [
      'is two commands',
      { ...creation(), delete: { scope: 'project', projectId: 1 } },
      { problem: 'invalid-parameter' },
    ],
    ['names no task', { delete: { scope: 'task', projectId: 1 } }, { problem: 'invalid-parameter' }],
    ['is no project', { create: [] }, { problem: 'invalid-project', errors: [{ pointer: '' }] }],
    [
      'breaks two rules',
      creation({ name: null, segments: [] }),
      { problem: 'invalid-project', errors: [{ pointer: '/name' }, { pointer: '/segments', code: 'too-few' }] },
    ],
  ])('for good, as it %s, is a dead letter with every fault', async (_, body, failure) => {
    const world = new DeliveryWorld();
    const message = world.message(body, { headers: { 'x-topic': 'made' } });
    await world.inbox.accept(message);
    expect(await world.run()).toEqual({ ...NOTHING_LEFT, done: 0, dead: 1, letters: 1 });
    expect(await world.dead()).toMatchObject([{ source: 'cms', id: message.id, companyId: 'acme', failure }]);
    expect(await world.letters.message(message)).toEqual({ headers: message.headers, body: Buffer.from(message.body) });
    expect(await world.inbox.accept(message)).toBe('repeated');
    world.nowMs += DAY_MS;
    expect(await world.run()).toMatchObject({ dead: 0, letters: 1 });
    expect(await world.made()).toEqual([]);
  });

  it('is carried out once if its dead letter is redriven as late as there is a message', async () => {
    const world = new DeliveryWorld();
    const message = world.message(creation());
    await world.inbox.accept(message);
    const service = world.service();
    const lost: ProjectService = {
      ...service,
      async create(...request) {
        await service.create(...request);
        throw new Problem('outcome-unknown', { detail: 'The answer was lost.' });
      },
    };
    for (let state = await world.stateOf(message); state.kind === 'open'; state = await world.stateOf(message)) {
      world.nowMs = state.dueMs;
      await world.run({ service: lost });
    }
    expect(await world.dead()).toMatchObject([{ failure: { problem: 'outcome-unknown' } }]);
    world.nowMs = message.receivedAtMs + 14 * DAY_MS - 1;
    const [letter] = await world.dead();
    if (!letter) throw new Error('There is a dead letter');
    expect(await world.letters.redrive(letter)).toBe(true);
    expect(await world.run()).toMatchObject({ done: 1 });
    expect(await world.names()).toHaveLength(1);
  });

  it('for a while is tried again, later each time, and not before it was asked to', async () => {
    const world = new DeliveryWorld();
    const message = world.message(creation({ customId: 'page' }));
    await world.inbox.accept(message);
    const pauses: number[] = [];
    for (const retryAfter of [undefined, undefined, undefined, 600, undefined]) {
      const began = world.nowMs;
      expect(await world.run({ service: failing(world, later(retryAfter)) })).toMatchObject({ postponed: 1, left: 0 });
      const state = await world.stateOf(message);
      world.nowMs = state.kind === 'open' ? state.dueMs - 1 : 0;
      expect(await world.run()).toMatchObject({ done: 0 });
      world.nowMs++;
      pauses.push(world.nowMs - began);
    }
    expect(pauses).toEqual([2_000, 4_000, 8_000, 600_000, 32_000]);
    expect(await world.run()).toMatchObject({ done: 1 });
    expect(await world.made()).toEqual(['page']);
  });

  it('waits by chance up to half of that less', async () => {
    const world = new DeliveryWorld();
    const message = world.message(creation());
    await world.inbox.accept(message);
    await world.run({ service: failing(world, later()), random: () => 0.999 });
    expect(await world.stateOf(message)).toMatchObject({ dueMs: world.nowMs + 1_001 });
  });

  it.each([
    ['an outcome that is unknown', new Problem('outcome-unknown', { detail: 'Lost.' }), 'outcome-unknown'],
    ['what nobody expected', new TypeError('canary'), 'internal-error'],
    ['a request in progress', new Problem('request-in-progress', { detail: 'Wait.' }), 'request-in-progress'],
    ['a rate', new Problem('rate-limited', { detail: 'Slow.', retryAfterSeconds: 1 }), 'rate-limited'],
  ])('with %s is tried again', async (_, problem, name) => {
    const world = new DeliveryWorld();
    const message = world.message(creation());
    await world.inbox.accept(message);
    expect(await world.run({ service: failing(world, problem) })).toMatchObject({ postponed: 1 });
    expect(await world.stateOf(message)).toMatchObject({ kind: 'open', failure: { problem: name } });
    expect(textOf(world.store)).not.toContain('canary');
    const error = problem instanceof Problem ? problem : expect.objectContaining({ cause: problem });
    expect(world.failures).toEqual([expect.objectContaining({ end: 'postponed', companyId: 'acme', error })]);
  });

  it.each([
    ['too often', 0],
    ['for too long', 30 * MINUTE_MS],
  ])('%s is a dead letter with its last failure', async (_, stepMs) => {
    const world = new DeliveryWorld();
    const message = world.message(creation());
    await world.inbox.accept(message);
    let runs = 0;
    for (; (await world.dead()).length === 0 && runs < 100; runs++) {
      await world.run({ service: failing(world, later()) });
      const state = await world.stateOf(message);
      world.nowMs = Math.max(world.nowMs + stepMs, state.kind === 'open' ? state.dueMs : 0);
    }
    expect(await world.dead()).toMatchObject([{ failure: { problem: 'unavailable' } }]);
    const { receivedAtMs, attempts } = await world.stateOf(message);
    expect(world.nowMs - receivedAtMs).toBeGreaterThan(DAY_MS / 2);
    expect(world.nowMs - receivedAtMs).toBeLessThan(2 * DAY_MS);
    expect(attempts).toBe(runs);
    expect(attempts).toBeLessThanOrEqual(MAX_ATTEMPTS);
  });

  it.each([
    ['removed', undefined],
    ['another company’s', { name: 'cms', companyId: 'other', mapping: 'body' }],
  ])('as its source is %s is a dead letter', async (_, source) => {
    const world = new DeliveryWorld();
    await world.inbox.accept(world.message(creation()));
    expect(await world.run({ findSource: async () => source })).toMatchObject({ dead: 1 });
    expect(await world.dead()).toMatchObject([{ companyId: 'acme', failure: { problem: 'mapping-failed' } }]);
    expect([await world.made('acme'), await world.made('other')]).toEqual([[], []]);
  });

  it.each([
    ['deletes', ['create'], { delete: { scope: 'project', customId: 'page' } }, 'delete'],
    ['creates', ['delete'], creation({ customId: 'other' }), 'create'],
  ] as const)(
    'for a scope that its source lacks is a dead letter at once: it %s',
    async (_, scopes, asked, missing) => {
      const world = new DeliveryWorld();
      await world.inbox.accept(world.message(creation({ customId: 'page' })));
      await world.run();
      world.sources.set('cms', { name: 'cms', companyId: 'acme', mapping: 'body', scopes });
      const message = world.message(asked);
      await world.inbox.accept(message);
      expect(await world.run()).toMatchObject({ done: 0, postponed: 0, dead: 1 });
      const failure = { problem: 'scope-missing', detail: expect.stringContaining(missing) };
      expect(await world.dead()).toMatchObject([{ id: message.id, attempts: 1, failure }]);
      expect(await world.made()).toEqual(['page']);
    },
  );

  it('to delete leaves a tombstone that names its source', async () => {
    const world = new DeliveryWorld();
    await world.inbox.accept(world.message(creation({ customId: 'page' })));
    await world.run();
    await world.inbox.accept(world.message({ delete: { scope: 'project', customId: 'page' } }));
    await world.run();
    const tombstone = await world.projects.read(tombstoneKey('acme', { customId: 'page' }));
    expect(tombstone?.data).toMatchObject({ requestedBy: { kind: 'source', id: 'cms' } });
  });

  it('to delete is refused by the deleting transaction, however late its company is suspended', async () => {
    for (let suspendBefore = 1; ; suspendBefore++) {
      const world = new DeliveryWorld();
      const companies = companiesIn(world.projects, world.now);
      await companies.register('acme');
      await world.inbox.accept(world.message(creation({ customId: 'page' })));
      await world.run();
      await world.inbox.accept(world.message({ delete: { scope: 'project', customId: 'page' } }));
      let calls = 0;
      let isSuspendedInTime = false;
      const storage = throughout(world.projects, async (work) => {
        if (++calls === suspendBefore) {
          isSuspendedInTime = (await world.made()).length === 1;
          await companies.setState('acme', 'suspended');
        }
        return work();
      });
      const guard = keyGuard(storedKeys(storage));
      const service = hostedService({ storage, now: world.now, random: () => 0.5, guard });
      await world.run({ service });
      expect({ suspendBefore, made: await world.made() }).toEqual({
        suspendBefore,
        made: isSuspendedInTime ? ['page'] : [],
      });
      if (isSuspendedInTime) expect(await world.dead()).toMatchObject([{ failure: { problem: 'company-suspended' } }]);
      if (calls < suspendBefore) break;
    }
  });

  it('as its company is suspended is a dead letter, which is carried out when it is redriven after the company is resumed', async () => {
    const world = new DeliveryWorld();
    const companies = companiesIn(world.projects, world.now);
    await companies.register('acme');
    const requireCompany = requireActiveCompany(() => world.projects);
    await world.inbox.accept(world.message(creation({ customId: 'page' })));
    await companies.setState('acme', 'suspended');
    expect(await world.run({ requireCompany })).toMatchObject({ done: 0, dead: 1 });
    const [letter] = await world.dead();
    expect(letter).toMatchObject({ failure: { problem: 'company-suspended' } });
    expect(await world.made()).toEqual([]);
    await companies.setState('acme', 'active');
    if (letter) await world.letters.redrive(letter);
    expect(await world.run({ requireCompany })).toMatchObject({ done: 1, dead: 0 });
    expect(await world.made()).toEqual(['page']);
  });

  it('to say that it was carried out is done when it is tried again, whatever was deleted since', async () => {
    const world = new DeliveryWorld();
    const message = world.message(creation({ customId: 'page' }));
    await world.inbox.accept(message);
    const store = { ...bound(world), commit: cutOffAfter(world, 2) };
    await world.run({ store });
    expect(await world.made()).toEqual(['page']);
    await world.inbox.accept(world.message({ delete: { scope: 'project', customId: 'page' } }));
    await world.run();
    world.nowMs += LEASE_MS;
    expect(await world.run()).toMatchObject({ done: 1, dead: 0 });
    expect(await world.made()).toEqual([]);
  });

  it('at every attempt before it could say why is a dead letter', async () => {
    const world = new DeliveryWorld();
    const message = world.message(creation());
    await world.inbox.accept(message);
    for (let n = 0; n < MAX_ATTEMPTS; n++, world.nowMs += LEASE_MS) {
      const { done, dead, postponed } = await world.run({ store: { ...bound(world), commit: cutOffAfter(world, 1) } });
      expect({ done, dead, postponed }).toEqual({ done: 0, dead: 0, postponed: 0 });
    }
    world.nowMs += LEASE_MS;
    expect(await world.run()).toMatchObject({ dead: 1 });
    expect(await world.dead()).toMatchObject([{ id: message.id, failure: { problem: 'outcome-unknown' } }]);
  });

  it.each([
    ['before it began a command: nothing was done, as the attempt before said', 1, 'unavailable', []],
    ['after it began one: nobody knows whether it was carried out', 2, 'outcome-unknown', ['page']],
  ])('at its last attempt, which was cut off %s', async (_, commits, problem, made) => {
    const world = new DeliveryWorld();
    const message = world.message(creation({ customId: 'page' }));
    await world.inbox.accept(message);
    for (let n = 1; n < MAX_ATTEMPTS; n++) {
      expect(await world.run({ service: failing(world, later()), random: () => 0.999 })).toMatchObject({
        postponed: 1,
      });
      const state = await world.stateOf(message);
      world.nowMs = state.kind === 'open' ? state.dueMs : world.nowMs;
    }
    await world.run({ store: { ...bound(world), commit: cutOffAfter(world, commits) } });
    expect(await world.made()).toEqual(made);
    world.nowMs += LEASE_MS;
    expect(await world.run()).toMatchObject({ dead: 1 });
    expect(await world.dead()).toMatchObject([{ id: message.id, failure: { problem } }]);
  });
});

describe('two workers', () => {
  it('do not work on one delivery at once', async () => {
    const world = new DeliveryWorld();
    const message = world.message(creation());
    await world.inbox.accept(message);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let applied = 0;
    const apply = async () => {
      applied++;
      await held;
      return null;
    };
    const mapper = { ...identity, apply };
    const first = world.run({ mapper });
    for (let n = 0; applied === 0 && n < 1_000; n++) await new Promise(setImmediate);
    world.nowMs += LEASE_MS - 1;
    expect(await world.run({ mapper })).toMatchObject({ done: 0, left: 0 });
    expect(await world.work({ mapper }).workOn([message], world.deadline())).toEqual([]);
    expect(applied).toBe(1);
    release();
    expect(await first).toMatchObject({ done: 1 });
    expect(applied).toBe(1);
  });

  it('of which one slept for too long end it once: the one that woke up says nothing', async () => {
    const world = new DeliveryWorld();
    const message = world.message(creation({ customId: 'page' }));
    await world.inbox.accept(message);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let isAsleep = false;
    const apply = async () => {
      isAsleep = true;
      await held;
      throw new Problem('mapping-failed', { detail: 'Too late.' });
    };
    const sleeping = world.run({ mapper: { ...identity, apply } });
    for (let n = 0; !isAsleep && n < 1_000; n++) await new Promise(setImmediate);
    world.nowMs += LEASE_MS;
    expect(await world.run()).toMatchObject({ done: 1 });
    release();
    expect(await sleeping).toMatchObject({ done: 0, dead: 0, letters: 0 });
    expect(await world.stateOf(message)).toMatchObject({ kind: 'done' });
  });
});

describe('a run', () => {
  it('begins nothing that it may not end, and says what it left and for how long that has been due', async () => {
    const world = new DeliveryWorld();
    for (const id of ['one', 'two']) await world.inbox.accept(world.message(creation(), { id }));
    world.nowMs += 7_000;
    expect(await world.work().workOnDue({ remainingMs: () => 12_000 })).toMatchObject({
      done: 0,
      left: 2,
      oldestMs: 7_000,
    });
    expect(await world.run()).toMatchObject({ done: 2, left: 0, oldestMs: 0 });
  });

  it('is not held up by one source: of that at most two are worked on at once', async () => {
    const world = new DeliveryWorld();
    world.sources.set('good', { name: 'good', companyId: 'acme', mapping: 'good' });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let stuck = 0;
    let good = 0;
    const apply = async (mapping: string) => {
      if (mapping === 'good') good++;
      else {
        expect(++stuck).toBeLessThanOrEqual(2);
        await held;
        stuck--;
      }
    };
    for (let n = 0; n < 20; n++) await world.inbox.accept(world.message('{}', { id: `bad ${n}` }));
    for (let n = 0; n < 20; n++) await world.inbox.accept(world.message('{}', { id: `good ${n}`, source: 'good' }));
    const run = world.run({ mapper: { ...identity, apply } });
    for (let n = 0; good < 20 && n < 10_000; n++) await new Promise(setImmediate);
    expect([good, stuck]).toEqual([20, 2]);
    release();
    expect(await run).toMatchObject({ done: 40 });
  });

  it('goes on with what comes meanwhile, though one source is stuck', async () => {
    const world = new DeliveryWorld();
    world.sources.set('good', { name: 'good', companyId: 'acme', mapping: 'good' });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: stuck, resolve: isStuck } = Promise.withResolvers<void>();
    const apply = async (mapping: string) => {
      if (mapping === 'good') return release();
      isStuck();
      await held;
    };
    for (let n = 0; n < 5; n++) await world.inbox.accept(world.message('{}', { id: `bad ${n}` }));
    const run = world.run({ mapper: { ...identity, apply } });
    await stuck;
    await world.inbox.accept(world.message('{}', { id: 'good', source: 'good' }));
    expect(await run).toMatchObject({ done: 6, left: 0 });
  });

  it('begins with each source, however many one has that came before', async () => {
    const world = new DeliveryWorld();
    world.sources.set('good', { name: 'good', companyId: 'acme', mapping: 'good' });
    for (let n = 0; n < 6_000; n++) await world.inbox.accept(world.message('{}', { id: `${n % 16} ${n}` }));
    world.nowMs++;
    await world.inbox.accept(world.message('{}', { id: '0 good', source: 'good' }));
    const order: string[] = [];
    const apply = async (mapping: string) => void order.push(mapping);
    expect(await world.run({ mapper: { ...identity, apply } })).toMatchObject({ done: 6_001, left: 0 });
    expect(order.indexOf('good')).toBeLessThan(20);
  });

  it('of what has just come leaves what it has no time for, and tells what the store did not answer', async () => {
    const world = new DeliveryWorld();
    const refs = ['one', 'two'].map((id) => world.message('null', { id }));
    for (const message of refs) await world.inbox.accept(message);
    expect(await world.work().workOn(refs, { remainingMs: () => 0 })).toEqual([]);
    const read = () => Promise.reject(later());
    expect(await world.work({ store: { ...bound(world), read } }).workOn(refs, world.deadline())).toEqual(refs);
    expect(await world.work().workOn(refs, world.deadline())).toEqual([]);
    expect(await world.run()).toMatchObject({ done: 0, left: 0 });
  });
});

describe('a dead letter', () => {
  async function letter(body: unknown = { create: {} }) {
    const world = new DeliveryWorld();
    const message = world.message(body);
    await world.inbox.accept(message);
    await world.run();
    const [dead] = await world.dead();
    if (!dead) throw new Error('There is no dead letter');
    return { world, message, dead };
  }

  it('that is driven again is as new, and is applied once the mapping is right', async () => {
    const { world, message, dead } = await letter();
    world.nowMs += DAY_MS;
    expect(await world.letters.redrive(dead)).toBe(true);
    expect(await world.dead()).toEqual([]);
    expect(await world.stateOf(message)).toMatchObject({ kind: 'open', attempts: 0 });
    expect(await world.inbox.accept(message)).toBe('repeated');
    const apply = async () => creation({ customId: 'page' });
    expect(await world.run({ mapper: { ...identity, apply } })).toEqual({ ...NOTHING_LEFT, done: 1 });
    expect(await world.made()).toEqual(['page']);
  });

  it('that fails again is dead again', async () => {
    const { world, dead } = await letter();
    world.nowMs += 1_000;
    await world.letters.redrive(dead);
    expect(await world.run()).toMatchObject({ dead: 1, letters: 1 });
    expect(await world.dead()).toMatchObject([{ id: dead.id, attempts: 1 }]);
  });

  it('that is dropped leaves nothing but its id', async () => {
    const { world, message, dead } = await letter({ create: { name: 'canary' } });
    await world.letters.drop(dead);
    expect(await world.dead()).toEqual([]);
    expect(await world.letters.message(message)).toBeUndefined();
    expect(textOf(world.store)).not.toContain(Buffer.from(message.body).toString('base64').slice(0, 20));
    expect(await world.inbox.accept(message)).toBe('repeated');
    expect(await world.letters.redrive(dead)).toBe(false);
    expect(await world.run()).toMatchObject({ dead: 0, letters: 0, done: 0 });
  });

  it('is listed by company and by source', async () => {
    const { world, dead } = await letter();
    world.sources.set('shop', { name: 'shop', companyId: 'other', mapping: 'body' });
    await world.inbox.accept(world.message('1', { source: 'shop', companyId: 'other' }));
    await world.run();
    const listed = (filter: object) => Array.fromAsync(world.letters.list(filter), ({ source }) => source);
    expect((await listed({})).sort()).toEqual(['cms', 'shop']);
    expect(await listed({ companyId: 'other' })).toEqual(['shop']);
    expect(await listed({ source: 'cms' })).toEqual(['cms']);
    expect(await listed({ source: 'cms', companyId: 'other' })).toEqual([]);
    expect(dead.source).toBe('cms');
  });

  it('has its message for two weeks from the receipt, and is there itself for two weeks from its end', async () => {
    const { world, message, dead } = await letter();
    world.nowMs += 14 * DAY_MS - 1;
    expect(await world.letters.message(message)).toBeDefined();
    expect(await world.dead()).toHaveLength(1);
    world.nowMs++;
    expect(await world.letters.message(message)).toBeUndefined();
    expect(await world.letters.redrive(dead)).toBe(false);
    expect(await world.dead()).toEqual([]);
    expect(await world.run()).toMatchObject({ letters: 0 });
  });
});

/** A world's store as an object whose methods can be replaced. */
function bound({ store }: DeliveryWorld) {
  return { read: store.read.bind(store), list: store.list.bind(store), commit: store.commit.bind(store) };
}

/** Commits that are made so often, and then fail as if nobody were there. */
function cutOffAfter({ store }: DeliveryWorld, commits: number): DeliveryWorld['store']['commit'] {
  let made = 0;
  return async (batch) => (made++ < commits ? store.commit(batch) : Promise.reject(later()));
}
