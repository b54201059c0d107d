import { describe, expect, it } from 'vitest';
import { utc } from '../../../../lib/contract/date.ts';
import { Problem } from '../../../../lib/contract/problem.ts';
import type { CheckedProject } from '../../../../lib/contract/project.ts';
import { createProjectTask } from '../../../../lib/doors/workflow/create-project.ts';
import type { LogLine } from '../../../../lib/service/log.ts';
import { operationIdOf } from '../../../../lib/service/operation-id.ts';
import type { Call } from '../../../../lib/service/port.ts';
import { member, target } from '../../../support/projects.ts';
import { NOW_MS, project } from '../../support.ts';
import { contextOf, documentWith, fakeService } from '../http/fixture.ts';
import { failureOf, options } from './fixture.ts';

/** A task that creates, and what it passed on to the service. */
function creating() {
  const calls: [CheckedProject, Call][] = [];
  const service = fakeService({
    async create(request, call) {
      calls.push([request, call]);
      return documentWith(77);
    },
  });
  return { handler: createProjectTask(service, options), calls };
}

describe('the task that creates', () => {
  it('passes on the project and the company, and gives back what is small', async () => {
    const { handler, calls } = creating();
    const output = await handler({ companyId: 'acme', project: project({ customId: 'x' }) }, contextOf(20_000));
    expect(output).toStrictEqual({ projectId: 77, segments: 1, targetLanguages: 1 });
    const [request, call] = calls[0] ?? [];
    expect(JSON.parse(JSON.stringify(request))).toEqual(project({ customId: 'x' }));
    expect(call).toMatchObject({ companyId: 'acme', requestId: 'invocation-1' });
    expect(call?.deadline.remainingMs()).toBe(19_500);
  });

  it.each([
    ['left out', {}],
    ['null', { startDateUtc: null }],
  ])('stamps a start date that is %s with the time of the attempt', async (_, fields) => {
    const { startDateUtc: __, ...rest } = project();
    const { handler, calls } = creating();
    await handler({ companyId: 'acme', project: { ...rest, ...fields } }, contextOf());
    expect(calls[0]?.[0].startDateUtc).toBe(utc(NOW_MS));
  });

  it('stamps each attempt anew: a retry an hour later is in time', async () => {
    const { startDateUtc: _, ...rest } = project();
    const starts: string[] = [];
    let now = NOW_MS;
    const service = fakeService({
      async create(request) {
        starts.push(request.startDateUtc);
        return documentWith(77);
      },
    });
    const handler = createProjectTask(service, { now: () => now });
    for (now of [NOW_MS, NOW_MS + 3_600_000]) await handler({ companyId: 'acme', project: rest }, contextOf());
    expect(starts).toEqual([utc(NOW_MS), utc(NOW_MS + 3_600_000)]);
  });

  it('leaves a start date that was given as it is', async () => {
    const { handler, calls } = creating();
    const startDateUtc = utc(NOW_MS - 60_000);
    await handler({ companyId: 'acme', project: project({ startDateUtc }) }, contextOf());
    expect(calls[0]?.[0].startDateUtc).toBe(startDateUtc);
  });

  it.each<[unknown, string, string]>([
    [undefined, 'invalid-parameter', ' required'],
    ['project', 'invalid-parameter', ' wrong-type'],
    [{ project: project() }, 'invalid-parameter', '/companyId required'],
    [{ companyId: 'a/b', project: project() }, 'invalid-parameter', '/companyId not-allowed'],
    [{ companyId: 'acme', projct: {}, project: project() }, 'invalid-parameter', '/projct unknown-field'],
    [{ companyId: 'acme' }, 'invalid-parameter', '/project required'],
    [{ companyId: 'acme', project: [] }, 'invalid-project', ' wrong-type'],
    [
      { companyId: 'acme', project: { ...project(), companyId: 'other' } },
      'invalid-project',
      '/companyId unknown-field',
    ],
    [{ companyId: 'acme', project: project({ startDateUtc: 5 }) }, 'invalid-project', '/startDateUtc wrong-type'],
  ])('refuses %j and does nothing', async (input, type, fault) => {
    const { handler, calls } = creating();
    const { name, cause } = await failureOf(handler, input);
    expect(name).toBe(`Segue.Terminal.${type}`);
    expect(cause.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)).toEqual([
      fault,
    ]);
    expect(calls).toEqual([]);
  });

  it('fails a team without a translator by its name, not to be retried', async () => {
    const team = [member({ isTranslator: false, isProofreader: true })];
    const { name, cause } = await failureOf(creating().handler, {
      companyId: 'acme',
      project: project({ targetLanguages: [target({ team })] }),
    });
    expect(name).toBe('Segue.Terminal.team-without-translator');
    expect(cause).toMatchObject({ status: 500, retryable: false, outcome: 'not-applied', instance: 'invocation-1' });
  });

  it.each([
    ['custom-id-in-use', 'Segue.Terminal.custom-id-in-use'],
    ['unavailable', 'Segue.Retryable.unavailable'],
    ['outcome-unknown', 'Segue.Unknown.outcome-unknown'],
  ] as const)('hands on what the service fails with: %s', async (type, name) => {
    const service = fakeService({ create: () => Promise.reject(new Problem(type, { detail: 'Why.' })) });
    const failure = await failureOf(createProjectTask(service, options), { companyId: 'acme', project: project() });
    expect(failure).toMatchObject({ name, cause: { detail: 'Why.' } });
  });

  describe('names in the cause of an unknown outcome the operation to ask', () => {
    const execution = { id: 'arn:execution:1', state: 'Create' };
    const unknown = (operationId?: string) =>
      new Problem('outcome-unknown', { detail: 'Why.', isRunning: true, ...(operationId && { operationId }) });

    it.each([
      ['the service’s', unknown('the-operation'), {}, 'the-operation'],
      ['the service’s before its own', unknown('the-operation'), { execution }, 'the-operation'],
      ['its own', unknown(), { execution }, operationIdOf('task ["arn:execution:1","Create",""]')],
      ['none', unknown(), {}, undefined],
      ['none of another problem', new Problem('upstream-invalid', { detail: 'Why.' }), { execution }, undefined],
    ])('%s', async (_, problem, fields, operationId) => {
      const service = fakeService({ create: () => Promise.reject(problem) });
      const command = { companyId: 'acme', project: project(), ...fields };
      const { name, cause } = await failureOf(createProjectTask(service, options), command);
      expect([name, cause.operationId]).toEqual([`Segue.Unknown.${problem.name}`, operationId]);
    });
  });

  it('tells nothing of a failure without a name', async () => {
    const service = fakeService({ create: () => Promise.reject(new TypeError('CANARY')) });
    const failure = await failureOf(createProjectTask(service, options), { companyId: 'acme', project: project() });
    expect(failure.name).toBe('Segue.Unknown.internal-error');
    expect(failure.message).not.toContain('CANARY');
  });

  it('leaves one line in the log, without content', async () => {
    const lines: LogLine[] = [];
    const logged = { ...options, log: (line: LogLine) => lines.push(line) };
    const command = { companyId: 'acme', project: project({ name: 'CANARY' }) };
    await createProjectTask(fakeService({ create: () => documentWith(5) }), logged)(command, contextOf());
    await failureOf(createProjectTask(fakeService(), logged), { ...command, project: project({ name: 5 }) });
    const broken = fakeService({ create: () => Promise.reject(new TypeError('CANARY')) });
    await failureOf(createProjectTask(broken, logged), command);
    const who = { operation: 'createProjectTask', requestId: expect.any(String), companyId: 'acme', durationMs: 0 };
    expect(lines).toEqual([
      who,
      { ...who, problem: 'invalid-project', faults: ['wrong-type'] },
      { ...who, problem: 'internal-error', cause: { name: 'TypeError', frames: expect.any(Array) } },
    ]);
    expect(JSON.stringify(lines)).not.toContain('CANARY');
  });
});
