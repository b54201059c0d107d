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
  const Choices = [{ Variable: '$.isDone', IsPresent: true, Next: 'C' }];
  const LOOP = {
    States: {
      A: { Type: 'Choice', Choices, Default: 'B' },
      B: { Type: 'Wait', Seconds: 60, Next: 'A' },
      C: { Type: 'Succeed' },
    },
  };

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
    ['no time', { A: { Type: 'Wait', End: true } }, 'the state A needs Seconds, or Timestamp'],
    [
      'two times',
      { A: { Type: 'Wait', Seconds: 1, Timestamp: '2026-01-01T00:00:00Z', End: true } },
      'the state A has Seconds and Timestamp: give only one of them',
    ],
    ['a day as a time', { A: { Type: 'Wait', Timestamp: '2026-01-01', End: true } }, 'such as 2026-01-31T09:00:00Z'],
    ['a part of a second', { A: { Type: 'Wait', Seconds: 0.5, End: true } }, 'must be a whole number of at least 0'],
    ['a time limit of none', { A: { ...task, TimeoutSeconds: 0 } }, 'the state A, TimeoutSeconds: must be a whole'],
    ['a text as a time limit', { A: { ...task, TimeoutSeconds: '9' } }, 'the state A, TimeoutSeconds: must be a whole'],
    [
      'a heartbeat as long as the time limit',
      { A: { ...task, TimeoutSeconds: 9, HeartbeatSeconds: 9 } },
      'the state A: HeartbeatSeconds must be less than TimeoutSeconds',
    ],
    [
      'a pause that cannot grow',
      { A: { ...task, Retry: [{ ErrorEquals: ['X'], IntervalSeconds: 9, MaxDelaySeconds: 9 }] } },
      'the state A, Retry: MaxDelaySeconds must be greater than IntervalSeconds',
    ],
    [
      'a part of a second before a retry',
      { A: { ...task, Retry: [{ ErrorEquals: ['X'], IntervalSeconds: 0.5 }] } },
      '/Retry/0/IntervalSeconds',
    ],
    ['both ways to go on', { A: { ...pass, Next: 'B' }, B: pass }, 'the state A needs either Next or "End": true'],
    ['no way to go on', { A: { Type: 'Pass' } }, 'the state A needs either Next or "End": true'],
    ['no such next state', { A: { Type: 'Pass', Next: 'C' }, B: pass }, 'there is no state C'],
    ['a state without a way to it', { A: pass, B: pass }, 'no state leads to the state B'],
    ['no end', { A: { Type: 'Pass', Next: 'B' }, B: { Type: 'Pass', Next: 'A' } }, 'the machine never ends'],
    ['a choice of nothing', { A: { Type: 'Choice', Default: 'B' }, B: pass }, 'the state A needs Choices'],
    ['a task of nothing', { A: { Type: 'Task', End: true } }, 'the state A needs Resource'],
    ['no branches', { A: { Type: 'Parallel', End: true } }, 'the state A needs Branches'],
    ['a map of nothing', { A: { Type: 'Map', End: true } }, 'the state A needs ItemProcessor, or Iterator'],
    [
      'a branch that never ends',
      { A: { Type: 'Parallel', Branches: [{ StartAt: 'B', States: { B: { Type: 'Pass', Next: 'B' } } }], End: true } },
      'a branch of the state A never ends',
    ],
    [
      'a way out of a branch',
      {
        A: { Type: 'Parallel', Branches: [{ StartAt: 'C', States: { C: { Type: 'Pass', Next: 'B' } } }], Next: 'B' },
        B: pass,
      },
      'there is no state B',
    ],
    [
      'a name in a branch and outside',
      { A: { Type: 'Parallel', Branches: [{ StartAt: 'A', States: { A: pass } }], End: true } },
      'two states have the name A',
    ],
    [
      'a name in two branches',
      { A: { Type: 'Parallel', Branches: [1, 2].map(() => ({ StartAt: 'C', States: { C: pass } })), End: true } },
      'two states have the name C',
    ],
    ['a long name', { A: { Type: 'Pass', Next: 'B'.repeat(81) }, ['B'.repeat(81)]: pass }, 'more than 80 characters'],
    ['an unknown field', { A: { ...pass, Outptu: 1 } }, 'the state A has Outptu'],
    [
      'a retry of a choice',
      { A: { Type: 'Choice', Choices: [{ Condition: true, Next: 'B' }], Retry: [] }, B: pass },
      'has Retry',
    ],
    ['a field of JSONPath', { A: { ...pass, InputPath: '$' } }, 'InputPath, which is of JSONPath'],
    ['a field of JSONata', { A: { ...pass, QueryLanguage: 'JSONPath', Output: 1 } }, 'only the reverse works'],
    [
      'a name before',
      { A: { ...task, Catch: [all('States.ALL'), all('X')] }, B: pass },
      'the state A, Catch: States.ALL',
    ],
    ['a name beside', { A: { ...task, Catch: [all('X', 'States.ALL')] }, B: pass }, 'the state A, Catch: States.ALL'],
  ])('is refused: %s', (_, States, message) => {
    expect(() => readMachine({ QueryLanguage: 'JSONata', StartAt: 'A', States })).toThrow(message);
  });

  it.each<[string, object, string]>([
    ['a field of JSONata', { A: { ...pass, Output: 1 } }, 'Output, which is of JSONata'],
    ['a time and a path', { A: { ...task, TimeoutSeconds: 9, TimeoutSecondsPath: '$.a' } }, 'give only one of them'],
    ['an error and a path', { A: { Type: 'Fail', Error: 'X', ErrorPath: '$.a' } }, 'Error and ErrorPath'],
    [
      'two names of one field',
      {
        A: {
          Type: 'Map',
          ItemProcessor: { StartAt: 'C', States: { C: pass } },
          ItemSelector: {},
          Parameters: {},
          End: true,
        },
      },
      'ItemSelector and Parameters',
    ],
  ])('in JSONPath is refused: %s', (_, States, message) => {
    expect(() => readMachine({ StartAt: 'A', States })).toThrow(message);
  });

  it('is refused: another version, and no first state', () => {
    expect(() => readMachine({ StartAt: 'A', Version: '2.0', States: { A: pass } })).toThrow('/Version');
    expect(() => readMachine({ States: { A: pass } })).toThrow('/StartAt');
    expect(() => readMachine({ StartAt: 'B', States: { A: pass } })).toThrow('there is no state B');
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
