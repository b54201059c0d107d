import { describe, expect, it } from 'vitest';
import { createProjectTask } from '../../../lib/workflow/create-project.ts';
import { deleteProjectTask } from '../../../lib/workflow/delete-project.ts';
import { requestedByWorkflow } from '../../../lib/workflow/task.ts';
import { hosted } from '../hosted/fixture.ts';
import { contextOf } from '../http/fixture.ts';
import { openSqlite } from '../storage/folder.ts';
import { callOf, heldNow, project } from '../support.ts';
import { options } from './fixture.ts';

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
    expect((await service.list({ limit: 1 }, callOf('acme'))).projects).toEqual([]);
  });
});
