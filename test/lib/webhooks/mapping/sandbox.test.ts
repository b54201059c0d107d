import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { MAPPING_LIMITS } from '../../../../lib/webhooks/mapping/limits.ts';
import { type Mapper, type MapperOptions, MappingOverLimit, mapper } from '../../../../lib/webhooks/mapping/mapper.ts';
import { MAX_OVER_LIMIT } from '../../../../lib/webhooks/retry-policy.ts';
import { MUCH_WORK_MS } from '../../../support/much-work.ts';
import { expectProblem, NOW_MS } from '../../support.ts';
import { creation, DeliveryWorld, identity, MINUTE_MS } from '../world.ts';

/** Mappings that never end, or need too much memory. */
const ENDLESS: Readonly<Record<string, string>> = {
  'calls itself in the last place for ever': '($f := function($x) { $f($x + 1) }; $f(1))',
  'backtracks in a regular expression': `$match("${'a'.repeat(40)}!", /^(a+)+$/)`,
  'pads a text to half a gigabyte': '$length($pad("x", 500000000))',
  'doubles a text': '$length($reduce([1..28], function($a, $n) { $a & $a }, "x"))',
  'splits a hundred million letters': '$split($pad("x", 100000000), "")',
  'doubles a list': '($f := function($a, $n) { $n = 0 ? $a : $f($append($a, $a), $n - 1) }; $f([1..1000], 30))',
  'replaces a letter by a thousand, ten million times': '$replace($pad("a", 10000000), "a", $pad("b", 1000))',
  'writes a number in endless words': '$formatInteger(100000000000, "I")',
};

/** Expressions that try to reach something outside the message. */
const ESCAPES: Readonly<Record<string, string>> = {
  'the constructor of the input': 'constructor',
  'the prototype of the input': '__proto__',
  'the constructor of a text': '"a".constructor',
  'the implementation of a function': '$string.implementation',
  'the environment of a function': '$toMillis.environment',
  'the constructor by its name': '$lookup({}, "constructor")',
  'the process': '$process',
  'everything global': '$globalThis',
  'a prototype through a merge': '($merge([{ "__proto__": { "polluted": true } }]); {}.polluted)',
  'a function from a text': '"a".constructor.constructor("return process")()',
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

it('cannot reach anything outside the message', async () => {
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
      const detail = expect.stringMatching(
        /needed more than 64 MiB|took more than 500 ms|returns more than|JSON cannot hold/,
      );
      expect([source, failure]).toEqual([source, { problem: 'mapping-failed', detail }]);
    }
    expect(await world.made()).toHaveLength(names.length);
  },
  MUCH_WORK_MS,
);

it('allows a retry after too much time or memory, and after no other failure', async () => {
  const failureOf = (expression: string) => apply(expression, impatient).catch((error: unknown) => error);
  for (const [tooMuch, detail] of [
    [ENDLESS_LOOP, 'The mapping took more than 500 ms of processor time.'],
    ['$count([1..10000000])', 'The mapping needed more than 64 MiB.'],
  ] as const) {
    expect(await failureOf(tooMuch)).toEqual(new MappingOverLimit(detail));
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
  watched({ limits: { ...MAPPING_LIMITS, timeMs: 600 } }, async (own, started) => {
    const sum = '$sum([1..100000].($ * 2))';
    await apply(sum, own);
    const [child] = started;
    let hasEnded = false;
    const result = apply(sum, own).finally(() => {
      hasEnded = true;
    });
    // In several stops, since the first may come before the run begins.
    for (let stops = 0; stops < 8 && !hasEnded; stops++) {
      child?.kill('SIGSTOP');
      await setTimeout(200);
      child?.kill('SIGCONT');
      await setTimeout(20);
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
