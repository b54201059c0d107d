import { describe, expect, it } from 'vitest';
import { execute } from '../workflow/interpreter/execution.ts';
import { readMachine } from '../workflow/interpreter/machine.ts';

type Options = Partial<Parameters<typeof execute>[2]>;

/** Runs states, the first of which is A. */
function run(definition: object, input: unknown = {}, options: Options = {}) {
  return execute(readMachine({ StartAt: 'A', ...definition }), input, {
    machine: 'Case',
    name: 'one',
    call: async () => ({}),
    pause: async () => {},
    ...options,
  });
}

/** Runs a state whose output is an expression of JSONata. */
const compute = (expression: string) =>
  run({ QueryLanguage: 'JSONata', States: { A: { Type: 'Pass', Output: `{% ${expression} %}`, End: true } } });

describe('a loop without an end', () => {
  const LOOP = { States: { A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Wait', Seconds: 60, Next: 'A' } } };

  it('ends at the events that Step Functions keeps', async () => {
    expect(await run(LOOP)).toEqual({
      error: 'States.Runtime',
      cause: 'The execution reached the 25000 events that its history may have on AWS.',
    });
  });

  it('can be stopped', async () => {
    const stop = new AbortController();
    setImmediate(() => stop.abort());
    expect(await run(LOOP, {}, { signal: stop.signal })).toEqual({ stopped: true });
  });

  it('ends if a state runs again without an end', async () => {
    const Retry = [{ ErrorEquals: ['States.ALL'], MaxAttempts: 99_999_999 }];
    const call = async () => Promise.reject(new Error('Not now.'));
    const A = { Type: 'Task', Resource: 'work', Retry, End: true };
    expect(await run({ States: { A } }, {}, { call })).toMatchObject({ error: 'States.Runtime' });
  });
});

describe('StringMatches', () => {
  const matches = async (text: string, pattern: string) => {
    const Choices = [{ Variable: '$', StringMatches: pattern, Next: 'Yes' }];
    const end = (Result: boolean) => ({ Type: 'Pass', Result, End: true });
    const A = { Type: 'Choice', Choices, Default: 'No' };
    const ended = await run({ States: { A, Yes: end(true), No: end(false) } }, text);
    return 'output' in ended && ended.output;
  };

  it.each([
    ['log-1.txt', 'log-*.txt', true],
    ['log-1.txt', 'log-*.tx', false],
    ['abab', '*ab', true],
    ['aab', '*a*b', true],
    ['', '*', true],
    ['', '', true],
    ['a', '', false],
    ['a*b', 'a\\*b', true],
    ['axb', 'a\\*b', false],
    ['a\\b', 'a\\\\b', true],
    ['two\nlines', 'two*s', true],
    ['a.c', 'a.c', true],
    ['abc', 'a.c', false],
  ])('of %j and %j is %j', async (text, pattern, expected) => {
    expect(await matches(text, pattern)).toBe(expected);
  });

  it('takes no long time for many asterisks', async () => {
    expect(await matches('a'.repeat(20_000), `${'*a'.repeat(20)}*b`)).toBe(false);
  });
});

describe('an expression of JSONata', () => {
  it('that makes a large value ends its state, and not the program', async () => {
    const cause = 'The field Output has more than 262144 bytes.';
    expect(await compute("$pad('x', 300000)")).toEqual({ error: 'States.DataLimitExceeded', cause });
    expect(await compute("$length($pad('x', 200000000))")).toEqual({
      error: 'States.QueryEvaluationError',
      cause: expect.stringMatching(
        /^The JSONata expression '.*' specified for the field 'Output' (needed more than 256 MiB|took more than 5000 ms to evaluate)\.$/,
      ),
    });
  });

  it('can be evaluated after one that needed too much memory', async () => {
    const A = {
      Type: 'Pass',
      Output: "{% $length($pad('x', 200000000)) %}",
      Next: 'B',
    };
    const Catch = [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'B' }];
    const Parallel = {
      Type: 'Parallel',
      Branches: [{ StartAt: 'I', States: { I: { ...A, Next: undefined, End: true } } }],
      Catch,
      Next: 'B',
    };
    const B = { Type: 'Pass', Output: '{% 1 + 1 %}', End: true };
    expect(await run({ QueryLanguage: 'JSONata', States: { A: Parallel, B } })).toEqual({ output: 2 });
  });

  it.each([
    ["$uppercasee('a')", 'there is no function $uppercasee, and the nearest is $uppercase'],
    ["$eval('1')", 'Step Functions has no $eval, so use $parse for a text of JSON'],
    ["$parse('{bad')", 'failed: the text that $parse gets is not JSON'],
    ['$uppercase(1)', 'failed: line 1, column 1: argument 1 of the function has the wrong type, near `uppercase`'],
    ['1 / 0', 'returned a value that JSON cannot hold'],
    ['$error("Mine")', "'Output' Mine."],
  ])('says why it failed: %s', async (expression, reason) => {
    const ended = await compute(expression);
    expect(ended).toMatchObject({ error: 'States.QueryEvaluationError', cause: expect.stringContaining(reason) });
  });
});

describe('a definition that Step Functions refuses', () => {
  const pass = { Type: 'Pass', End: true };
  const task = { Type: 'Task', Resource: 'work', End: true };
  const all = (...names: string[]) => ({ ErrorEquals: names, Next: 'B' });

  it.each<[string, object, string]>([
    [
      'a part of a text',
      { A: { ...pass, Output: 'man-{% 1 %}' } },
      'the state A, Output: Step Functions sends man-{% 1 %}',
    ],
    ['an open expression', { A: { ...pass, Output: { id: '{% 1' } } }, 'make the whole text one expression'],
    ['blanks around it', { A: { ...pass, Output: ' {% 1 %}' } }, 'make the whole text one expression'],
    ['a syntax error', { A: { ...pass, Output: "{% $uppercase('x' %}" } }, 'line 1, column 15: expected `)`'],
    ['a newer operator', { A: { ...pass, Output: '{% a ?? b %}' } }, 'the operator ?? is newer'],
    ['a newer condition', { A: { ...pass, Output: '{% a ?: b %}' } }, 'the operator ?: is newer'],
    [
      'a condition without braces',
      { A: { Type: 'Choice', Choices: [{ Condition: '$x = 1', Next: 'B' }] }, B: pass },
      'the state A, Choices: the condition $x = 1 is no expression: write {% $x = 1 %}',
    ],
    ['a variable of its own', { A: { ...pass, Assign: { states: 1 } } }, 'the variable states belongs to'],
    ['a name of a variable', { A: { ...pass, Assign: { 'a-b': 1 } } }, 'a-b is no name of a variable'],
    ['no time', { A: { Type: 'Wait', End: true } }, 'the state A needs either Seconds or Timestamp'],
    [
      'two times',
      { A: { Type: 'Wait', Seconds: 1, Timestamp: '2026-01-01T00:00:00Z', End: true } },
      'the state A needs either Seconds or Timestamp',
    ],
    ['a state without a way to it', { A: pass, B: pass }, 'no state leads to the state B'],
    [
      'a name before',
      { A: { ...task, Catch: [all('States.ALL'), all('X')] }, B: pass },
      'the state A, Catch: States.ALL',
    ],
    ['a name beside', { A: { ...task, Catch: [all('X', 'States.ALL')] }, B: pass }, 'the state A, Catch: States.ALL'],
  ])('is refused: %s', (_, States, message) => {
    expect(() => readMachine({ QueryLanguage: 'JSONata', StartAt: 'A', States })).toThrow(message);
  });

  it('is not mistaken: the newer operators in texts', async () => {
    expect(await compute('\'a ?? b\' & "?:" /* ?? */')).toEqual({ output: 'a ?? b?:' });
  });
});

it.each([
  { Type: 'Task', Resource: 'work', TimeoutSeconds: "{% '10' %}" },
  {
    Type: 'Map',
    Items: [1],
    MaxConcurrency: "{% 'x' %}",
    ItemProcessor: { StartAt: 'C', States: { C: { Type: 'Succeed' } } },
  },
])('catches a wrong type from an expression: %j', async (A) => {
  const Catch = [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'B' }];
  const B = { Type: 'Pass', Output: 'caught', End: true };
  expect(await run({ QueryLanguage: 'JSONata', States: { A: { ...A, Catch, End: true }, B } })).toEqual({
    output: 'caught',
  });
});

it('fails a wait for a text', async () => {
  const A = { Type: 'Wait', Seconds: "{% '3' %}", End: true };
  expect(await run({ QueryLanguage: 'JSONata', States: { A } })).toMatchObject({
    error: 'States.QueryEvaluationError',
  });
});
