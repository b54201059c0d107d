import { describe, expect, it } from 'vitest';
import { createProjectTask } from '../../../lib/workflow/create-project-task.ts';
import { spoiled, spots } from '../../contract/spoiling.ts';
import { CANARY, FIELDS } from '../../faults/canary.ts';
import { fakeService } from '../../lib/http/fixture.ts';
import { callContext, expectProblem, project } from '../../lib/support.ts';
import { failureOf, options } from '../../lib/workflow/world.ts';
import { segment } from '../../support/projects.ts';
import { hosted } from '../../support/world.ts';
import { BUCKET, run, type Tasks, tasksOn } from './world.ts';

/** The limit of Step Functions: https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html */
const MAX_STATE_BYTES = 262_144;
const MAX_CAUSE_BYTES = 8_192;

const call = callContext();
const { startDateUtc: _, ...undated } = project({
  customId: 'x',
  segments: [segment({ taskId: 'a' }), segment({ taskId: 'b' }), segment({ taskId: 'a' })],
});
const input = { project: undated, taskId: 'a' };

/** Returns a function whose first answers are lost after it did its work. */
function losing(handler: Tasks['createProject'], name: string, times: number): Tasks['createProject'] {
  let left = times;
  return async (command, context) => {
    const output = await handler(command, context);
    if (left-- > 0) throw Object.assign(new Error('No answer'), { name });
    return output;
  };
}

describe('the example', () => {
  it('creates a project, deletes one of its tasks, and deletes the project', async () => {
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

  it('continues after a task that is already absent', async () => {
    const { output } = await run(tasksOn(hosted()), { ...input, taskId: 'none' });
    expect(output).toMatchObject({
      deletedTask: { scope: 'task', outcome: 'already-absent' },
      deletedProject: { removed: { segments: 3 } },
    });
  });

  it('never deletes the whole project if the task id is missing', async () => {
    const service = hosted();
    const { error, failures } = await run(tasksOn(service), { ...input, taskId: null });
    expect({ error, failures }).toEqual({
      error: 'NotDeleted',
      failures: ['Segue.Terminal.invalid-parameter', 'NotDeleted'],
    });
    expect((await service.get({ customId: 'x' }, undefined, call)).segments).toBe(3);
  });
});

describe('a lost answer', () => {
  it('of a create leads to the created project', async () => {
    const service = hosted();
    const tasks = tasksOn(service);
    const lost = { ...tasks, createProject: losing(tasks.createProject, 'Sandbox.Timedout', 3) };
    const { output, visited, failures } = await run(lost, input);
    expect(visited.slice(0, 4)).toEqual(['CreateProject', 'CreateProjectWait', 'CreateProjectReconcile', 'DeleteTask']);
    expect(failures).toEqual(['Sandbox.Timedout', 'Sandbox.Timedout', 'Sandbox.Timedout']);
    expect(output).toMatchObject({ created: { segments: 3 }, deletedProject: { outcome: 'deleted' } });
    expect((await service.list({ limit: 9 }, call)).projects).toEqual([]);
  });

  it('of a deletion leads to its receipt', async () => {
    const tasks = tasksOn(hosted());
    const lost = { ...tasks, deleteProject: losing(tasks.deleteProject, 'Lambda.ServiceException', 1) };
    expect((await run(lost, input)).output).toMatchObject({
      deletedTask: { outcome: 'deleted', removed: { segments: 2 } },
      deletedProject: { outcome: 'deleted' },
    });
  });
});

describe('the history of an execution', () => {
  it('has no content of a project by reference', async () => {
    const sent = project({ ...FIELDS, customId: 'x', taskId: 'own' });
    const { output, history } = await run(tasksOn(hosted()), { project: sent, taskId: 't' });
    expect(output).toMatchObject({ deletedTask: { outcome: 'deleted' }, deletedProject: { customId: 'x' } });
    expect(JSON.stringify(sent)).toContain(CANARY);
    expect(JSON.stringify(history)).not.toContain(CANARY);
  });

  it('has no content of a refused project, and only a short cause', async () => {
    const sent = project(FIELDS);
    // A missing start date means the time of the attempt.
    const faulty = spots(sent).filter(({ pointer, value }) => pointer !== '/startDateUtc' || value !== undefined);
    for (const spot of faulty) {
      const readObject = async () => Buffer.from(JSON.stringify(spoiled(sent, spot)));
      const handler = createProjectTask(fakeService(), { ...options, readObject });
      const { name, message } = await failureOf(handler, {
        companyId: 'acme',
        projectFrom: { bucket: BUCKET, key: 'x' },
      });
      expect(name).toMatch(/^Segue\.Terminal\./);
      expect(message).not.toContain(CANARY);
      expect(Buffer.byteLength(message)).toBeLessThan(MAX_CAUSE_BYTES);
    }
  });

  it('stays within the limits for a large project with long ids', async () => {
    const taskId = `x${'\u0001'.repeat(999)}`;
    const segments = Array.from({ length: 1_000 }, (_, n) => segment({ content: `${n} `.repeat(500), taskId }));
    const large = project({ customId: '\u0001'.repeat(255), segments });
    const { output, history } = await run(tasksOn(hosted()), { project: large, taskId });
    expect(output).toMatchObject({ deletedTask: { removed: { segments: 1_000 } } });
    const sizes = history.map((event) => Buffer.byteLength(JSON.stringify(event)));
    expect(Math.max(...sizes)).toBeLessThan(MAX_STATE_BYTES / 4);
  });
});
