import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { ATTEMPT_MS } from '../../../lib/webhooks/attempt-delivery.ts';
import { MAX_COMMANDS } from '../../../lib/webhooks/mapping/commands.ts';
import { NOW_MS } from '../support.ts';
import { creation, LEASE_MS, storeUntilCommit, unavailable, worldWith } from './world.ts';

const page = (customId: string) => creation({ customId });
/** Returns a project that breaks a rule. */
const broken = (customId: string) => creation({ customId, name: null });
const deletion = (customId: string) => ({ delete: { scope: 'project', customId } });

/** Returns a service that calls a function before each create. */
function watched(service: ProjectService, onCreate: (customId: string | undefined) => void): ProjectService {
  return {
    ...service,
    create: async (project, call) => {
      onCreate(project.customId ?? undefined);
      return service.create(project, call);
    },
  };
}

/** Returns a service whose answers to creates are lost. */
function losing(service: ProjectService): ProjectService {
  return {
    ...service,
    create: async (project, call) => {
      await service.create(project, call);
      throw new Problem('outcome-unknown', { detail: 'The answer was lost.' });
    },
  };
}

describe('an array of commands', () => {
  it('runs in order, each command once', async () => {
    const { world, message } = await worldWith([deletion('page'), page('page'), page('other')]);
    await world.make(page('page').create);
    expect(await world.run()).toMatchObject({ done: 1, dead: 0 });
    expect(await world.stateOf(message)).toMatchObject({
      kind: 'done',
      attempts: 1,
      result: [{ outcome: 'deleted' }, { segments: 1 }, { segments: 1 }],
    });
    expect(await world.inbox.accept(message)).toBe('repeated');
    await world.run();
    expect(await world.made()).toEqual(['other', 'page']);
  });

  it('does nothing if entries are not commands, and lists every fault', async () => {
    const { world } = await worldWith([page('good'), { remove: 1 }, null, { delete: { scope: 'task' } }]);
    expect(await world.run()).toMatchObject({ dead: 1 });
    const { failure } = await world.deadLetter();
    expect(failure).toMatchObject({ problem: 'invalid-parameter', detail: expect.stringMatching(/^Command 2 of 4: /) });
    expect(failure.errors?.map(({ pointer }) => pointer.split('/')[1])).toEqual(
      expect.arrayContaining(['1', '2', '3']),
    );
    expect(await world.made()).toEqual([]);
  });

  it.each([
    [MAX_COMMANDS, { done: 1, dead: 0 }],
    [MAX_COMMANDS + 1, { done: 0, dead: 1 }],
  ])('of %i commands runs or is refused', async (count, end) => {
    const { world } = await worldWith(Array.from({ length: count }, (_, n) => deletion(`page ${n}`)));
    expect(await world.run()).toMatchObject(end);
    const [{ failure } = { failure: undefined }] = await world.dead();
    if (end.dead) {
      expect(failure?.detail).toBe('The mapping returns 101 commands for this message. It may return at most 100.');
    }
  });
});

describe('a refused command', () => {
  it('does not stop the others, and the dead letter lists its faults', async () => {
    const { world } = await worldWith([page('one'), broken('two'), page('three'), broken('four')]);
    expect(await world.run()).toMatchObject({ done: 0, dead: 1 });
    expect(await world.made()).toEqual(['one', 'three']);
    expect(await world.dead()).toMatchObject([
      {
        failure: {
          problem: 'invalid-project',
          detail: expect.stringMatching(/^Command 2 of 4: .+ 2 of the 4 commands failed\.$/),
          errors: [{ pointer: '/1/name' }, { pointer: '/3/name' }],
        },
        commands: [
          { state: 'done', result: { segments: 1 } },
          { state: 'refused', problem: 'invalid-project' },
          { state: 'done' },
          { state: 'refused' },
        ],
      },
    ]);
  });

  it('runs alone after a redrive, whatever the order of the corrected mapping', async () => {
    const { world, message } = await worldWith([creation(), broken('two'), page('three')]);
    await world.run();
    world.gives([page('new'), page('three'), page('two'), creation()]);
    await world.redrive();
    const created: (string | undefined)[] = [];
    expect(await world.run({ service: watched(world.hosted(), (customId) => created.push(customId)) })).toMatchObject({
      done: 1,
    });
    expect(created).toEqual(['new', 'two']);
    expect(await world.made()).toEqual(['', 'new', 'three', 'two']);
    expect(await world.stateOf(message)).toMatchObject({ result: [{}, {}, {}, {}].map(() => ({ segments: 1 })) });
  });

  it('makes later problems say "nothing more" if other commands were done', async () => {
    const { world } = await worldWith([page('one'), broken('two')]);
    await world.run();
    world.gives([page('one'), 5]);
    await world.redrive();
    await world.run();
    const detail = 'Command 2 of 2: The command is invalid. Segue did nothing more.';
    expect(await world.deadLetter()).toMatchObject({ failure: { detail } });
    world.sources.set('cms', { name: 'cms', companyId: 'acme', mapping: 'body', scopes: ['delete'] });
    world.gives([page('one')]);
    await world.redrive();
    await world.run();
    const withoutScope = 'The webhook source lacks the scope create. Segue did nothing more.';
    expect(await world.deadLetter()).toMatchObject({ failure: { detail: withoutScope } });
    expect(await world.made()).toEqual(['one']);
  });

  it('may be missing from the corrected mapping', async () => {
    const { world } = await worldWith([page('one'), broken('two')]);
    await world.run();
    world.gives([page('one')]);
    await world.redrive();
    expect(await world.run()).toMatchObject({ done: 1 });
    expect(await world.made()).toEqual(['one']);
  });

  it.each<[string, unknown]>([
    ['changes a command that was done', [creation({ name: 'Another' }), page('two')]],
    ['leaves it out', [page('two')]],
    ['asks for nothing', []],
    ['gives another command alone', page('two')],
  ])('does not run if the corrected mapping %s', async (_, result) => {
    const { world } = await worldWith([creation(), broken('two')]);
    await world.run();
    world.gives(result);
    await world.redrive();
    expect(await world.run()).toMatchObject({ done: 0, dead: 1 });
    expect(await world.dead()).toMatchObject([
      {
        failure: {
          problem: 'idempotency-key-reused',
          detail: expect.stringContaining('no longer returns command 1 of the earlier attempt,'),
        },
        commands: [
          { state: 'done' },
          { state: 'waiting', problem: 'invalid-project', errors: [{ pointer: '/name', code: 'required' }] },
        ],
      },
    ]);
    expect(await world.made()).toEqual(['']);
    world.gives([creation(), page('two')]);
    await world.redrive();
    expect(await world.run()).toMatchObject({ done: 1 });
    expect(await world.made()).toEqual(['', 'two']);
  });

  it('does not stop later commands, however long each command takes', async () => {
    const slow = ['one', 'two', 'three', 'four', 'five'];
    const { world } = await worldWith([...slow.map(page), page('last')]);
    const refusing = watched(world.hosted(), (customId = '') => {
      world.nowMs += 6_000;
      if (slow.includes(customId)) throw new Problem('upstream-refused', { detail: 'No.' });
    });
    const ends: unknown[] = [];
    for (let n = 0; n < 3; n++) ends.push((await world.run({ service: refusing })).dead);
    expect(ends).toEqual([0, 1, 0]);
    expect(await world.made()).toEqual(['last']);
    const { failure, commands } = await world.deadLetter();
    expect(failure.detail).toBe('Command 1 of 6: No. 5 of the 6 commands failed.');
    expect(commands?.map(({ state }) => state)).toEqual([...slow.map(() => 'refused'), 'done']);
  });

  it('keeps its faults if there is no time for another try', async () => {
    const { world, message } = await worldWith([broken('one'), page('a'), broken('two'), page('b')]);
    const slow = watched(world.hosted(), (customId) => {
      world.nowMs += customId === 'b' ? ATTEMPT_MS - 1_000 : 1_000;
      if (customId === 'b' && !isBack) throw unavailable();
    });
    let isBack = false;
    expect(await world.run({ service: slow })).toMatchObject({ postponed: 1 });
    expect(await world.stateOf(message)).toMatchObject({
      failure: { problem: 'unavailable', errors: [{ pointer: '/0/name' }, { pointer: '/2/name' }] },
    });
    isBack = true;
    world.nowMs += LEASE_MS;
    expect(await world.run({ service: slow })).toMatchObject({ dead: 1 });
    expect(await world.made()).toEqual(['a', 'b']);
    const { failure, commands } = await world.deadLetter();
    expect(failure).toMatchObject({
      problem: 'invalid-project',
      errors: [{ pointer: '/0/name' }, { pointer: '/2/name' }],
    });
    expect(commands?.[0]).toMatchObject({ state: 'refused', errors: [{ pointer: '/name' }] });
  });

  it('keeps at most as many faults for a message as one problem lists', async () => {
    const targetLanguages = Array.from({ length: 30 }, () => ({ targetLanguageCode: 5 }));
    const many = ['a', 'b', 'c', 'd', 'e'].map((customId) => creation({ customId, targetLanguages }));
    const { world } = await worldWith(many);
    await world.run();
    const { commands } = await world.deadLetter();
    const counts = commands?.map((command) => (command.state === 'refused' ? (command.errors ?? []).length : 0)) ?? [];
    expect(counts.reduce((sum, count) => sum + count)).toBe(LIMITS.faults);
    expect(commands?.every(({ state }) => state === 'refused')).toBe(true);
  });
});

it('counts a command with a lost answer as done, even after the end date of its project has passed', async () => {
  const dueSoon = creation({ customId: 'soon', endDateUtc: utc(NOW_MS + 60_000) });
  const { world, message } = await worldWith([dueSoon, page('other')]);
  expect(await world.run({ service: losing(world.hosted()) })).toMatchObject({ postponed: 1 });
  world.nowMs += 3_600_000;
  expect(await world.run()).toMatchObject({ done: 1, dead: 0 });
  expect(await world.stateOf(message)).toMatchObject({ result: [{ segments: 1 }, { segments: 1 }] });
  expect(await world.made()).toEqual(['other', 'soon']);
});

describe('a command that may succeed later', () => {
  it('delays later commands, and an attempt with progress does not count', async () => {
    const { world, message } = await worldWith([page('one'), page('two'), page('three')]);
    const created: (string | undefined)[] = [];
    const flaky = watched(world.hosted(), (customId) => {
      created.push(customId);
      if (customId === 'two') throw unavailable();
    });
    expect(await world.run({ service: flaky })).toMatchObject({ postponed: 1 });
    expect(await world.stateOf(message)).toMatchObject({
      attempts: 0,
      failure: { problem: 'unavailable', detail: 'Command 2 of 3: Not now.' },
      commands: [{ state: 'done' }, { state: 'waiting' }, { state: 'waiting' }],
    });
    world.nowMs += LEASE_MS;
    expect(await world.run({ service: flaky })).toMatchObject({ postponed: 1 });
    expect(await world.stateOf(message)).toMatchObject({ attempts: 1 });
    expect(created).toEqual(['one', 'two', 'two']);
    world.nowMs += LEASE_MS;
    expect(await world.run()).toMatchObject({ done: 1 });
    expect(await world.made()).toEqual(['one', 'three', 'two']);
  });

  it.each([
    ['its answer was lost', Infinity],
    ['the attempt was cut off', 2],
  ])('is not forgotten if %s and the mapping is changed', async (_, commits) => {
    const { world } = await worldWith([creation(), creation({ name: 'Other' })]);
    await world.run({ service: losing(world.hosted()), store: storeUntilCommit(world, commits) });
    world.gives([creation({ name: 'Changed' })]);
    world.nowMs += LEASE_MS;
    expect(await world.run()).toMatchObject({ dead: 1 });
    expect(await world.deadLetter()).toMatchObject({ failure: { problem: 'idempotency-key-reused' } });
    expect(await world.names()).toEqual(['A page']);
  });

  it('waits for the next attempt if the time of this one is over', async () => {
    const pages = Array.from({ length: 9 }, (_, n) => page(`page ${n}`));
    const { world, message } = await worldWith(pages);
    const slow = watched(world.hosted(), () => {
      world.nowMs += 6_000;
    });
    const ends: unknown[] = [];
    for (let n = 0; n < 3; n++) ends.push((await world.run({ service: slow })).done);
    expect(ends).toEqual([0, 0, 1]);
    expect(await world.stateOf(message)).toMatchObject({ kind: 'done', attempts: 1 });
    expect(await world.made()).toHaveLength(9);
    expect(world.failures).toEqual([]);
  });
});
