import { describe, expect, it } from 'vitest';
import { quotaExceeded } from '../../../lib/contract/failures.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { requireActiveCompany } from '../../../lib/credentials/company-record.ts';
import { keyGuard, storedKeys } from '../../../lib/credentials/key-directory.ts';
import { tombstoneKey } from '../../../lib/records/tombstones.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { DELIVERIES } from '../../../lib/webhooks/delivery-queue.ts';
import { type Mapper, MappingOverLimit } from '../../../lib/webhooks/mapping/mapper.ts';
import { throughout } from '../../faults/faulty.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { hosted } from '../../support/world.ts';
import {
  creation,
  DAY_MS,
  failingService,
  identity,
  LEASE_MS,
  MINUTE_MS,
  storeUntilCommit,
  unavailable,
  worldWith,
} from './world.ts';

const MAX_ATTEMPTS = DELIVERIES.retry.maxAttempts;
const PAGE = creation({ customId: 'page' });
const DELETION = { delete: { scope: 'project', customId: 'page' } };

describe('the mapping', () => {
  it('is the current one of the source', async () => {
    const { world } = await worldWith('{}');
    const applied: string[] = [];
    const apply = async (mapping: string) => void applied.push(mapping);
    world.sources.set('cms', { name: 'cms', companyId: 'acme', mapping: 'newer' });
    expect(await world.run({ mapper: { ...identity, apply } })).toMatchObject({ done: 1 });
    expect(applied).toEqual(['newer']);
  });

  it.each([
    ['done by the third attempt if it takes too much twice', 2, { done: 1 }],
    ['a dead letter if it takes too much three times', 3, { dead: 1 }],
  ])('leaves a delivery %s', async (_, failures, end) => {
    const { world, message } = await worldWith(PAGE);
    let left = failures;
    const mapper: Mapper = {
      ...identity,
      apply: async (_mapping, { body }) => {
        if (left-- > 0) throw new MappingOverLimit('The mapping took too much.');
        return body;
      },
    };
    // Attempts that fail for other reasons do not count as one of the three.
    await world.run({ service: failingService(world, unavailable()) });
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

  it('has three attempts again after a redrive', async () => {
    const { world } = await worldWith('{}');
    const apply = () => Promise.reject(new MappingOverLimit('The mapping took too much.'));
    for (let opened = 0; opened < 2; opened++) {
      for (let attempt = 0; attempt < 3; attempt++) {
        await world.run({ mapper: { ...identity, apply } });
        world.nowMs += MINUTE_MS;
      }
      const letter = await world.deadLetter();
      expect(letter).toMatchObject({ attempts: 3 });
      await world.letters.redrive(letter);
    }
  });
});

describe('a delivery becomes a dead letter', () => {
  it.each<[string, unknown, object]>([
    ['is not JSON', '{', { problem: 'malformed-json', errors: [{ pointer: '', code: 'syntax' }] }],
    ['is not a command', { remove: 1 }, { problem: 'invalid-parameter' }],
    [
      'breaks two rules',
      creation({ name: null, segments: [] }),
      { problem: 'invalid-project', errors: [{ pointer: '/name' }, { pointer: '/segments', code: 'too-few' }] },
    ],
  ])('with every fault at once if the message %s', async (_, body, failure) => {
    const { world, message } = await worldWith(body, { headers: { 'x-topic': 'made' } });
    expect(await world.run()).toEqual({
      done: 0,
      postponed: 0,
      dead: 1,
      left: 0,
      oldestMs: 0,
      letters: 1,
      newestLetterMs: 0,
    });
    expect(await world.deadLetter()).toMatchObject({ source: 'cms', id: message.id, companyId: 'acme', failure });
    expect(await world.letters.message(message)).toEqual({ headers: message.headers, body: Buffer.from(message.body) });
    expect(await world.inbox.accept(message)).toBe('repeated');
    world.nowMs += DAY_MS;
    expect(await world.run()).toMatchObject({ dead: 0, letters: 1, newestLetterMs: DAY_MS });
    expect(await world.made()).toEqual([]);
  });

  it.each([
    ['removed', undefined],
    ['of another company', { name: 'cms', companyId: 'other', mapping: 'body' }],
  ])('if its source is %s', async (_, source) => {
    const { world } = await worldWith(creation());
    expect(await world.run({ findSource: async () => source })).toMatchObject({ dead: 1 });
    expect(await world.deadLetter()).toMatchObject({ companyId: 'acme', failure: { problem: 'mapping-failed' } });
    expect([await world.made('acme'), await world.made('other')]).toEqual([[], []]);
  });

  it.each([
    ['delete', ['create'], DELETION],
    ['create', ['delete'], creation({ customId: 'other' })],
  ] as const)('if its source lacks the scope %s', async (missing, scopes, body) => {
    const { world } = await worldWith(PAGE);
    await world.run();
    world.sources.set('cms', { name: 'cms', companyId: 'acme', mapping: 'body', scopes });
    await world.inbox.accept(world.message(body));
    expect(await world.run()).toMatchObject({ done: 0, postponed: 0, dead: 1 });
    const failure = { problem: 'scope-missing', detail: expect.stringContaining(missing) };
    expect(await world.deadLetter()).toMatchObject({ attempts: 1, failure });
    expect(await world.made()).toEqual(['page']);
  });

  it('if its company is suspended, and a redrive after the company is resumed runs it', async () => {
    const { world } = await worldWith(PAGE);
    const companies = companiesIn(world.storage, world.now);
    await companies.register('acme');
    const requireCompany = requireActiveCompany(() => world.storage);
    await companies.setState('acme', 'suspended');
    expect(await world.run({ requireCompany })).toMatchObject({ done: 0, dead: 1 });
    const letter = await world.deadLetter();
    expect(letter).toMatchObject({ failure: { problem: 'company-suspended' } });
    expect(await world.made()).toEqual([]);
    await companies.setState('acme', 'active');
    await world.letters.redrive(letter);
    expect(await world.run({ requireCompany })).toMatchObject({ done: 1, dead: 0 });
    expect(await world.made()).toEqual(['page']);
  });

  it('of a company that may create no more projects today is tried again the next day', async () => {
    const { world } = await worldWith(PAGE);
    const companies = companiesIn(world.storage, world.now);
    await companies.register('acme');
    await companies.setLimits('acme', { projects: 0 });
    const requireCompany = requireActiveCompany(() => world.storage);
    expect(await world.run({ requireCompany })).toMatchObject({ done: 0, postponed: 1, dead: 0 });
    await companies.setLimits('acme', { projects: 1 });
    world.nowMs = Math.ceil(world.nowMs / DAY_MS) * DAY_MS - 1;
    expect(await world.run({ requireCompany })).toMatchObject({ done: 0 });
    world.nowMs += MINUTE_MS;
    expect(await world.run({ requireCompany })).toMatchObject({ done: 1 });
    expect(await world.made()).toEqual(['page']);
    await world.inbox.accept(world.message(creation()));
    expect(await world.run({ requireCompany })).toMatchObject({ postponed: 1 });
  });

  it.each([
    ['too many attempts', 0],
    ['a day', 30 * MINUTE_MS],
  ])('with its last failure after %s', async (_, stepMs) => {
    const { world, message } = await worldWith(creation());
    let runs = 0;
    for (; (await world.dead()).length === 0 && runs < 100; runs++) {
      await world.run({ service: failingService(world, unavailable()) });
      const steppedMs = world.nowMs + stepMs;
      await world.toNextAttempt(message);
      world.nowMs = Math.max(world.nowMs, steppedMs);
    }
    expect(await world.deadLetter()).toMatchObject({ failure: { problem: 'unavailable' }, attempts: runs });
    expect(world.nowMs - message.receivedAtMs).toBeGreaterThan(DAY_MS / 2);
    expect(world.nowMs - message.receivedAtMs).toBeLessThan(2 * DAY_MS);
    expect(runs).toBeLessThanOrEqual(MAX_ATTEMPTS);
  });
});

describe('a delivery is retried', () => {
  it('with a growing backoff, up to half of it earlier, and not before the time that the service asks for', async () => {
    const { world, message } = await worldWith(PAGE);
    const pauses: number[] = [];
    for (const retryAfter of [undefined, undefined, undefined, 600, undefined]) {
      const began = world.nowMs;
      const service = failingService(world, unavailable(retryAfter));
      expect(await world.run({ service })).toMatchObject({ postponed: 1, left: 0 });
      await world.toNextAttempt(message);
      world.nowMs--;
      expect(await world.run()).toMatchObject({ done: 0 });
      world.nowMs++;
      pauses.push(world.nowMs - began);
    }
    expect(pauses).toEqual([2_000, 4_000, 8_000, 616_000, 32_000]);
    await world.run({ service: failingService(world, unavailable()), random: () => 0.999 });
    expect(await world.stateOf(message)).toMatchObject({ dueMs: world.nowMs + 32_032 });
    await world.toNextAttempt(message);
    expect(await world.run()).toMatchObject({ done: 1 });
    expect(await world.made()).toEqual(['page']);
  });

  it.each([
    ['an unknown outcome', new Problem('outcome-unknown', { detail: 'Lost.' }), 'outcome-unknown'],
    ['an unexpected error', new TypeError('canary'), 'internal-error'],
    ['a request in progress', new Problem('request-in-progress', { detail: 'Wait.' }), 'request-in-progress'],
    ['a used up quota', quotaExceeded(60), 'quota-exceeded'],
    ['a rate limit', new Problem('rate-limited', { detail: 'Slow.', retryAfterSeconds: 1 }), 'rate-limited'],
  ])('after %s', async (_, problem, name) => {
    const { world, message } = await worldWith(creation());
    expect(await world.run({ service: failingService(world, problem) })).toMatchObject({ postponed: 1 });
    expect(await world.stateOf(message)).toMatchObject({ kind: 'open', failure: { problem: name } });
    const stored = JSON.stringify(world.store instanceof MemoryStorage ? world.store.all() : undefined);
    expect(stored).not.toContain('canary');
    const error = problem instanceof Problem ? problem : expect.objectContaining({ cause: problem });
    expect(world.failures).toEqual([expect.objectContaining({ end: 'postponed', companyId: 'acme', error })]);
  });
});

describe('an attempt that was cut off', () => {
  it('counts as done after the project was deleted', async () => {
    const { world } = await worldWith(PAGE);
    await world.run({ store: storeUntilCommit(world, 2) });
    expect(await world.made()).toEqual(['page']);
    await world.inbox.accept(world.message(DELETION));
    await world.run();
    world.nowMs += LEASE_MS;
    expect(await world.run()).toMatchObject({ done: 1, dead: 0 });
    expect(await world.made()).toEqual([]);
  });

  it('makes a dead letter with an unknown outcome after all attempts', async () => {
    const { world, message } = await worldWith(creation());
    for (let n = 0; n < MAX_ATTEMPTS; n++, world.nowMs += LEASE_MS) {
      expect(await world.run({ store: storeUntilCommit(world, 1) })).toMatchObject({ done: 0, dead: 0, postponed: 0 });
    }
    world.nowMs += LEASE_MS;
    expect(await world.run()).toMatchObject({ dead: 1 });
    expect(await world.deadLetter()).toMatchObject({ id: message.id, failure: { problem: 'outcome-unknown' } });
  });

  it.each([
    ['has the failure of the attempt before if it started no command', 1, 'unavailable', []],
    ['has an unknown outcome if it started a command', 2, 'outcome-unknown', ['page']],
  ])('is also the last one %s', async (_, commits, problem, made) => {
    const { world, message } = await worldWith(PAGE);
    for (let n = 1; n < MAX_ATTEMPTS; n++) {
      const service = failingService(world, unavailable());
      expect(await world.run({ service, random: () => 0.999 })).toMatchObject({ postponed: 1 });
      await world.toNextAttempt(message);
    }
    await world.run({ store: storeUntilCommit(world, commits) });
    expect(await world.made()).toEqual(made);
    world.nowMs += LEASE_MS;
    expect(await world.run()).toMatchObject({ dead: 1 });
    expect(await world.deadLetter()).toMatchObject({ id: message.id, failure: { problem } });
  });
});

it('runs a command once, even if its dead letter is redriven at the last moment', async () => {
  const { world, message } = await worldWith(creation());
  const service = world.hosted();
  const lost: ProjectService = {
    ...service,
    async create(...request) {
      await service.create(...request);
      throw new Problem('outcome-unknown', { detail: 'The answer was lost.' });
    },
  };
  while (await world.toNextAttempt(message)) await world.run({ service: lost });
  expect(await world.deadLetter()).toMatchObject({ failure: { problem: 'outcome-unknown' } });
  world.nowMs = message.receivedAtMs + 14 * DAY_MS - 1;
  expect(await world.letters.redrive(await world.deadLetter())).toBe(true);
  expect(await world.run()).toMatchObject({ done: 1 });
  expect(await world.names()).toHaveLength(1);
});

it('leaves a tombstone that names the source', async () => {
  const { world } = await worldWith(PAGE);
  await world.run();
  await world.inbox.accept(world.message(DELETION));
  await world.run();
  const tombstone = await world.storage.read(tombstoneKey('acme', { customId: 'page' }));
  expect(tombstone?.data).toMatchObject({ requestedBy: { kind: 'source', id: 'cms' } });
});

it('does not delete for a company that is suspended before the deleting transaction', async () => {
  for (let suspendBefore = 1; ; suspendBefore++) {
    const { world } = await worldWith(PAGE);
    const companies = companiesIn(world.storage, world.now);
    await companies.register('acme');
    await world.run();
    await world.inbox.accept(world.message(DELETION));
    let calls = 0;
    let isSuspendedInTime = false;
    const storage = throughout(world.storage, async (work) => {
      if (++calls === suspendBefore) {
        isSuspendedInTime = (await world.made()).length === 1;
        await companies.setState('acme', 'suspended');
      }
      return work();
    });
    const guard = keyGuard(() => storedKeys(storage), world.now);
    const service = hosted({ storage, now: world.now, guard });
    await world.run({ service });
    const made = isSuspendedInTime ? ['page'] : [];
    expect({ suspendBefore, made: await world.made() }).toEqual({ suspendBefore, made });
    if (isSuspendedInTime)
      expect(await world.deadLetter()).toMatchObject({ failure: { problem: 'company-suspended' } });
    if (calls < suspendBefore) break;
  }
});
