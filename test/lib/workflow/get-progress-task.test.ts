import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import type { ProjectRef, ServiceProgress } from '../../../lib/service/port.ts';
import { getProgressTask } from '../../../lib/workflow/get-progress-task.ts';
import { contextOf, fakeService } from '../http/fixture.ts';
import { failureOf, options } from './world.ts';

const languages = [{ languageId: 53, languageCode: 'de-DE', progress: 40 }];
const progress = { total: 40, tasks: [{ taskId: 't', total: 40, targetLanguages: languages }], languages };

/** Returns a task that reads progress, and its calls of the service. */
function reading(found: ServiceProgress = progress) {
  const asked: [ProjectRef, string | undefined][] = [];
  const service = fakeService({
    async progress(ref, taskId) {
      asked.push([ref, taskId]);
      return found;
    },
  });
  return { handler: getProgressTask(service, options), asked };
}

describe('the task that reads progress', () => {
  it.each<[object, ProjectRef, string | undefined]>([
    [{ projectId: 5 }, { id: 5 }, undefined],
    [{ customId: 'a/b', taskId: 't' }, { customId: 'a/b' }, 't'],
  ])('%j requests exactly that, and returns the total and the languages', async (command, ref, taskId) => {
    const { handler, asked } = reading();
    const execution = { id: 'arn', state: 'Read' };
    expect(await handler({ companyId: 'acme', execution, ...command }, contextOf())).toEqual({ total: 40, languages });
    expect(asked).toEqual([[ref, taskId]]);
  });

  it('returns null for a field that another service leaves out', async () => {
    const { handler } = reading({ percent: 40 });
    const output = await handler({ companyId: 'acme', projectId: 5 }, contextOf());
    expect(output).toEqual({ total: null, languages: null });
  });

  it.each<[string, object, string[]]>([
    ['no project', {}, ['/projectId required']],
    ['two names of a project', { projectId: 5, customId: 'x' }, ['/projectId required']],
    ['an empty task', { projectId: 5, taskId: '' }, ['/taskId blank']],
    ['a misspelt field', { projectId: 5, taskID: 't' }, ['/taskID unknown-field']],
  ])('refuses %s, and requests nothing', async (_, command, faults) => {
    const { handler, asked } = reading();
    const failure = await failureOf(handler, { companyId: 'acme', ...command });
    expect(failure).toMatchObject({ name: 'Segue.Terminal.invalid-parameter', faults });
    expect(asked).toEqual([]);
  });

  it.each([
    ['project-not-found', 'Terminal'],
    ['task-not-found', 'Terminal'],
    ['unavailable', 'Retryable'],
    ['upstream-invalid', 'Unknown'],
  ] as const)('fails after %s with the class %s', async (type, failureClass) => {
    const service = fakeService({ progress: () => Promise.reject(new Problem(type, { detail: 'No.' })) });
    const failure = await failureOf(getProgressTask(service, options), { companyId: 'acme', projectId: 5 });
    expect(failure.name).toBe(`Segue.${failureClass}.${type}`);
  });
});
