import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { hosted } from '../../lib/hosted/fixture.ts';
import { openSqlite } from '../../lib/storage/folder.ts';
import { callOf, checked, expectProblem, heldNow, project } from '../../lib/support.ts';
import { type Json, member, segment, target } from '../../support/projects.ts';
import { run, type Tasks, tasksOn } from './tasks.ts';

const call = callOf();
const { startDateUtc: _, ...undated } = project({
  customId: 'x',
  segments: [segment({ taskId: 'a' }), segment({ taskId: 'b' }), segment({ taskId: 'a' })],
});
const input = { project: undated, taskId: 'a' };

/** A service whose method fails some times before it works. */
function failing(method: 'create' | 'delete', type: ProblemType, times = Number.POSITIVE_INFINITY): ProjectService {
  const service = hosted();
  const work: ProjectService[typeof method] = service[method];
  let left = times;
  return {
    ...service,
    [method]: async (...args: Parameters<typeof work>) => {
      if (left-- > 0) throw new Problem(type, { detail: 'On purpose.' });
      return Reflect.apply(work, service, args);
    },
  };
}

describe('the example', () => {
  it('creates a project, deletes a task of it, deletes the project', async () => {
    const service = hosted();
    const { output, failures, visited } = await run(tasksOn(service), input);
    expect(failures).toEqual([]);
    expect(visited).toEqual(['CreateProject', 'DeleteTask', 'DeleteProject', 'Done']);
    expect(output).toMatchObject({
      created: { projectId: expect.any(Number), segments: 3, targetLanguages: 1 },
      deletedTask: { scope: 'task', taskId: 'a', outcome: 'deleted', removed: { segments: 2, tasks: 1 } },
      deletedProject: { scope: 'project', customId: 'x', removed: { targetLanguages: 1, segments: 1, tasks: 1 } },
    });
    await expectProblem('project-not-found', () => service.get({ customId: 'x' }, undefined, call));
  });

  it('works for the company of its definition, whatever the input says', async () => {
    const storage = openSqlite(heldNow);
    const service = hosted({ storage });
    await service.create(checked({ customId: 'x' }), callOf('other'));
    expect((await run(tasksOn(service), { ...input, companyId: 'other' })).visited.at(-1)).toBe('Done');
    expect((await service.get({ customId: 'x' }, undefined, callOf('other'))).segments).toBe(1);
  });

  it('takes a task that is absent already for deleted', async () => {
    const { output } = await run(tasksOn(hosted()), { ...input, taskId: 'none' });
    expect(output).toMatchObject({
      deletedTask: { scope: 'task', outcome: 'already-absent' },
      deletedProject: { removed: { segments: 3 } },
    });
  });

  it('never deletes more where the task got lost on the way', async () => {
    const service = hosted();
    const { error, failures } = await run(tasksOn(service), { project: undated, taskId: null });
    expect({ error, failures }).toEqual({
      error: 'NotDeleted',
      failures: ['Segue.Terminal.invalid-parameter', 'NotDeleted'],
    });
    expect((await service.get({ customId: 'x' }, undefined, call)).segments).toBe(3);
  });
});

describe('a failure is caught by its name', () => {
  const proofreader = member({ isTranslator: false, isProofreader: true });
  const inUse = async () => {
    const service = hosted();
    await service.create(checked({ customId: 'x' }), call);
    return service;
  };

  it.each<[name: string, end: string, service: () => ProjectService | Promise<ProjectService>, changed?: Json]>([
    ['Segue.Terminal.invalid-project', 'ProjectToCorrect', hosted, { name: 5 }],
    [
      'Segue.Terminal.team-without-translator',
      'TeamToComplete',
      hosted,
      { targetLanguages: [target({ team: [proofreader] })] },
    ],
    ['Segue.Terminal.custom-id-in-use', 'CustomIdInUse', inUse],
    ['Segue.Retryable.unavailable', 'NotNow', () => failing('create', 'unavailable')],
    ['Segue.Retryable.upstream-unavailable', 'NotNow', () => failing('create', 'upstream-unavailable')],
    ['Segue.Unknown.outcome-unknown', 'ProjectToLookUp', () => failing('create', 'outcome-unknown')],
    ['Segue.Unknown.upstream-invalid', 'ProjectToLookUp', () => failing('create', 'upstream-invalid')],
    ['Segue.Unknown.internal-error', 'ProjectToLookUp', () => failing('create', 'internal-error')],
    ['Segue.Terminal.upstream-refused', 'NotCreated', () => failing('create', 'upstream-refused')],
    ['Segue.Terminal.upstream-refused', 'NotDeleted', () => failing('delete', 'upstream-refused')],
    ['Segue.Retryable.unavailable', 'NotNow', () => failing('delete', 'unavailable')],
    ['Segue.Unknown.internal-error', 'DeletionToLookUp', () => failing('delete', 'internal-error')],
  ])('%s ends in %s', async (name, end, service, changed = {}) => {
    const { error, cause, failures } = await run(tasksOn(await service()), {
      ...input,
      project: Object.assign({}, undated, changed),
    });
    expect(error).toBe(end);
    expect(failures[0]).toBe(name);
    expect(JSON.parse(cause ?? '')).toMatchObject({ type: `urn:segue:problem/${name.split('.')[2]}` });
  });

  it('a store that is closed makes nothing, and is said to be unavailable', async () => {
    const storage = openSqlite(heldNow);
    storage.close();
    expect(await run(tasksOn(hosted({ storage })), input)).toMatchObject({ error: 'NotNow' });
  });
});

describe('a retry', () => {
  it.each<['create' | 'delete', ProblemType, retried: string]>([
    ['create', 'unavailable', 'CreateProject'],
    ['create', 'upstream-unavailable', 'CreateProject'],
    ['create', 'outcome-unknown', 'CreateProjectReconcile'],
    ['create', 'request-in-progress', 'CreateProjectReconcile'],
    ['delete', 'unavailable', 'DeleteTask'],
    ['delete', 'outcome-unknown', 'DeleteTaskReconcile'],
  ])('of %s after %s goes on where it was', async (method, type, state) => {
    const { visited, retries } = await run(tasksOn(failing(method, type, 3)), input);
    expect(visited.at(-1)).toBe('Done');
    expect(new Set(retries)).toEqual(new Set([state]));
  });

  it('of a create whose answer was lost finds the project that was made', async () => {
    const service = hosted();
    const tasks = tasksOn(service);
    const lost = { ...tasks, createProject: losing(tasks.createProject, 'Sandbox.Timedout', 3) };
    const { output, visited, failures } = await run(lost, input);
    expect(visited.slice(0, 4)).toEqual(['CreateProject', 'CreateProjectWait', 'CreateProjectReconcile', 'DeleteTask']);
    expect(failures).toEqual(['Sandbox.Timedout', 'Sandbox.Timedout', 'Sandbox.Timedout']);
    expect(output).toMatchObject({ created: { segments: 3 }, deletedProject: { outcome: 'deleted' } });
    expect((await service.list({ limit: 9 }, call)).projects).toEqual([]);
  });

  it('of a deletion whose answer was lost gives its receipt', async () => {
    const tasks = tasksOn(hosted());
    const lost = { ...tasks, deleteProject: losing(tasks.deleteProject, 'Lambda.ServiceException', 1) };
    expect((await run(lost, input)).output).toMatchObject({
      deletedTask: { outcome: 'deleted', removed: { segments: 2 } },
      deletedProject: { outcome: 'deleted' },
    });
  });
});

/** A function that does its work, and whose first answers do not arrive. */
function losing(handler: Tasks['createProject'], name: string, times: number): Tasks['createProject'] {
  let left = times;
  return async (command, context) => {
    const output = await handler(command, context);
    if (left-- > 0) throw Object.assign(new Error('No answer'), { name });
    return output;
  };
}
