import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { createProjectTask } from '../../../lib/workflow/create-project-task.ts';
import { deleteProjectTask } from '../../../lib/workflow/delete-project-task.ts';
import { requestedByWorkflow, TaskFailure } from '../../../lib/workflow/task-handler.ts';
import { hosted } from '../../support/world.ts';
import { contextOf } from '../http/fixture.ts';
import { openSqlite } from '../storage/folder.ts';
import { callContext, heldNow, project } from '../support.ts';
import { options } from './world.ts';

const UUID = '5e3a5c0e-7a53-4f4f-8b39-3c5f0f5a8d0e';
const STATES = 'arn:aws:states:eu-central-1:123456789012';

describe('the requester of a task', () => {
  it.each([
    ['an execution that Step Functions named', `${STATES}:execution:Publish:${UUID}`, `Publish:${UUID}`],
    ['an execution that a person named', `${STATES}:execution:Publish:for-jane-doe`, 'Publish'],
    [
      'an express execution',
      `${STATES}:express:Publish:${UUID}:9e3a5c0e-7a53-4f4f-8b39-3c5f0f5a8d0e`,
      `Publish:${UUID}`,
    ],
    ['a child execution of a map', `${STATES}:execution:Publish/Lines:${UUID}`, `Publish:${UUID}`],
    ['another partition', `arn:aws-cn:states:cn-north-1:123456789012:execution:Publish:${UUID}`, `Publish:${UUID}`],
    ['no ARN', 'jane@example.com', null],
    ['an ARN of something else', `arn:aws:lambda:eu-central-1:123456789012:function:Publish:${UUID}`, null],
    ['nothing', undefined, null],
  ])('of %s is recorded', (_, executionId, id) => {
    expect(requestedByWorkflow(executionId)).toEqual({ kind: 'workflow', id });
  });

  it('is in the receipt of a deletion', async () => {
    const service = hosted({ storage: openSqlite(heldNow) });
    await createProjectTask(service, options)({ companyId: 'acme', project: project({ customId: 'x' }) }, contextOf());
    const execution = { id: `${STATES}:execution:Publish:${UUID}`, state: 'Delete' };
    const input = { companyId: 'acme', execution, scope: 'project', customId: 'x' };
    expect(await deleteProjectTask(service, options)(input, contextOf())).toMatchObject({
      requestedBy: { kind: 'workflow', id: `Publish:${UUID}` },
    });
    expect((await service.list({ limit: 1 }, callContext('acme'))).projects).toEqual([]);
  });
});

describe('the cause of a failure', () => {
  const failureOf = (length: number, pointer: (n: number) => string) => {
    const fault = (n: number) => ({ pointer: pointer(n), code: 'required', detail: 'Missing.' }) as const;
    const errors = Array.from({ length }, (_, n) => fault(n));
    return new TaskFailure(new Problem('invalid-project', { detail: 'Wrong.', errors }), 'i-1');
  };

  it('is the problem as JSON, with the number of its faults', () => {
    expect(JSON.parse(failureOf(2, (n) => `/segments/${n}`).message)).toEqual({
      type: 'urn:segue:problem/invalid-project',
      title: 'The project is invalid',
      status: 400,
      detail: 'Wrong.',
      instance: 'i-1',
      retryable: false,
      outcome: 'not-applied',
      faults: 2,
      errors: [
        { pointer: '/segments/0', code: 'required', detail: 'Missing.' },
        { pointer: '/segments/1', code: 'required', detail: 'Missing.' },
      ],
    });
  });

  it.each<[number, (n: number) => string]>([
    [100, (n) => `/segments/${n}`],
    [100, (n) => `/${'世'.repeat(120)}${n}`],
    [5, (n) => `/${'\u0001'.repeat(2_000)}${n}`],
    [1, () => '/'.repeat(9_000)],
  ])('has at most 8 KB with %i faults, beginning with the first', (length, pointer) => {
    const { message } = failureOf(length, pointer);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(8_000);
    const { errors, faults } = JSON.parse(message);
    expect(faults).toBe(length);
    expect(errors.length).toBeLessThanOrEqual(length);
    if (errors.length > 0) expect(errors[0].pointer).toBe(pointer(0));
  });

  it('has no stack trace, which would show paths of the code', () => expect(failureOf(1, () => '/').stack).toBe(''));
});
