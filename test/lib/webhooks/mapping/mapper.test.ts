import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { MAPPING_LIMITS } from '../../../../lib/webhooks/mapping/limits.ts';
import { type Mapper, type MapperOptions, MappingOverLimit, mapper } from '../../../../lib/webhooks/mapping/mapper.ts';
import { expectProblem, NOW_MS, problemOf } from '../../support.ts';
import { ENDLESS, ESCAPES } from './hostile.ts';

const ours = mapper();
/** A second is long for what ends, and short for what does not. */
const impatient = mapper({ limits: { ...MAPPING_LIMITS, timeMs: 1_000 } });
afterAll(() => {
  ours.close();
  impatient.close();
});

/** Runs a test with a mapper of its own, and shows it the processes that the mapper starts. */
async function watched(options: MapperOptions, test: (own: Mapper, started: readonly ChildProcess[]) => Promise<void>) {
  const started: ChildProcess[] = [];
  const own = mapper({
    ...options,
    startProcess: (...args) => {
      const child = spawn(...args);
      started.push(child);
      return child;
    },
  });
  try {
    await test(own, started);
  } finally {
    own.close();
  }
}

const input = { headers: { 'x-topic': 'made' }, body: { id: 7, names: ['a', 'b'], code: '1 + 1' } };
const apply = (expression: string, by = ours) => by.apply(expression, input, NOW_MS);

describe('a mapping', () => {
  it('gets headers and body, and gives JSON', async () => {
    const expression = '{ "topic": headers."x-topic", "id": body.id, "joined": $join(body.names, "+") }';
    expect(await apply(expression)).toEqual({ topic: 'made', id: 7, joined: 'a+b' });
  });

  it.each([
    ['nothing there', undefined],
    ['null', null],
    ['false', false],
    ['body.names', ['a', 'b']],
    ['"\\ud800"', '\ud800'],
    ['$base64encode', undefined],
  ])('that is %s gives %j', async (expression, result) => {
    const given = await apply(expression.replace('nothing there', 'body.nothing')).catch(() => undefined);
    expect(given).toEqual(result);
  });

  it('gives the same at every run: now is the time of the receipt, and nothing is left to chance', async () => {
    expect(await apply('[$now(), $millis()]')).toEqual([new Date(NOW_MS).toISOString(), NOW_MS]);
    for (const name of ['random()', 'shuffle([1, 2])']) await expectProblem('mapping-failed', () => apply(`$${name}`));
  });

  it('gives any JSON value as it came in, whatever its keys and texts are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), async (object) => {
        const sent: unknown = JSON.parse(JSON.stringify(object));
        expect(await ours.apply('{ "it": [body] }', { headers: {}, body: sent }, NOW_MS)).toEqual({ it: [sent] });
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    'function($x) { $x }',
    '{ "a": $string }',
    '[/a/]',
    '$power(10, 308) * 10',
    '{ "a": [1, function() { 1 }] }',
  ])('that gives %s gives no JSON', (expression) => expectProblem('mapping-failed', () => apply(expression)));

  it('gives as much as a body may have, and no byte more', async () => {
    const of = (bytes: number) => apply(`$pad("", ${bytes - 2}, "x")`);
    expect(await of(MAPPING_LIMITS.resultBytes)).toHaveLength(MAPPING_LIMITS.resultBytes - 2);
    expect((await problemOf(() => of(MAPPING_LIMITS.resultBytes + 1))).message).toContain('more than 4194304 bytes');
    expect((await problemOf(() => apply(`$pad("", 2000000, "人")`))).message).toContain('more than 4194304 bytes');
  });

  it('may be so long, and no longer', async () => {
    const filled = '1'.padStart(MAPPING_LIMITS.expressionCharacters);
    expect(await apply(filled)).toBe(1);
    await expectProblem('mapping-failed', () => apply(` ${filled}`));
  });

  it('that is no expression is refused when it is read', async () => {
    await expect(ours.check('{ "a": body.id }')).resolves.toBeUndefined();
    await expectProblem('mapping-failed', () => ours.check('{ "a": body.id'));
    expect((await problemOf(() => ours.check('$match(body, /(/)'))).name).toBe('mapping-failed');
  });
});

describe('nothing is reached by', () => {
  it.each(Object.entries(ESCAPES))('%s', async (_, expression) => {
    expect(await apply(expression).catch(({ name }) => name)).toBeOneOf([undefined, 'mapping-failed']);
  });
});

describe('what would never end is ended, and the next goes on, where it', () => {
  it.each(Object.entries(ENDLESS))('%s', async (_, expression) => {
    const { name, message } = await problemOf(() => apply(expression, impatient));
    expect(name).toBe('mapping-failed');
    expect(message).toMatch(/needed more than 64 MiB|took more than 1000 ms|gives more than|is no JSON value/);
    expect(await apply('body.id', impatient)).toBe(7);
  });
});

it('one that needs more memory than it may have is ended, though it would have come to something', async () => {
  const { message } = await problemOf(() => apply('$count([1..10000000])'));
  expect(message).toBe('The mapping needed more than 64 MiB.');
});

it('one that takes long, or kills its process, does nothing to another', async () => {
  const slow = apply('($f := function($x) { $f($x + 1) }; $f(1))', impatient).catch(({ message }) => message);
  const huge = apply('$length($pad("x", 500000000))', ours).catch(({ message }) => message);
  const others = await Promise.all(Array.from({ length: 10 }, () => apply('body.id')));
  expect(others).toEqual(Array(10).fill(7));
  expect(await slow).toMatch(/more than 1000 ms/);
  expect(await huge).toMatch(/more than 64 MiB/);
});

it('leaves no process behind, nor anything to wait for', () => {
  const program = `
    import { mapper } from ${JSON.stringify(new URL('../../../../lib/webhooks/mapping/mapper.ts', import.meta.url).href)};
    console.log(await mapper().apply('body', { headers: {}, body: 1 }, 0));`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  expect(execFileSync(process.execPath, args, { timeout: 10_000 }).toString()).toBe('1\n');
});

it('is unavailable where its process is ended by something else', async () => {
  const closed = mapper();
  const running = apply('($f := function($x) { $f($x + 1) }; $f(1))', closed);
  closed.close();
  await expectProblem('unavailable', () => running);
});

it('gives its result although its process was stopped for longer than the limit', () =>
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

describe('a process that has run a mapping', () => {
  // Its process holds about 90 MiB afterwards, and about 60 after one that does nothing.
  const swelling = '$sum([1..100000].($ * 2))';

  it('and still holds half of the memory that it may take is replaced', () =>
    watched({ limits: { ...MAPPING_LIMITS, processMiB: 140 } }, async (own, started) => {
      await apply(swelling, own);
      const [swollen] = started;
      if (swollen?.signalCode === null) await once(swollen, 'exit');
      expect(swollen?.signalCode).toBe('SIGKILL');
      expect(await apply(swelling, own)).toBe(10_000_100_000);
      expect(started).toHaveLength(2);
    }));

  it('runs it for the next message', () =>
    watched({}, async (own, started) => {
      for (const id of [1, 2]) expect(await own.apply('body', { headers: {}, body: id }, NOW_MS)).toBe(id);
      expect(started).toHaveLength(1);
    }));

  it('never runs another, and leaves its place to the process of another', () =>
    watched({ atOnce: 2 }, async (own, started) => {
      for (const expression of ['1', '2', '3', '3', '1']) {
        expect(await apply(expression, own)).toBe(Number(expression));
      }
      expect(started.map(({ killed }) => killed)).toEqual([true, true, false, false]);
    }));
});

it('that takes too much time or memory may be tried again, any other failure not', async () => {
  const failureOf = (expression: string) => apply(expression, impatient).catch((error: unknown) => error);
  for (const tooMuch of ['($f := function($x) { $f($x + 1) }; $f(1))', '$count([1..10000000])']) {
    expect(await failureOf(tooMuch)).toBeInstanceOf(MappingOverLimit);
  }
  for (const wrong of ['$pad("", 5000000, "x")', 'function($x) { $x }', 'body.id + "x"']) {
    expect(await failureOf(wrong)).not.toBeInstanceOf(MappingOverLimit);
  }
});
