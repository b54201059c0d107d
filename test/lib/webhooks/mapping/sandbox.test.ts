import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { MAX_OVER_LIMIT } from '../../../../lib/webhooks/attempt-delivery.ts';
import {
  MAPPING_LIMITS,
  type Mapper,
  type MapperOptions,
  MappingOverLimit,
  mapper,
} from '../../../../lib/webhooks/mapping/mapper.ts';
import { MUCH_WORK_MS } from '../../../support/much-work.ts';
import { expectProblem, NOW_MS, problemOf } from '../../support.ts';
import { creation, DeliveryWorld, identity, MINUTE_MS } from '../world.ts';

/** Mappings that never end, or need too much memory. */
const ENDLESS: Readonly<Record<string, string>> = {
  'calls itself in the last place for ever': '($f := function($x) { $f($x + 1) }; $f(1))',
  'recurses for ever': '($f := function($x) { 1 + $f($x + 1) }; $f(1))',
  'calls another that calls it back': '($f := function() { $g() }; $g := function() { $f() }; $f())',
  'backtracks in a regular expression': `$match("${'a'.repeat(40)}!", /^(a+)+$/)`,
  'backtracks in a replacement': `$replace("${'a'.repeat(40)}!", /(a|a)+$/, "")`,
  'pads a text to half a gigabyte': '$length($pad("x", 500000000))',
  'pads a text that becomes the result': '$pad("x", 536870000)',
  'doubles a text': '$length($reduce([1..28], function($a, $n) { $a & $a }, "x"))',
  'joins ten million numbers': '$join([1..10000000].$string(), ",")',
  'splits a hundred million letters': '$split($pad("x", 100000000), "")',
  'lists ten million numbers, again and again': '[[1..10000000], [1..9999999], [1..9999998]]',
  'doubles a list': '($f := function($a, $n) { $n = 0 ? $a : $f($append($a, $a), $n - 1) }; $f([1..1000], 30))',
  'makes an object for each of five million': '[1..5000000].{ "a": $, "b": [$] }',
  'sorts by an order that is none': '$sort([1..1000000], function($l, $r) { true })',
  'replaces a letter by a thousand, ten million times': '$replace($pad("a", 10000000), "a", $pad("b", 1000))',
  'writes a number in endless words': '$formatInteger(100000000000, "I")',
};

/** Expressions that try to reach something outside the message. */
const ESCAPES: Readonly<Record<string, string>> = {
  'the constructor of the input': 'constructor',
  'the prototype of the input': '__proto__',
  'the constructor of a text': '"a".constructor',
  'the constructor of a function': '$string.constructor',
  'the implementation of a function': '$string.implementation',
  'the environment of a function': '$toMillis.environment',
  'the environment of a lambda': 'function($x) { $x }.environment',
  'the constructor by its name': '$lookup({}, "constructor")',
  'the constructor by a transformation': '($ ~> |$|{ "a": constructor.constructor }|).a',
  'the process': '$process',
  'what requires': '$require',
  'everything global': '$globalThis',
  'a prototype through a merge': '($merge([{ "__proto__": { "polluted": true } }]); {}.polluted)',
  'a prototype through a constructor': '({ "constructor": { "prototype": { "polluted": true } } }; {}.polluted)',
  'a function from a text': '"a".constructor.constructor("return process")()',
  'a function from a lambda': 'function() { 1 }.constructor("return process")()',
  'an expression from the message': '$eval(body.code)',
  'a function made of a native one': '$string.implementation.constructor("return process")()',
  'a thenable': '{ "then": function($resolve) { $resolve(1) } }',
};

const NO_CODE = '--disallow-code-generation-from-strings';
const ENDLESS_LOOP = '($f := function($x) { $f($x + 1) }; $f(1))';
const ours = mapper();
/** Half a second is long for a mapping that ends. */
const impatient = mapper({ limits: { ...MAPPING_LIMITS, timeMs: 500 } });
afterAll(() => {
  ours.close();
  impatient.close();
});

const input = { headers: { 'x-topic': 'made' }, body: { id: 7, names: ['a', 'b'], code: '1 + 1' } };
const apply = (expression: string, by = ours) => by.apply(expression, input, NOW_MS);

/** A process that a mapper started, with its arguments. */
type Started = ChildProcess & { readonly args: readonly string[]; readonly options: SpawnOptions };

/** Runs a test with a mapper of its own, and shows the processes that the mapper starts. */
async function watched(options: MapperOptions, test: (own: Mapper, started: readonly Started[]) => Promise<void>) {
  const started: Started[] = [];
  const own = mapper({
    ...options,
    startProcess: (file, args, spawnOptions) => {
      const child = spawn(file, args, spawnOptions);
      started.push(Object.assign(child, { args, options: spawnOptions }));
      return child;
    },
  });
  try {
    await test(own, started);
  } finally {
    own.close();
  }
}

it('reaches nothing outside the message, whatever the expression names', async () => {
  for (const [name, expression] of Object.entries(ESCAPES)) {
    const result = await apply(expression).catch((error: Error) => error.name);
    expect([name, result]).toEqual([name, result === undefined ? undefined : 'mapping-failed']);
  }
});

it('starts processes that cannot reach files, other programs or the environment', () =>
  watched({}, async (own, started) => {
    await apply('1', own);
    const [{ args, options } = { args: [], options: {} }] = started;
    expect(args.filter((arg) => /permission|allow/.test(arg))).toEqual(['--permission', '--allow-worker', NO_CODE]);
    expect(Object.keys(options.env ?? { HOME: '' }).filter((name) => name !== 'LD_LIBRARY_PATH')).toEqual([]);
  }));

it(
  'ends mappings that would never end: they become dead letters, while the messages of others are processed',
  async () => {
    const world = new DeliveryWorld();
    const results = new Map<string, Promise<unknown>>();
    const runOnce: Mapper['apply'] = (mapping, message, nowMs) => {
      if (mapping === 'body') return impatient.apply(mapping, message, nowMs);
      const result = results.get(mapping) ?? impatient.apply(mapping, message, nowMs);
      results.set(mapping, result);
      // On a busy machine a run may reach the wall limit: the next attempt runs the mapping again.
      result.catch(({ name }: Error) => name === 'unavailable' && results.delete(mapping));
      return result;
    };
    const work = { mapper: { ...identity, apply: runOnce } };
    const names = Object.keys(ENDLESS);
    for (const [source, mapping] of Object.entries(ENDLESS)) {
      world.sources.set(source, { name: source, companyId: 'acme', mapping });
      await world.inbox.accept(world.message('{}', { id: 'endless', source }));
      await world.inbox.accept(world.message(creation({ customId: source.replaceAll(' ', '-') }), { id: source }));
    }
    expect(await world.run(work)).toMatchObject({ done: names.length, left: 0 });
    for (
      let attempt = 1;
      attempt < MAX_OVER_LIMIT || (attempt < 10 && (await world.dead()).length < names.length);
      attempt++
    ) {
      world.nowMs += MINUTE_MS;
      await world.run(work);
    }
    expect((await world.dead()).map(({ source }) => source).sort()).toEqual([...names].sort());
    for (const { source, failure } of await world.dead()) {
      const detail = expect.stringMatching(/needed more than 64 MiB|took more than 500 ms|gives more than|is no JSON/);
      expect([source, failure]).toEqual([source, { problem: 'mapping-failed', detail }]);
    }
    expect(await world.made()).toHaveLength(names.length);
  },
  MUCH_WORK_MS,
);

it('ends a mapping that needs too much memory, though it would have had a result', async () => {
  const { message } = await problemOf(() => apply('$count([1..10000000])'));
  expect(message).toBe('The mapping needed more than 64 MiB.');
});

it('runs others while one takes long and another ends its process', async () => {
  const slow = apply(ENDLESS_LOOP, impatient).catch(({ message }) => message);
  const huge = apply('$length($pad("x", 500000000))', ours).catch(({ message }) => message);
  const others = await Promise.all(Array.from({ length: 10 }, () => apply('body.id')));
  expect(others).toEqual(Array(10).fill(7));
  expect(await slow).toMatch(/more than 500 ms/);
  expect(await huge).toMatch(/more than 64 MiB/);
});

it('allows a retry after too much time or memory, and after no other failure', async () => {
  const failureOf = (expression: string) => apply(expression, impatient).catch((error: unknown) => error);
  for (const tooMuch of [ENDLESS_LOOP, '$count([1..10000000])']) {
    expect(await failureOf(tooMuch)).toBeInstanceOf(MappingOverLimit);
  }
  for (const wrong of ['$pad("", 5000000, "x")', 'function($x) { $x }', 'body.id + "x"']) {
    expect(await failureOf(wrong)).not.toBeInstanceOf(MappingOverLimit);
  }
});

it('does not keep its own process alive', () => {
  const program = `
    import { mapper } from ${JSON.stringify(new URL('../../../../lib/webhooks/mapping/mapper.ts', import.meta.url).href)};
    console.log(await mapper().apply('body', { headers: {}, body: 1 }, 0));`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  expect(execFileSync(process.execPath, args, { timeout: 30_000 }).toString()).toBe('1\n');
});

it('is unavailable if something else ends the process', async () => {
  const closed = mapper();
  const running = apply(ENDLESS_LOOP, closed);
  closed.close();
  await expectProblem('unavailable', () => running);
});

it('gives the result of a process that was stopped for longer than the limit', () =>
  watched({}, async (own, started) => {
    const sum = '$sum([1..100000].($ * 2))';
    await apply(sum, own);
    const [child] = started;
    const stopMs = MAPPING_LIMITS.timeMs / 3;
    let ended = false;
    const result = apply(sum, own).finally(() => {
      ended = true;
    });
    // In several stops, since the first may come before the run begins.
    for (let stops = 0; stops < 8 && !ended; stops++) {
      child?.kill('SIGSTOP');
      await setTimeout(stopMs);
      child?.kill('SIGCONT');
      await setTimeout(30);
    }
    expect(await result).toBe(10_000_100_000);
    expect(started).toHaveLength(1);
  }));

describe('a process', () => {
  it('runs the same mapping for the next message', () =>
    watched({}, async (own, started) => {
      for (const id of [1, 2]) expect(await own.apply('body', { headers: {}, body: id }, NOW_MS)).toBe(id);
      expect(started).toHaveLength(1);
    }));

  it('never runs another mapping, and ends if another mapping needs its place', () =>
    watched({ atOnce: 2 }, async (own, started) => {
      for (const expression of ['1', '2', '3', '3', '1']) {
        expect(await apply(expression, own)).toBe(Number(expression));
      }
      expect(started.map(({ killed }) => killed)).toEqual([true, true, false, false]);
    }));
});
