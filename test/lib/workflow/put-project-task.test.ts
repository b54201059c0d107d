import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import type { PutRequest } from '../../../lib/service/put.ts';
import { putProjectTask } from '../../../lib/workflow/put-project-task.ts';
import { PUT_COUNTS, putResult } from '../../support/put-results.ts';
import { contextOf, fakeService } from '../http/fixture.ts';
import { NOW_MS, project } from '../support.ts';
import { failureOf, options } from './world.ts';

const { automaticCharacters: _, ...COUNTS } = PUT_COUNTS;
const PAGE = project({ customId: 'page' });

/** Returns a task that puts, with the requests that reach the service. */
function putting(put: ProjectService['put'] = async () => putResult()) {
  const requests: PutRequest[] = [];
  const service = fakeService({
    async put(request, call) {
      requests.push(request);
      return put(request, call);
    },
  });
  const readObject = async () => Buffer.from(JSON.stringify(PAGE));
  return { handler: putProjectTask(service, { ...options, readObject }), requests };
}

describe('the task that puts', () => {
  it.each<[string, object]>([
    ['in its input', { project: PAGE }],
    ['in a bucket', { projectFrom: { bucket: 'exports', key: 'page.json' } }],
  ])('takes a project %s, and has a small output', async (_, input) => {
    const { handler, requests } = putting();
    const output = { projectId: 5, customId: 'page', outcome: 'update', ...COUNTS };
    expect(await handler({ companyId: 'acme', ...input, revision: utc(NOW_MS) }, contextOf())).toStrictEqual(output);
    expect(requests).toMatchObject([{ ref: { customId: 'page' }, project: { name: PAGE['name'] }, revision: NOW_MS }]);
  });

  it('needs no start date, and no revision', async () => {
    const { handler, requests } = putting();
    const { startDateUtc: _, ...undated } = PAGE;
    await handler({ companyId: 'acme', project: undated }, contextOf());
    expect(requests).toMatchObject([{ project: { startDateUtc: utc(NOW_MS) }, revision: undefined }]);
  });

  it('succeeds if it is late', async () => {
    const { handler } = putting(async () => ({ outcome: 'outdated', revision: 9 }));
    const output = await handler({ companyId: 'acme', project: PAGE, revision: 3 }, contextOf());
    expect(output).toStrictEqual({ outcome: 'outdated', revision: 9 });
  });

  it.each<[string, object, string, string[]]>([
    ['no project', {}, 'invalid-parameter', ['/project required']],
    [
      'two projects',
      { project: PAGE, projectFrom: { bucket: 'exports', key: 'a' } },
      'invalid-parameter',
      ['/project required'],
    ],
    ['a revision that is none', { project: PAGE, revision: '3' }, 'invalid-parameter', ['/revision not-allowed']],
    ['a task', { project: PAGE, taskId: 't' }, 'invalid-parameter', ['/taskId unknown-field']],
    ['no custom id', { project: project() }, 'invalid-project', ['/customId required']],
  ])('refuses %s, and requests nothing', async (_, input, type, faults) => {
    const { handler, requests } = putting();
    const failure = await failureOf(handler, { companyId: 'acme', ...input });
    expect(failure).toMatchObject({ name: `Segue.Terminal.${type}`, faults });
    expect(requests).toEqual([]);
  });

  it('fails terminally where the service cannot change the project', async () => {
    const { handler } = putting(() => Promise.reject(new Problem('not-supported', { detail: 'Not here.' })));
    const { name } = await failureOf(handler, { companyId: 'acme', project: PAGE });
    expect(name).toBe('Segue.Terminal.not-supported');
  });
});
