import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../../../lib/contract/problem.ts';
import { MAPPING_LIMITS } from '../../../../lib/webhooks/mapping/limits.ts';
import { type MapperOptions, MappingOverLimit, mapper } from '../../../../lib/webhooks/mapping/mapper.ts';
import { MUCH_WORK_MS } from '../../../support/much-work.ts';
import { expectProblem, NOW_MS, problemOf } from '../../support.ts';

/** Mappings that never end, or need too much memory. */
const ENDLESS: Readonly<Record<string, string>> = {
  'calls itself in the last place for ever': '($f := function($x) { $f($x + 1) }; $f(1))',
  'backtracks in a regular expression': `$match("${'a'.repeat(40)}!", /^(a+)+$/)`,
  'pads a text to half a gigabyte': '$length($pad("x", 500000000))',
  'splits a hundred million letters': '$split($pad("x", 100000000), "")',
  'doubles a list': '($f := function($a, $n) { $n = 0 ? $a : $f($append($a, $a), $n - 1) }; $f([1..1000], 30))',
  'writes a number in endless words': '$formatInteger(100000000000, "I")',
};

/** Expressions that try to reach something outside the message. */
const ESCAPES: readonly string[] = [
  'constructor',
  '__proto__',
  '"a".constructor',
  '$string.implementation',
  '$toMillis.environment',
  '$lookup({}, "constructor")',
  '$process',
  '$globalThis',
  '($merge([{ "__proto__": { "polluted": true } }]); {}.polluted)',
  '"a".constructor.constructor("return process")()',
  '$string.implementation.constructor("return process")()',
];

const NO_CODE = '--disallow-code-generation-from-strings';
const ENDLESS_LOOP = '($f := function($x) { $f($x + 1) }; $f(1))';
const ours = mapper();
/** A mapper with a limit of half a second, which is long for a mapping that ends. */
const impatient = mapper({ limits: { ...MAPPING_LIMITS, timeMs: 500 } });
afterAll(() => {
  ours.close();
  impatient.close();
});

const input = { headers: { 'x-topic': 'made' }, body: { id: 7, names: ['a', 'b'], code: '1 + 1' } };
const apply = (expression: string, by = ours) => by.apply(expression, input, NOW_MS);

/** A process that a mapper started, with its arguments. */
type Started = ChildProcess & { readonly args: readonly string[]; readonly options: SpawnOptions };

/** Runs a test with its own mapper, and passes it the processes that the mapper starts. */
async function watched(
  options: MapperOptions,
  test: (own: ReturnType<typeof mapper>, started: readonly Started[]) => Promise<void>,
) {
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
  expect(await apply(`[${ESCAPES.join(', ')}]`)).toEqual([]);
  // Code from the message, and an object that a promise would wait for.
  for (const expression of ['$eval(body.code)', '{ "then": function($resolve) { $resolve(1) } }']) {
    await expectProblem('mapping-failed', () => apply(expression));
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
  'ends mappings that would never end, while other mappings run',
  async () => {
    /**
     * Returns the failure of a mapping. On a busy machine, a run may reach the time limit of the clock: then it is
     * `unavailable`.
     */
    async function failureOf(expression: string): Promise<Problem> {
      const problem = await problemOf(() => apply(expression, impatient));
      return problem.name === 'unavailable' ? failureOf(expression) : problem;
    }
    const endless = Object.entries(ENDLESS).map(async ([name, expression]) => {
      const { message } = await failureOf(expression);
      expect([name, message]).toEqual([name, expect.stringMatching(/more than (64 MiB|500 ms)|JSON cannot hold/)]);
    });
    await Promise.all([...endless, apply('body.id', ours)]);
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
  expect(await failureOf('body.id + "x"')).not.toBeInstanceOf(MappingOverLimit);
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

it('returns the result of a process that was stopped for longer than the limit', () =>
  watched({ limits: { ...MAPPING_LIMITS, timeMs: 600 } }, async (own, started) => {
    const sum = '$sum([1..100000].($ * 2))';
    await apply(sum, own);
    const [child] = started;
    let hasEnded = false;
    const result = apply(sum, own).finally(() => {
      hasEnded = true;
    });
    // The process is stopped several times, because the first stop may come before the run begins.
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
