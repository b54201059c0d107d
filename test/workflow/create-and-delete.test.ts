import { describe, expect, it } from 'vitest';
import { Problem } from '../../lib/contract/problem.ts';
import type { ProblemType } from '../../lib/contract/problems.ts';
import type { ProjectService } from '../../lib/service/port.ts';
import { hosted } from '../lib/hosted/fixture.ts';
import { openSqlite } from '../lib/storage/folder.ts';
import { callOf, checked, expectProblem, project } from '../lib/support.ts';
import { type Json, member, segment, target } from '../support/projects.ts';
import { run, tasksOn } from './machine.ts';

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
    const storage = openSqlite();
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
    ['Segue.Retryable.unavailable', 'NotDeleted', () => failing('delete', 'unavailable')],
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
    const storage = openSqlite();
    storage.close();
    expect(await run(tasksOn(hosted({ storage })), input)).toMatchObject({ error: 'NotNow' });
  });
});

describe('a retry', () => {
  it.each<['create' | 'delete', ProblemType, state: string]>([
    ['create', 'unavailable', 'CreateProject'],
    ['create', 'upstream-unavailable', 'CreateProject'],
    ['delete', 'unavailable', 'DeleteTask'],
    ['delete', 'outcome-unknown', 'DeleteTask'],
  ])('of %s after %s goes on where it was', async (method, type, state) => {
    const { visited, retries } = await run(tasksOn(failing(method, type, 2)), input);
    expect(visited.at(-1)).toBe('Done');
    expect(retries).toEqual([state, state]);
  });

  it('never sends a create again whose outcome is unknown', async () => {
    for (const type of ['outcome-unknown', 'upstream-invalid', 'internal-error'] as const) {
      expect(await run(tasksOn(failing('create', type, 1)), input)).toMatchObject({
        error: 'ProjectToLookUp',
        retries: [],
      });
    }
  });
});
