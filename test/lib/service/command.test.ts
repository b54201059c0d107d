import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { checkCommand, readCommand, runCommand } from '../../../lib/service/command.ts';
import type { CallContext, DeletionScope, ProjectService } from '../../../lib/service/port.ts';
import type { PutRequest } from '../../../lib/service/put.ts';
import { PUT_COUNTS, putPlan, putResult } from '../../support/put-results.ts';
import { fakeService } from '../http/fixture.ts';
import { callContext, NOW_MS, problemOf, project } from '../support.ts';

const { automaticCharacters: _, ...COUNTS } = PUT_COUNTS;

/** Returns the faults of a command that is refused, such as `/revision not-allowed`. */
async function faultsOf(input: unknown) {
  const { name, occurrence } = await problemOf(() => readCommand(input));
  expect(name).toBe('invalid-parameter');
  return occurrence.errors?.map(({ pointer, code }) => `${pointer} ${code}`);
}

/** Returns a service that puts, with the requests that it gets. */
function putting(answer: Partial<Pick<ProjectService, 'put' | 'planPut'>> = {}) {
  const requests: PutRequest[] = [];
  const calls: CallContext[] = [];
  const note = (request: PutRequest, call: CallContext) => {
    requests.push(request);
    calls.push(call);
  };
  const service = fakeService({
    async put(request, call) {
      note(request, call);
      return answer.put ? answer.put(request, call) : putResult();
    },
    async planPut(request, call) {
      note(request, call);
      return answer.planPut ? answer.planPut(request, call) : putPlan();
    },
  });
  return { service, requests, calls };
}

const run = (service: ProjectService, command: unknown) =>
  runCommand(service, readCommand(command), callContext(), NOW_MS);
const page = (fields: object = {}) => project({ customId: 'page', ...fields });

describe('a revision', () => {
  it.each<[unknown, number]>([
    [0, 0],
    [12, 12],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['2026-01-31T09:00:00Z', Date.UTC(2026, 0, 31, 9)],
    ['2026-01-31T09:00:00.1239+02:00', Date.UTC(2026, 0, 31, 7, 0, 0, 123)],
    ['1970-01-01T00:00:00', 0],
  ])('%j is %d', (revision, number) => {
    expect(readCommand({ put: {}, revision })).toEqual({ put: {}, revision: number });
    const deletion = { scope: 'project', customId: 'page' };
    expect(readCommand({ delete: { ...deletion, revision } })).toEqual({ delete: { ...deletion, revision: number } });
  });

  it.each([-1, 1.5, 2 ** 53, '12', 'yesterday', '1969-12-31T23:59:59Z', '', null, true, {}])(
    '%j is none',
    async (revision) => {
      expect(await faultsOf({ put: {}, revision })).toEqual(['/revision not-allowed']);
      const deletion = { scope: 'project', customId: 'page', revision };
      expect(await faultsOf({ delete: deletion })).toEqual(['/delete/revision not-allowed']);
    },
  );
});

describe('a command', () => {
  it('with a put may have no revision', () => {
    expect(readCommand({ put: { name: 'a' } })).toStrictEqual({ put: { name: 'a' } });
  });

  it.each<[string, object, string[]]>([
    ['a put and a creation', { put: {}, create: {} }, [' required']],
    ['a put and a deletion', { put: {}, delete: { scope: 'project', customId: 'a' } }, [' required']],
    ['a creation with a revision', { create: {}, revision: 1 }, ['/revision exclusive-field']],
    [
      'a deletion with a revision beside it',
      { delete: { scope: 'project', customId: 'a' }, revision: 1 },
      ['/revision exclusive-field'],
    ],
    [
      'a task with a revision',
      { delete: { scope: 'task', customId: 'a', taskId: 't', revision: 1 } },
      ['/delete/revision exclusive-field'],
    ],
    ['a revision alone', { revision: 1 }, [' required']],
    ['a misspelt revision', { put: {}, version: 1 }, ['/version unknown-field']],
  ])('may not be %s', async (_, command, faults) => {
    expect(await faultsOf(command)).toEqual(faults);
  });
});

describe('a put', () => {
  it('names its project by the custom id, and has a small result', async () => {
    const { service, requests } = putting();
    const result = { projectId: 5, customId: 'page', outcome: 'update', ...COUNTS };
    expect(await run(service, { put: page(), revision: 7 })).toStrictEqual(result);
    expect(requests).toMatchObject([{ ref: { customId: 'page' }, project: { customId: 'page' }, revision: 7 }]);
    expect(requests[0]).not.toHaveProperty('taskId');
  });

  it('that is late succeeds with the highest revision', async () => {
    const late = { outcome: 'outdated', revision: 9 } as const;
    const { service } = putting({ put: async () => late });
    expect(await run(service, { put: page(), revision: 7 })).toStrictEqual(late);
    const project = { projectId: 7, customId: 'page' };
    const named = putting({ put: async () => ({ ...late, project }) });
    expect(await run(named.service, { put: page(), revision: 7 })).toStrictEqual({ ...project, ...late });
  });

  it('without a start date starts at the time of the attempt', async () => {
    const { service, requests } = putting();
    const { startDateUtc: _, ...undated } = page();
    await run(service, { put: undated });
    expect(requests[0]?.project.startDateUtc).toBe(utc(NOW_MS));
  });

  it.each([[undefined], [null]])('needs a custom id, not %s', async (customId) => {
    const { service, requests } = putting();
    const problem = await problemOf(() => run(service, { put: page({ customId, name: 5 }) }));
    expect(problem.name).toBe('invalid-project');
    expect(problem.occurrence.errors?.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual([
      '/customId required',
      '/name wrong-type',
    ]);
    await problemOf(() => run(service, { put: page({ customId }) }));
    expect(requests).toEqual([]);
  });

  it.each([[5], ['a'], [[]], [null]])('of %j is refused', async (put) => {
    expect((await problemOf(() => run(putting().service, { put }))).name).toBe('invalid-project');
  });

  it('that is only checked is planned, and returns what it would do', async () => {
    const { service, requests } = putting();
    const check = (command: unknown) => checkCommand(service, readCommand(command), callContext(), NOW_MS);
    expect(await check({ put: page(), revision: 7 })).toStrictEqual({
      put: { outcome: 'update', ...COUNTS, automaticCharacters: 40 },
    });
    expect(requests).toMatchObject([{ ref: { customId: 'page' }, revision: 7 }]);
    expect(await check({ delete: { scope: 'project', customId: 'page' } })).toEqual({});
  });
});

describe('a deletion', () => {
  it.each<[object, DeletionScope]>([
    [{ scope: 'project' }, { kind: 'project' }],
    [
      { scope: 'project', revision: 7 },
      { kind: 'project', revision: 7 },
    ],
    [
      { scope: 'task', taskId: 't' },
      { kind: 'task', taskId: 't' },
    ],
  ])('%j passes its revision on', async (deletion, scope) => {
    const asked: DeletionScope[] = [];
    const service = fakeService({
      delete: (_ref, scope) => {
        asked.push(scope);
        return Promise.reject(new Problem('project-not-found', { detail: 'Not there.' }));
      },
    });
    const outcome = { scope: scope.kind, outcome: 'already-absent' };
    expect(await run(service, { delete: { ...deletion, customId: 'page' } })).toEqual(outcome);
    expect(asked).toEqual([scope]);
  });

  it('that is late succeeds, and deletes nothing', async () => {
    const late = new Problem('revision-outdated', { detail: 'The project is newer.' });
    const service = fakeService({ delete: () => Promise.reject(late) });
    expect(await run(service, { delete: { scope: 'project', customId: 'page', revision: 1 } })).toEqual({
      scope: 'project',
      outcome: 'already-newer',
    });
  });
});
