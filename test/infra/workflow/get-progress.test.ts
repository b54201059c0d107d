import { JsonPath, Pass } from 'aws-cdk-lib/aws-stepfunctions';
import { describe, expect, it } from 'vitest';
import { GetProgressTask, type GetProgressTaskProps, SettingError } from '../../../infra/index.ts';
import { definitionOf, execute, inStack, NOT_NOW, OPEN, stackResources, statesOf, TERMINAL } from './world.ts';

const progressTask = (more: Partial<GetProgressTaskProps> = {}) =>
  definitionOf((stack) => {
    const state = (id: string) => new Pass(stack, id);
    const task = new GetProgressTask(stack, 'Read', {
      getProgress: stackResources(stack).getProgress,
      companyId: 'acme',
      projectId: JsonPath.numberAt('$.created.projectId'),
      resultPath: '$.progress',
      failures: {
        Terminal: state('Terminal'),
        Retryable: state('Retryable'),
        Unknown: state('Unknown'),
        'project-not-found': state('Gone'),
      },
      ...more,
    });
    return task.next(state('Done'));
  });

const DEFAULT = await progressTask();
const input = { created: { projectId: 5 } };
const output = { total: 100, languages: [] };

describe('the construct that reads progress', () => {
  it('sends one command, and adds its output to the input', async () => {
    const commands: unknown[] = [];
    const ended = await execute(
      DEFAULT,
      () => async (command) => {
        commands.push(command);
        return output;
      },
      input,
    );
    expect(ended).toMatchObject({ output: { ...input, progress: output }, failures: [] });
    const execution = { id: expect.any(String), state: 'Read' };
    expect(commands).toEqual([{ companyId: 'acme', execution, projectId: 5 }]);
    expect(statesOf(DEFAULT).filter(([, { Type }]) => Type === 'Task')).toHaveLength(1);
  });

  it.each([
    ...NOT_NOW.map((name) => [name, 7, 'Retryable'] as const),
    ...OPEN.filter((name) => !name.endsWith('request-in-progress')).map((name) => [name, 7, 'Unknown'] as const),
    ...TERMINAL.map((name) => [name, 1, name.endsWith('project-not-found') ? 'Gone' : 'Terminal'] as const),
    ['Runtime.ImportModuleError', 1, 'Unknown'] as const,
  ])('after %s, calls %i times and goes to %s', async (name, calls, next) => {
    let count = 0;
    const fail = async () => {
      count++;
      throw Object.assign(new Error('The cause.'), { name });
    };
    const { visited, output: failed } = await execute(DEFAULT, () => fail, input);
    expect({ count, visited }).toEqual({ count: calls, visited: ['Read', next] });
    expect(failed).toEqual({ ...input, failure: { Error: name, Cause: 'The cause.' } });
  });

  it('refuses a company that is a path, and paths written as text', async () => {
    for (const wrong of [{ companyId: '$.company' }, { taskId: '$.task' }]) {
      await expect(progressTask(wrong)).rejects.toThrow(SettingError);
    }
    const byCustomId = inStack(
      (stack) =>
        new GetProgressTask(stack, 'Read', {
          getProgress: stackResources(stack).getProgress,
          companyId: 'acme',
          customId: '$.id',
          failures: (() => {
            const failed = new Pass(stack, 'Failed');
            return { Terminal: failed, Retryable: failed, Unknown: failed };
          })(),
        }),
    );
    await expect(byCustomId).rejects.toThrow(SettingError);
  });
});
