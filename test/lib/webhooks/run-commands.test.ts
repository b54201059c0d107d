import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { ATTEMPT_MS, LEASE_MS } from '../../../lib/webhooks/attempt-delivery.ts';
import type { DeliveryWorkerDeps } from '../../../lib/webhooks/delivery-worker.ts';
import { MAX_COMMANDS } from '../../../lib/webhooks/mapping/commands.ts';
import { NOW_MS } from '../support.ts';
import { creation, DeliveryWorld, identity, unavailable } from './world.ts';

const page = (customId: string) => creation({ customId });
/** A project that breaks a rule. */
const broken = (customId: string) => creation({ customId, name: null });
const deletion = (customId: string) => ({ delete: { scope: 'project', customId } });

/** A world with a message, whose mapping gives a result. */
async function worldWith(first: unknown) {
  const world = new DeliveryWorld();
  let result = first;
  const message = world.message('{}');
  const mapper = { ...identity, apply: async () => result };
  await world.inbox.accept(message);
  return {
    world,
    message,
    /** Corrects the mapping. */
    gives: (next: unknown) => {
      result = next;
    },
    run: (service: ProjectService = world.service(), options: Partial<DeliveryWorkerDeps> = {}) =>
      world.run({ mapper, service, ...options }),
    stateOf: () => world.stateOf(message),
    async redrive() {
      const letter = await world.deadLetter();
      world.nowMs += 1_000;
      expect(await world.letters.redrive(letter)).toBe(true);
    },
  };
}

/** A service that is told of each creation before it is done. */
function watched(service: ProjectService, onCreate: (customId: string | undefined) => void): ProjectService {
  return {
    ...service,
    create: async (project, call) => {
      onCreate(project.customId ?? undefined);
      return service.create(project, call);
    },
  };
}

/** A service whose answers to creations are lost. */
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
    const { world, message, run, stateOf } = await worldWith([deletion('page'), page('page'), page('other')]);
    await world.make(page('page').create);
    expect(await run()).toMatchObject({ done: 1, dead: 0 });
    expect(await stateOf()).toMatchObject({
      kind: 'done',
      attempts: 1,
      result: [{ outcome: 'deleted' }, { segments: 1 }, { segments: 1 }],
    });
    expect(await world.inbox.accept(message)).toBe('repeated');
    await run();
    expect(await world.made()).toEqual(['other', 'page']);
  });

  it('may have equal commands, each of which runs once', async () => {
    const { world, run } = await worldWith([creation(), creation(), creation()]);
    let created = 0;
    const flaky = watched(world.service(), () => {
      if (++created === 3) throw unavailable();
    });
    expect(await run(flaky)).toMatchObject({ postponed: 1 });
    world.nowMs += LEASE_MS;
    expect(await run()).toMatchObject({ done: 1 });
    expect(await world.names()).toHaveLength(3);
  });

  it('does nothing if entries are not commands, and lists every fault', async () => {
    const { world, run } = await worldWith([page('good'), { remove: 1 }, null, { delete: { scope: 'task' } }]);
    expect(await run()).toMatchObject({ dead: 1 });
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
    const { world, run } = await worldWith(Array.from({ length: count }, (_, n) => deletion(`page ${n}`)));
    expect(await run()).toMatchObject(end);
    const [{ failure } = { failure: undefined }] = await world.dead();
    if (end.dead) {
      expect(failure?.detail).toBe('The mapping returns 101 commands. A message may have at most 100.');
    }
  });
});

describe('a refused command', () => {
  it('does not stop the others, and the dead letter lists its faults', async () => {
    const { world, run } = await worldWith([page('one'), broken('two'), page('three'), broken('four')]);
    expect(await run()).toMatchObject({ done: 0, dead: 1 });
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
    const { world, gives, run, redrive, stateOf } = await worldWith([creation(), broken('two'), page('three')]);
    await run();
    gives([page('new'), page('three'), page('two'), creation()]);
    await redrive();
    const created: (string | undefined)[] = [];
    expect(await run(watched(world.service(), (customId) => created.push(customId)))).toMatchObject({ done: 1 });
    expect(created).toEqual(['new', 'two']);
    expect(await world.made()).toEqual(['', 'new', 'three', 'two']);
    expect(await stateOf()).toMatchObject({ result: [{}, {}, {}, {}].map(() => ({ segments: 1 })) });
  });

  it('has a detail without "nothing was done" if other commands were done before a redrive', async () => {
    const { world, gives, run, redrive } = await worldWith([page('one'), broken('two')]);
    await run();
    gives([page('one'), 5]);
    await redrive();
    await run();
    const detail = 'Command 2 of 2: This is not a command, and nothing more was done.';
    expect(await world.dead()).toMatchObject([{ failure: { detail } }]);
    expect(await world.made()).toEqual(['one']);
  });

  it('may be missing from the corrected mapping', async () => {
    const { world, gives, run, redrive } = await worldWith([page('one'), broken('two')]);
    await run();
    gives([page('one')]);
    await redrive();
    expect(await run()).toMatchObject({ done: 1 });
    expect(await world.made()).toEqual(['one']);
  });

  it.each<[string, unknown]>([
    ['changes a command that was done', [creation({ name: 'Another' }), page('two')]],
    ['leaves it out', [page('two')]],
    ['asks for nothing', []],
    ['gives another command alone', page('two')],
  ])('does not run if the corrected mapping %s', async (_, result) => {
    const { world, gives, run, redrive } = await worldWith([creation(), broken('two')]);
    await run();
    gives(result);
    await redrive();
    expect(await run()).toMatchObject({ done: 0, dead: 1 });
    expect(await world.dead()).toMatchObject([
      {
        failure: { problem: 'idempotency-key-reused', detail: expect.stringContaining('no longer returns command 1,') },
        commands: [{ state: 'done' }, { state: 'waiting' }],
      },
    ]);
    expect(await world.made()).toEqual(['']);
    gives([creation(), page('two')]);
    await redrive();
    expect(await run()).toMatchObject({ done: 1 });
    expect(await world.made()).toEqual(['', 'two']);
  });

  it('does not keep later commands from running, however long each one takes', async () => {
    const slow = ['one', 'two', 'three', 'four', 'five'];
    const { world, run } = await worldWith([...slow.map(page), page('last')]);
    const refusing = watched(world.service(), (customId = '') => {
      world.nowMs += 6_000;
      if (slow.includes(customId)) throw new Problem('upstream-refused', { detail: 'No.' });
    });
    const ends: unknown[] = [];
    for (let n = 0; n < 3; n++) ends.push((await run(refusing)).dead);
    expect(ends).toEqual([0, 1, 0]);
    expect(await world.made()).toEqual(['last']);
    const { failure, commands } = await world.deadLetter();
    expect(failure.detail).toBe('Command 1 of 6: No. 5 of the 6 commands failed.');
    expect(commands?.map(({ state }) => state)).toEqual([...slow.map(() => 'refused'), 'done']);
  });

  it('keeps its faults if there is no time for another try', async () => {
    const { world, run } = await worldWith([broken('one'), page('a'), broken('two'), page('b')]);
    const slow = watched(world.service(), (customId) => {
      world.nowMs += customId === 'b' ? ATTEMPT_MS - 1_000 : 1_000;
      if (customId === 'b' && !isBack) throw unavailable();
    });
    let isBack = false;
    expect(await run(slow)).toMatchObject({ postponed: 1 });
    isBack = true;
    world.nowMs += LEASE_MS;
    expect(await run(slow)).toMatchObject({ dead: 1 });
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
    const { world, run } = await worldWith(many);
    await run();
    const { commands } = await world.deadLetter();
    const counts = commands?.map((command) => (command.state === 'refused' ? (command.errors ?? []).length : 0)) ?? [];
    expect(counts.reduce((sum, count) => sum + count)).toBe(LIMITS.faults);
    expect(commands?.every(({ state }) => state === 'refused')).toBe(true);
  });
});

it('counts a command with a lost answer as done, even after the end date of its project has passed', async () => {
  const dueSoon = creation({ customId: 'soon', endDateUtc: utc(NOW_MS + 60_000) });
  const { world, run, stateOf } = await worldWith([dueSoon, page('other')]);
  expect(await run(losing(world.service()))).toMatchObject({ postponed: 1 });
  world.nowMs += 3_600_000;
  expect(await run()).toMatchObject({ done: 1, dead: 0 });
  expect(await stateOf()).toMatchObject({ result: [{ segments: 1 }, { segments: 1 }] });
  expect(await world.made()).toEqual(['other', 'soon']);
});

describe('a command that may succeed later', () => {
  it('holds up later commands, and an attempt with progress does not count', async () => {
    const { world, run, stateOf } = await worldWith([page('one'), page('two'), page('three')]);
    const created: (string | undefined)[] = [];
    const flaky = watched(world.service(), (customId) => {
      created.push(customId);
      if (customId === 'two') throw unavailable();
    });
    expect(await run(flaky)).toMatchObject({ postponed: 1 });
    expect(await stateOf()).toMatchObject({
      attempts: 0,
      failure: { problem: 'unavailable', detail: 'Command 2 of 3: Not now.' },
      commands: [{ state: 'done' }, { state: 'waiting' }, { state: 'waiting' }],
    });
    world.nowMs += LEASE_MS;
    expect(await run(flaky)).toMatchObject({ postponed: 1 });
    expect(await stateOf()).toMatchObject({ attempts: 1 });
    expect(created).toEqual(['one', 'two', 'two']);
    world.nowMs += LEASE_MS;
    expect(await run()).toMatchObject({ done: 1 });
    expect(await world.made()).toEqual(['one', 'three', 'two']);
  });

  it('and may have run is not forgotten if the mapping is changed', async () => {
    const { world, gives, run } = await worldWith([creation(), creation({ name: 'Other' })]);
    expect(await run(losing(world.service()))).toMatchObject({ postponed: 1 });
    gives([creation({ name: 'Changed' })]);
    world.nowMs += LEASE_MS;
    expect(await run()).toMatchObject({ dead: 1 });
    expect(await world.dead()).toMatchObject([{ failure: { problem: 'idempotency-key-reused' } }]);
    expect(await world.names()).toEqual(['A page']);
  });

  it('is known to the next attempt if this one was cut off, whatever the mapping gives', async () => {
    const { world, gives, run } = await worldWith([creation(), creation({ name: 'Other' })]);
    const { promise: isCutOff, resolve: cutOff } = Promise.withResolvers<void>();
    const service = world.service();
    const dying: ProjectService = {
      ...service,
      create: async (project, call) => {
        await service.create(project, call);
        cutOff();
        return new Promise(() => {});
      },
    };
    void run(dying);
    await isCutOff;
    gives([creation({ name: 'Changed' })]);
    world.nowMs += LEASE_MS;
    expect(await run()).toMatchObject({ dead: 1 });
    expect(await world.names()).toEqual(['A page']);
  });

  it('waits for the next attempt if the time of this one is over', async () => {
    const pages = Array.from({ length: 9 }, (_, n) => page(`page ${n}`));
    const { world, run, stateOf } = await worldWith(pages);
    const slow = watched(world.service(), () => {
      world.nowMs += 6_000;
    });
    const ends: unknown[] = [];
    for (let n = 0; n < 3; n++) ends.push((await run(slow)).done);
    expect(ends).toEqual([0, 0, 1]);
    expect(await stateOf()).toMatchObject({ kind: 'done', attempts: 1 });
    expect(await world.made()).toHaveLength(9);
    expect(world.failures).toEqual([]);
  });
});
