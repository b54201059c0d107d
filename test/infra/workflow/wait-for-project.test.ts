import { Duration, type Stack } from 'aws-cdk-lib';
import { JsonPath, Pass, QueryLanguage } from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, it } from 'vitest';
import { SettingError, WaitForProjectTask, type WaitForProjectTaskProps } from '../../../infra/index.ts';
import type { TaskCallbacks } from '../../../packages/cli/workflow/interpreter/task-callbacks.ts';
import { type Definition, definitionOf, execute, inStack, NOT_NOW, OPEN, stackResources, statesOf } from './world.ts';

const { JSONATA } = QueryLanguage;

/** Returns a state that waits for a project. */
function waitIn(stack: Stack, more: Partial<WaitForProjectTaskProps> = {}) {
  const state = (id: string) => new Pass(stack, id);
  const task = new WaitForProjectTask(stack, 'Translated', {
    waitForProject: stackResources(stack).waitForProject,
    companyId: 'acme',
    projectId: JsonPath.numberAt('$.created.projectId'),
    languages: ['de-DE'],
    resultPath: '$.progress',
    timedOut: state('TooLate'),
    failures: {
      Terminal: state('Terminal'),
      Retryable: state('Retryable'),
      Unknown: state('Unknown'),
      'project-not-found': state('Gone'),
    },
    ...more,
  });
  return task.next(state('Done'));
}

const OF_JSONATA = {
  queryLanguage: JSONATA,
  projectId: '{% $states.input.created.projectId %}',
  resultPath: undefined,
  outputs: "{% $merge([$states.input, { 'progress': $states.result }]) %}",
} as const;

const MACHINES: Readonly<Record<string, Definition>> = {
  JSONPath: await definitionOf((stack) => waitIn(stack)),
  JSONata: await definitionOf((stack) => waitIn(stack, OF_JSONATA), JSONATA),
};
const input = { created: { projectId: 5 } };
const progress = { total: 100, languages: [] };

type Command = Readonly<Record<string, unknown>>;

/** Runs a machine. @param answer runs the function for a state, which may report the token */
async function run(
  definition: Definition,
  answer: (state: string, command: Command, callbacks: TaskCallbacks) => unknown,
) {
  let callbacks: TaskCallbacks | undefined;
  const commands: [string, Command][] = [];
  const work = (state: string) => async (command: unknown) => {
    if (!callbacks) throw new Error('The execution has no callbacks');
    const fields: Command = Object(command);
    commands.push([state, fields]);
    return (await answer(state, fields, callbacks)) ?? {};
  };
  const ended = await execute(definition, work, input, 'one', (those) => {
    callbacks = those;
  });
  return { ...ended, commands };
}

const fails = (name: string) => {
  throw Object.assign(new Error('The cause.'), { name });
};
const heartbeatLost = (command: Command, callbacks: TaskCallbacks) =>
  // Nobody reports, and the heartbeat passes.
  callbacks.fail(String(command['taskToken']), 'States.HeartbeatTimeout', 'Nobody reported.');

describe.each(Object.entries(MACHINES))('the construct that waits, in %s', (language, definition) => {
  it('waits by a token with a heartbeat and a timeout', () => {
    expect(new Map(statesOf(definition)).get('Translated')).toMatchObject({
      Resource: expect.anything(),
      HeartbeatSeconds: 900,
      TimeoutSeconds: 604_800,
    });
  });

  it('sends the command with the token, and adds the reported output to the input', async () => {
    const { output, visited, commands } = await run(definition, (_, command, callbacks) => {
      callbacks.heartbeat(String(command['taskToken']));
      callbacks.succeed(String(command['taskToken']), progress);
    });
    expect(visited).toEqual(['TranslatedBegin', 'Translated', 'Done']);
    expect(output).toEqual({ ...input, progress });
    expect(commands).toEqual([
      [
        'Translated',
        {
          companyId: 'acme',
          execution: { id: expect.stringMatching(/:one$/), state: 'Translated' },
          projectId: 5,
          languages: ['de-DE'],
          since: expect.stringMatching(/^\d{4}-.*Z$/),
          timeoutSeconds: 604_800,
          taskToken: expect.any(String),
        },
      ],
    ]);
  });

  it('looks at the project itself if reports are lost, and waits again from the first beginning', async () => {
    let rounds = 0;
    const { output, visited, commands } = await run(definition, (state, command, callbacks) => {
      if (state === 'Translated') {
        rounds++;
        heartbeatLost(command, callbacks);
        return undefined;
      }
      return rounds < 3 ? fails('Segue.Waiting') : progress;
    });
    const round = ['Translated', 'TranslatedCheck', 'TranslatedPause'];
    expect(visited).toEqual(['TranslatedBegin', ...round, ...round, 'Translated', 'TranslatedCheck', 'Done']);
    expect(output).toEqual({ ...input, progress });
    expect(new Set(commands.map(([, { since }]) => since)).size).toBe(1);
    expect(new Set(commands.flatMap(([, { taskToken }]) => taskToken ?? [])).size).toBe(3);
    for (const [state, command] of commands) expect('taskToken' in command).toBe(state === 'Translated');
  });

  it.each(['report', 'look'])('goes on with a state of its own after the timeout, from a %s', async (from) => {
    const { output, visited } = await run(definition, (state, command, callbacks) => {
      if (state === 'TranslatedCheck') return fails('Segue.WaitTimedOut');
      if (from === 'look') heartbeatLost(command, callbacks);
      else callbacks.fail(String(command['taskToken']), 'Segue.WaitTimedOut', 'The cause.');
      return undefined;
    });
    expect(visited.slice(-1)).toEqual(['TooLate']);
    expect(output).toEqual({ ...input, failure: { Error: 'Segue.WaitTimedOut', Cause: 'The cause.' } });
  });

  it.each(['report', 'look'])('fails with a name if the project was deleted, from a %s', async (from) => {
    const name = 'Segue.Terminal.project-not-found';
    const { output, visited } = await run(definition, (state, command, callbacks) => {
      if (state === 'TranslatedCheck') return fails(name);
      if (from === 'look') heartbeatLost(command, callbacks);
      else callbacks.fail(String(command['taskToken']), name, 'The cause.');
      return undefined;
    });
    expect(visited.slice(-1)).toEqual(['Gone']);
    expect(output).toEqual({ ...input, failure: { Error: name, Cause: 'The cause.' } });
  });

  it.each(NOT_NOW)('retries a registration that fails with %s, and then goes on', async (name) => {
    const { retries, visited } = await run(definition, () => fails(name));
    expect(retries).toHaveLength(6);
    expect(visited.slice(-1)).toEqual(['Retryable']);
  });

  it.each(OPEN)('looks at the project if the registration ends with %s', async (name) => {
    const { visited } = await run(definition, (state) => (state === 'Translated' ? fails(name) : progress));
    expect(visited).toEqual(['TranslatedBegin', 'Translated', 'TranslatedCheck', 'Done']);
    expect(language).toBeDefined();
  });
});

describe('the times of a wait', () => {
  it.each<[string, Partial<WaitForProjectTaskProps>, string]>([
    ['a short heartbeat', { heartbeat: Duration.minutes(9) }, 'heartbeat must be at least 10 minutes'],
    [
      'a timeout below it',
      { timeout: Duration.minutes(14), heartbeat: Duration.minutes(15) },
      'timeout must be at least as long as heartbeat',
    ],
    ['a short timeout', { timeout: Duration.minutes(5) }, 'timeout must be at least 10 minutes'],
    ['a long timeout', { timeout: Duration.days(31) }, 'timeout must be at most 30 days'],
    [
      'too many heartbeats',
      { timeout: Duration.days(30), heartbeat: Duration.minutes(10) },
      'timeout must be at most 1000 times heartbeat: give a heartbeat of at least 2592 seconds, or a timeout of at most 600000 seconds',
    ],
  ])('are refused: %s', async (_, times, message) => {
    await expect(inStack((stack) => waitIn(stack, times))).rejects.toThrow(message);
    await expect(inStack((stack) => waitIn(stack, times))).rejects.toThrow(SettingError);
  });
});

it.each<[Partial<WaitForProjectTaskProps>, number, number]>([
  [{}, 604_800, 900],
  [{ heartbeat: Duration.minutes(10) }, 600_000, 600],
  [{ timeout: Duration.days(30) }, 2_592_000, 2_592],
  [{ timeout: Duration.minutes(12) }, 720, 720],
])('completes the times %j', async (times, TimeoutSeconds, HeartbeatSeconds) => {
  const definition = await definitionOf((stack) => waitIn(stack, times));
  expect(new Map(statesOf(definition)).get('Translated')).toMatchObject({ TimeoutSeconds, HeartbeatSeconds });
});

it.each<[Partial<WaitForProjectTaskProps>, string]>([
  [{ progress: 0 }, 'progress must be a percentage from 1 to 100'],
  [{ progress: 150 }, 'progress must be a percentage from 1 to 100'],
  [{ languages: [] }, 'languages must have at least one code'],
])('refuses to wait for %j', async (goal, message) => {
  await expect(inStack((stack) => waitIn(stack, goal))).rejects.toThrow(message);
});

it('refuses a company that is a path or an expression, and mixed languages', async () => {
  for (const companyId of [JsonPath.stringAt('$.company'), '{% $states.input.company %}']) {
    await expect(inStack((stack) => waitIn(stack, { companyId }))).rejects.toThrow(SettingError);
  }
  await expect(inStack((stack) => waitIn(stack, { queryLanguage: JSONATA }))).rejects.toThrow(SettingError);
});
