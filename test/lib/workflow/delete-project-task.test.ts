import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import type { DeletionScope, ProjectRef } from '../../../lib/service/port.ts';
import { deleteProjectTask } from '../../../lib/workflow/delete-project-task.ts';
import { contextOf, fakeService } from '../http/fixture.ts';
import { failureOf, options } from './world.ts';

const receipt: Receipt = {
  scope: 'project',
  projectId: 5,
  customId: 'x',
  taskId: null,
  outcome: 'deleted',
  deletedAtUtc: '2026-11-20T09:30:00.000Z',
  removed: { targetLanguages: 1, segments: 2, tasks: 0 },
  requestedBy: { kind: 'workflow', id: null },
};

/** Returns a task that deletes, and its calls of the service. */
function deleting() {
  const asked: [ProjectRef, DeletionScope][] = [];
  const service = fakeService({
    async delete(ref, scope) {
      asked.push([ref, scope]);
      return receipt;
    },
  });
  return { handler: deleteProjectTask(service, options), asked };
}

const whole = { kind: 'project' } as const;

describe('the task that deletes', () => {
  it.each<[object, ProjectRef, DeletionScope]>([
    [{ scope: 'project', projectId: 5 }, { id: 5 }, whole],
    [{ scope: 'project', customId: 'a/b' }, { customId: 'a/b' }, whole],
    [{ scope: 'project', customId: 'x', revision: 7 }, { customId: 'x' }, { ...whole, revision: 7 }],
    [{ scope: 'task', projectId: 5, taskId: 't' }, { id: 5 }, { kind: 'task', taskId: 't' }],
    [{ scope: 'task', customId: 'x', taskId: ' t ' }, { customId: 'x' }, { kind: 'task', taskId: ' t ' }],
  ])('%j requests exactly that, and returns the receipt', async (command, ref, scope) => {
    const { handler, asked } = deleting();
    expect(await handler({ companyId: 'acme', ...command }, contextOf())).toEqual(receipt);
    expect(asked).toEqual([[ref, scope]]);
  });

  it.each<[string, object, string[]]>([
    ['no scope', { projectId: 5 }, ['/scope required']],
    ['the scope task without a task', { scope: 'task', projectId: 5 }, ['/taskId required']],
    ['the scope task with a lost one', { scope: 'task', projectId: 5, taskId: null }, ['/taskId required']],
    ['the scope project with a task', { scope: 'project', projectId: 5, taskId: 't' }, ['/taskId required']],
    [
      'a task with a revision',
      { scope: 'task', projectId: 5, taskId: 't', revision: 7 },
      ['/revision exclusive-field'],
    ],
    ['two names of a project', { scope: 'project', projectId: 5, customId: 'x' }, ['/projectId required']],
    ['a misspelt task', { scope: 'project', projectId: 5, taskID: 't' }, ['/taskID unknown-field']],
    ['several faults', { scope: 'task' }, ['/projectId required', '/taskId required']],
  ])('refuses %s, and requests nothing', async (_, command, faults) => {
    const { handler, asked } = deleting();
    const failure = await failureOf(handler, { companyId: 'acme', ...command });
    expect(failure).toMatchObject({ name: 'Segue.Terminal.invalid-parameter', faults });
    expect(asked).toEqual([]);
  });

  it('succeeds if the project is newer', async () => {
    const newer = new Problem('revision-outdated', { detail: 'The project is newer.' });
    const handler = deleteProjectTask(fakeService({ delete: () => Promise.reject(newer) }), options);
    const command = { companyId: 'acme', scope: 'project', customId: 'x', revision: 7 };
    expect(await handler(command, contextOf())).toStrictEqual({ scope: 'project', outcome: 'already-newer' });
  });

  it.each([
    ['project-not-found', { scope: 'project', projectId: 5 }],
    ['project-not-found', { scope: 'task', projectId: 5, taskId: 't' }],
    ['task-not-found', { scope: 'task', projectId: 5, taskId: 't' }],
  ] as const)('succeeds after %s: the project is already absent', async (type, command) => {
    const service = fakeService({ delete: () => Promise.reject(new Problem(type, { detail: 'Not there.' })) });
    const handler = deleteProjectTask(service, options);
    expect(await handler({ companyId: 'acme', ...command }, contextOf())).toStrictEqual({
      scope: command.scope,
      outcome: 'already-absent',
    });
  });
});
