import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import type { CheckedProject } from '../../../lib/contract/project.ts';
import type { LogLine } from '../../../lib/service/log.ts';
import { type CallContext, operationIdOf } from '../../../lib/service/port.ts';
import { createProjectTask } from '../../../lib/workflow/create-project-task.ts';
import { objectProblems, type ReadObject } from '../../../lib/workflow/project-reference.ts';
import { hosted } from '../../support/world.ts';
import { contextOf, documentWith, fakeService } from '../http/fixture.ts';
import { NOW_MS, project } from '../support.ts';
import { failureOf, options } from './world.ts';

const REFERENCE = { bucket: 'exports', key: 'a/b c.json', versionId: 'v1' };

/** Returns a task that creates, its calls of the service, and its reads of an object with this content or failure. */
function creating(content: string | Problem = '{}') {
  const calls: [CheckedProject, CallContext][] = [];
  const read: unknown[] = [];
  const service = fakeService({
    async create(request, call) {
      calls.push([request, call]);
      return documentWith(77);
    },
  });
  const readObject: ReadObject = async (reference, deadline) => {
    read.push([reference, deadline.remainingMs()]);
    if (content instanceof Problem) throw content;
    return Buffer.from(content);
  };
  return { handler: createProjectTask(service, { ...options, readObject }), calls, read };
}

describe('the task that creates', () => {
  it('passes on the project and the company, and returns a small result', async () => {
    const { handler, calls } = creating();
    const output = await handler({ companyId: 'acme', project: project({ customId: 'x' }) }, contextOf(20_000));
    expect(output).toStrictEqual({ projectId: 77, segments: 1, targetLanguages: 1 });
    const [request, call] = calls[0] ?? [];
    expect(JSON.parse(JSON.stringify(request))).toEqual(project({ customId: 'x' }));
    expect(call).toMatchObject({ companyId: 'acme', requestId: 'invocation-1' });
    expect(call?.deadline.remainingMs()).toBe(19_500);
  });

  it.each([{}, { startDateUtc: null }])('sets a missing start date to the time of the attempt: %j', async (fields) => {
    const { startDateUtc: __, ...rest } = project();
    const { handler, calls } = creating();
    await handler({ companyId: 'acme', project: { ...rest, ...fields } }, contextOf());
    expect(calls[0]?.[0].startDateUtc).toBe(utc(NOW_MS));
  });

  it('creates one project if a redrive sends it again, as late as Step Functions allows', async () => {
    const { startDateUtc: _, ...rest } = project();
    let now = NOW_MS;
    const service = hosted({ now: () => now });
    const handler = createProjectTask(service, { ...options, now: () => now });
    const input = { companyId: 'acme', project: rest, execution: { id: 'arn:execution', state: 'Create' } };
    const first = await handler(input, contextOf());
    now += 14 * 86_400_000;
    expect(await handler(input, contextOf())).toEqual(first);
  });

  it.each<[unknown, string]>([
    [undefined, ' required'],
    [{ project: project() }, '/companyId required'],
    [{ companyId: 'a/b', project: project() }, '/companyId not-allowed'],
    [{ companyId: 'acme', projct: {}, project: project() }, '/projct unknown-field'],
    [{ companyId: 'acme' }, '/project required'],
    [{ companyId: 'acme', project: project(), projectFrom: REFERENCE }, '/project required'],
    [{ companyId: 'acme', projectFrom: { ...REFERENCE, bucket: '../x' } }, '/projectFrom/bucket not-allowed'],
    [{ companyId: 'acme', projectFrom: { bucket: 'exports' } }, '/projectFrom/key required'],
    [{ companyId: 'acme', projectFrom: { ...REFERENCE, key: 'k'.repeat(1_025) } }, '/projectFrom/key too-long'],
    [{ companyId: 'acme', projectFrom: 's3://exports/a.json' }, '/projectFrom wrong-type'],
  ])('refuses %j, and reads and creates nothing', async (input, fault) => {
    const { handler, calls, read } = creating('{}');
    const { name, faults } = await failureOf(handler, input);
    expect([name, faults]).toEqual(['Segue.Terminal.invalid-parameter', [fault]]);
    expect([calls, read]).toEqual([[], []]);
  });

  it.each([
    ['custom-id-in-use', 'Segue.Terminal.custom-id-in-use'],
    ['unavailable', 'Segue.Retryable.unavailable'],
    ['outcome-unknown', 'Segue.Unknown.outcome-unknown'],
  ] as const)('fails as the service does: %s', async (type, name) => {
    const service = fakeService({ create: () => Promise.reject(new Problem(type, { detail: 'Why.' })) });
    const failure = await failureOf(createProjectTask(service, options), { companyId: 'acme', project: project() });
    expect(failure).toMatchObject({ name, cause: { detail: 'Why.' } });
  });

  describe('the cause of an unknown outcome names the operation to ask', () => {
    const execution = { id: 'arn:execution:1', state: 'Create' };
    const unknown = (operationId?: string) =>
      new Problem('outcome-unknown', { detail: 'Why.', isRunning: true, ...(operationId && { operationId }) });

    it.each([
      ['the service’s', unknown('the-operation'), {}, 'the-operation'],
      ['the service’s before its own', unknown('the-operation'), { execution }, 'the-operation'],
      ['its own', unknown(), { execution }, operationIdOf('task ["arn:execution:1","Create",""]')],
      ['none of another problem', new Problem('upstream-invalid', { detail: 'Why.' }), { execution }, undefined],
    ])('%s', async (_, problem, fields, operationId) => {
      const service = fakeService({ create: () => Promise.reject(problem) });
      const command = { companyId: 'acme', project: project(), ...fields };
      const { name, cause } = await failureOf(createProjectTask(service, options), command);
      expect([name, cause.operationId]).toEqual([`Segue.Unknown.${problem.name}`, operationId]);
    });
  });

  it('writes one line to the log, without content, and hides an unexpected error', async () => {
    const lines: LogLine[] = [];
    const logged = { ...options, log: (line: LogLine) => lines.push(line) };
    const command = { companyId: 'acme', project: project({ name: 'CANARY' }) };
    await createProjectTask(fakeService({ create: () => documentWith(5) }), logged)(command, contextOf());
    await failureOf(createProjectTask(fakeService(), logged), { ...command, project: project({ name: 5 }) });
    const broken = fakeService({ create: () => Promise.reject(new TypeError('CANARY')) });
    const failure = await failureOf(createProjectTask(broken, logged), command);
    const who = {
      operation: 'createProjectTask',
      requestId: expect.any(String),
      traceId: expect.any(String),
      companyId: 'acme',
      durationMs: 0,
    };
    expect(lines).toEqual([
      who,
      { ...who, problem: 'invalid-project', faults: ['wrong-type'] },
      {
        ...who,
        alert: 'request-failed',
        problem: 'internal-error',
        cause: { name: 'TypeError', frames: expect.any(Array) },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('CANARY');
    expect(failure).toMatchObject({
      name: 'Segue.Unknown.internal-error',
      message: expect.not.stringContaining('CANARY'),
    });
  });
});

describe('a project that is read from S3', () => {
  const command = { companyId: 'acme', projectFrom: REFERENCE };

  it('is read from its object before the deadline', async () => {
    const { handler, calls, read } = creating(JSON.stringify(project({ customId: 'x' })));
    expect(await handler(command, contextOf(20_000))).toMatchObject({ projectId: 77 });
    expect(calls).toMatchObject([[{ customId: 'x' }, {}]]);
    expect(read).toEqual([[REFERENCE, 19_500]]);
  });

  it('fails as reading does', async () => {
    const { handler, calls } = creating(objectProblems.unavailable(undefined));
    expect([(await failureOf(handler, command)).name, calls]).toEqual(['Segue.Retryable.unavailable', []]);
  });

  it('is refused by a task that may read no bucket', async () => {
    const { name, faults } = await failureOf(createProjectTask(fakeService(), options), command);
    expect([name, faults]).toEqual(['Segue.Terminal.invalid-parameter', ['/projectFrom not-allowed']]);
  });
});
