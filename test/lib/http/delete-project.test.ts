import { expect, it } from 'vitest';
import { revisionOutdated } from '../../../lib/contract/failures.ts';
import { deleteProject } from '../../../lib/operations/delete-project.ts';
import type { DeletionScope, ProjectService } from '../../../lib/service/port.ts';
import { contextOf, type EventOptions, eventOf, fakeService, keptLog, readAnswer, receiptWith } from './fixture.ts';

async function remove(event: EventOptions, work: ProjectService['delete'] = async () => receiptWith()) {
  const scopes: DeletionScope[] = [];
  const service = fakeService({
    async delete(ref, scope, call) {
      scopes.push(scope);
      return work(ref, scope, call);
    },
  });
  const [handle] = deleteProject(service, keptLog().options);
  return { scopes, ...readAnswer(await handle(eventOf('deleteProject', event), contextOf())) };
}

it.each([
  [{}, { kind: 'project' }],
  [{ revision: ['0'] }, { kind: 'project', revision: 0 }],
  [{ revision: ['1764000000000'] }, { kind: 'project', revision: 1_764_000_000_000 }],
  [{ taskId: ['t'] }, { kind: 'task', taskId: 't' }],
])('the query %j deletes %j', async (query, scope) => {
  const { status, scopes } = await remove({ query });
  expect([status, scopes]).toEqual([204, [scope]]);
});

it.each([
  [{ revision: ['1'], taskId: ['t'] }, ['/query/revision']],
  [{ revision: ['-1'] }, ['/query/revision']],
  [{ revision: ['1', '2'] }, ['/query/revision']],
  [{ revision: ['1'], taskId: [' '] }, ['/query/taskId', '/query/revision']],
])('the query %j is 400, and deletes nothing', async (query, pointers) => {
  const { status, json, scopes } = await remove({ query });
  const errors = pointers.map((pointer) => ({ pointer, code: 'invalid-parameter' }));
  expect([status, json, scopes]).toMatchObject([400, { type: expect.stringMatching(/\/invalid-parameter$/) }, []]);
  expect(json).toMatchObject({ errors: pointers.length === 1 ? [{ pointer: pointers[0] }] : errors });
});

it('a deletion with a lower revision than the last is 409, and not to be retried', async () => {
  const { status, json } = await remove({ query: { revision: ['7'] } }, () => Promise.reject(revisionOutdated(8)));
  expect([status, json]).toMatchObject([409, { retryable: false, outcome: 'not-applied' }]);
  expect(json).toMatchObject({
    type: expect.stringMatching(/\/revision-outdated$/),
    detail: expect.stringContaining('8'),
  });
});
