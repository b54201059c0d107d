import type { Template } from 'aws-cdk-lib/assertions';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import * as z from 'zod/mini';
import { type FunctionName, functionsOf, type ServiceName } from '../../../infra/functions/catalogue.ts';
import { auditor } from '../../../lib/background/auditor.ts';
import { reconciler } from '../../../lib/background/reconciler.ts';
import { type Sweep, sweeper } from '../../../lib/background/sweeper.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { PROBLEM_TYPES, type ProblemType } from '../../../lib/contract/problems.ts';
import type { AuthDeps } from '../../../lib/credentials/authenticate.ts';
import { Unauthenticated } from '../../../lib/credentials/unauthenticated.ts';
import { authorizer } from '../../../lib/http/authorizer.ts';
import { createProject } from '../../../lib/http/operations/create-project.ts';
import { getProject } from '../../../lib/http/operations/get-project.ts';
import { refreshToken } from '../../../lib/http/operations/refresh-token.ts';
import { NoAnswer } from '../../../lib/service/http-client/transport.ts';
import { logStaleSecret } from '../../../lib/service/log.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { HELD_BACK } from '../../../lib/upstream/circuit-breaker.ts';
import { noAnswerProblem, refusalProblem } from '../../../lib/upstream/failures.ts';
import { READ } from '../../../lib/upstream/requests.ts';
import { deliveryHandler } from '../../../lib/webhooks/delivery-worker.ts';
import { receiveWebhook } from '../../../lib/webhooks/receive.ts';
import { bulkLineTask } from '../../../lib/workflow/bulk/bulk-line.ts';
import type { Manifests } from '../../../lib/workflow/bulk/manifests-in-s3.ts';
import { prepareBulkTask } from '../../../lib/workflow/bulk/prepare-bulk.ts';
import { createProjectTask } from '../../../lib/workflow/create-project.ts';
import { deleteProjectTask } from '../../../lib/workflow/delete-project.ts';
import { authenticationWith } from '../../lib/credentials/world.ts';
import { contextOf, eventOf, fakeService } from '../../lib/http/fixture.ts';
import { NOW_MS, project } from '../../lib/support.ts';
import { fileOf } from '../../lib/workflow/bulk/file.ts';
import { constructOf, propertiesOf } from '../template.ts';

const Filter = z.object({
  FilterPattern: z.string(),
  LogGroupName: z.object({ Ref: z.string() }),
  MetricTransformations: z.tuple([z.object({ MetricValue: z.string() })]),
});

/** What Lambda itself writes of a function that it ended. */
const ENDED = [
  '2026-11-20T09:30:29.000Z 3b241101-e2bb-4255-8caf-4136c566a962 Task timed out after 29.00 seconds',
  'RequestId: 3b241101-e2bb-4255-8caf-4136c566a962 Error: Runtime exited with error: signal: killed',
  '2026-11-20T09:30:29.000Z\tundefined\tERROR\tUncaught Exception \t{"errorType":"Error","errorMessage":"No."}',
];
/** What a request may end in when nobody is to be woken. */
const USUAL = (['project-not-found', 'custom-id-in-use', 'rate-limited'] as const).map(planted);
/** What a service behind fails with, by the condition that looks for its cause. */
const CAUSED: Readonly<Record<string, Problem>> = {
  '$.cause.name = "LockedOut"': refusalProblem({ status: 401, headers: {}, body: 'lost' }, { operation: READ }, NOW_MS),
  '$.cause.code = "HELD_BACK"': noAnswerProblem(new NoAnswer(false, HELD_BACK, 5), READ),
  '$.cause.code = "ECONNREFUSED"': noAnswerProblem(new NoAnswer(false, 'ECONNREFUSED'), READ),
};
/** What brings about a line of its own, by the condition that looks for it. */
const EVENTS: Readonly<Record<string, Problem>> = {
  '$.operation = "refreshTokenReused"': new Unauthenticated('reused-token', { companyId: 'acme' }),
};
/** What the functions that work by themselves count. */
const COUNTS = { oldestMs: 60_000, givenUp: 1, unowned: 2, missing: 1, letters: 3 };

const options = { now: () => NOW_MS, requireCompany: async () => {} };
const BASIC = { Authorization: `Basic ${btoa('acme:key')}` };
const body = () => JSON.stringify(project());

/** Runs a function whose every need fails with a problem, or that has something to count. It logs as it does on AWS. */
const RUNS: Partial<Record<FunctionName, (problem: Problem) => Promise<unknown>>> = {
  changeProjects: ofService((service) =>
    createProject(service, options)(eventOf('createProject', { body: body() }), contextOf()),
  ),
  readProjects: ofService((service) => getProject(service, options)(eventOf('getProject'), contextOf())),
  tokens: ofAuthentication((authentication) => {
    const event = eventOf('refreshToken', { body: JSON.stringify({ token: 'any' }), authorizer: null });
    return refreshToken(authentication, options)(event, contextOf());
  }),
  createProjectTask: ofService((service) =>
    createProjectTask(service, options)({ companyId: 'acme', project: project() }, contextOf()),
  ),
  deleteProjectTask: ofService((service) =>
    deleteProjectTask(service, options)({ companyId: 'acme', scope: 'project', projectId: 5 }, contextOf()),
  ),
  prepareBulk: (problem) => {
    const manifests: Manifests = { find: () => Promise.reject(problem), open: never, writeIndex: never };
    return prepareBulkTask(manifests, options)({ companyId: 'acme', object: { key: 'any' } }, contextOf());
  },
  bulkLine: ofService((service) => {
    const line = JSON.stringify({ create: project() });
    const entry = { entry: 1, line: 1, offset: 0, bytes: Buffer.byteLength(line), occurrence: 1 };
    const task = bulkLineTask(service, () => fileOf(line), options);
    return task({ companyId: 'acme', run: 'a', entry }, contextOf());
  }),
  authorizer: ofAuthentication((authentication) =>
    authorizer(authentication)({
      methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:api/v1/GET/segments/projects',
      headers: BASIC,
      requestContext: { requestId: 'request-1' },
    }),
  ),
  receiveWebhook: (problem) => {
    const fail = () => Promise.reject(problem);
    const receiving = { sources: { find: fail }, secretsOf: fail, requireCompany: fail, inbox: { accept: fail } };
    return receiveWebhook(receiving, options)(eventOf('receiveWebhook', { authorizer: null }), contextOf());
  },
  sweeper: (failure) => {
    const sweep: Sweep = { all: async () => ({ removed: 0, left: 1, oldestMs: COUNTS.oldestMs, failure }), one: never };
    return sweeper(sweep, options)({}, contextOf());
  },
  deliveries: () => {
    const { oldestMs, letters } = COUNTS;
    const workOnDue = async () => ({ done: 1, postponed: 0, dead: 0, left: 1, oldestMs, letters });
    return deliveryHandler({ workOn: never, workOnDue }, options)({}, contextOf());
  },
  reconciler: () => {
    const { oldestMs, givenUp } = COUNTS;
    return reconciler(async () => ({ settled: 0, givenUp, left: 1, oldestMs }), options)({}, contextOf());
  },
  audit: () => {
    const many = (length: number) => Array.from({ length }, (_, projectId) => ({ projectId }));
    const found = { checked: 7, unowned: many(COUNTS.unowned), missing: many(COUNTS.missing) };
    return auditor(async () => found, options)({}, contextOf());
  },
};

function ofService(run: (service: ProjectService) => Promise<unknown>): (problem: Problem) => Promise<unknown> {
  return (problem) => {
    const fail = () => Promise.reject(problem);
    return run(fakeService({ create: fail, get: fail, list: fail, delete: fail, operation: fail }));
  };
}

function ofAuthentication(run: (authentication: AuthDeps) => Promise<unknown>): (problem: Problem) => Promise<unknown> {
  return (problem) => {
    const fail = () => Promise.reject(problem);
    return run(
      authenticationWith(
        { verifyApiKey: fail, verifyApiKeyAlone: never, findActiveKey: never, guardKey: never, guardCompany: never },
        { signingKeys: fail },
      ),
    );
  };
}

function planted(type: ProblemType): Problem {
  return new Problem(type, { detail: 'A planted fault.' }, { cause: new Error('A planted cause') });
}

/** The failures that a pattern names; any will do for one that names none. */
function failuresNamedBy(pattern: string): Problem[] {
  const types = PROBLEM_TYPES.filter((type) => pattern.includes(`$.problem = "${type}"`));
  const caused = Object.entries({ ...CAUSED, ...EVENTS }).flatMap(([condition, problem]) =>
    pattern.includes(condition) ? [problem] : [],
  );
  const named = [...types.map(planted), ...caused];
  return named.length > 0 ? named : [planted('unavailable')];
}

function never(): never {
  throw new Error('Nobody asks for this here');
}

/** Whether CloudWatch counts a line by a pattern, as far as the stack's patterns go. */
function matches(pattern: string, line: string): boolean {
  const [, condition] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  if (condition === undefined)
    return [...pattern.matchAll(/\?"([^"]+)"/g)].some(([, text = '']) => line.includes(text));
  if (!line.startsWith('{')) return false;
  return condition.split(' || ').some((part) => {
    const [, field = '', operator, value = ''] = /^\(?\$\.([\w.]+) (=|>=) ("?[\w-]+"?)\)?$/.exec(part) ?? [];
    if (operator === undefined) throw new Error(`The test does not know the pattern ${pattern}`);
    const is = fieldOf(line, field);
    return operator === '=' ? is === JSON.parse(value) : typeof is === 'number' && is >= Number(value);
  });
}

const Fields = z.record(z.string(), z.unknown());

/** What a line says at a path, such as `cause.code`. */
function fieldOf(line: string, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => Fields.safeParse(value).data?.[name], JSON.parse(line));
}

/** That what is counted in logs is what the functions write there. */
export function logLines(template: Template, service: ServiceName): void {
  const filters = [...propertiesOf(template, 'AWS::Logs::MetricFilter')].map(([id, filter]) => {
    const { FilterPattern, LogGroupName, MetricTransformations } = Filter.parse(filter);
    const name = Object.keys(RUNS).find(
      (of) => LogGroupName.Ref.replace(/[0-9A-F]{8}$/, '') === `${constructOf(of)}Log`,
    );
    return { id, name, pattern: FilterPattern, value: MetricTransformations[0].MetricValue };
  });
  const measures = filters.filter(({ value }) => value.startsWith('$.'));
  const counters = filters.filter(({ value }) => !value.startsWith('$.'));
  const byCause = filters.filter(({ pattern }) => pattern.includes('$.cause.'));
  let write: MockInstance<typeof process.stderr.write>;
  beforeEach(() => {
    write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => write.mockRestore());

  /** The line that a function writes when all that it needs fails with a problem. */
  async function lineOf(name: string | undefined, problem: Problem): Promise<string> {
    const lines = await linesOf(name, problem);
    expect(lines).toHaveLength(1);
    return lines.join('');
  }

  /** That line, and the one of what happened beside. */
  async function linesOf(name: string | undefined, problem: Problem): Promise<string[]> {
    const run = Object.entries(RUNS).find(([of]) => of === name)?.[1];
    if (!run) throw new Error(`The test does not know how to run ${name}`);
    write.mockClear();
    await run(problem).catch(() => {});
    return write.mock.calls.map(([line]) => String(line).trimEnd());
  }

  it('has filters of its functions’ logs', () => {
    const known = functionsOf(service).flatMap(({ name }) => (name in RUNS ? [name] : []));
    expect(new Set(filters.map(({ name }) => name))).toEqual(new Set(known));
  });

  it.each(filters)('$id counts a line that $name writes, for each failure that it names', async ({ name, pattern }) => {
    if (pattern.startsWith('?')) {
      expect(ENDED.filter((line) => !matches(pattern, line))).toEqual([]);
      return;
    }
    for (const problem of failuresNamedBy(pattern)) {
      const lines = await linesOf(name, problem);
      const counted = lines.filter((line) => matches(pattern, line));
      expect({ lines, counted: counted.length }).toEqual({ lines, counted: 1 });
    }
  });

  it.each(counters)('$id counts nothing that is as it should be', async ({ name, pattern }) => {
    for (const problem of USUAL) {
      const line = await lineOf(name, problem);
      expect({ line, isCounted: matches(pattern, line) }).toEqual({ line, isCounted: false });
    }
  });

  it.each(measures)('$id takes its number from the line that $name writes', async ({ name, value }) => {
    const field = value.replace('$.', '');
    const line = await lineOf(name, planted('unavailable'));
    expect(Object.entries(COUNTS)).toContainEqual([field, fieldOf(line, field)]);
  });

  it.each(byCause)('$id counts no failure that has another cause', async ({ name, pattern }) => {
    for (const [condition, problem] of Object.entries(CAUSED)) {
      const line = await lineOf(name, problem);
      expect({ line, isCounted: matches(pattern, line) }).toEqual({ line, isCounted: pattern.includes(condition) });
    }
  });

  it.each(filters.filter(({ pattern }) => /\$\.level|"unavailable"/.test(pattern)))(
    '$id counts old secrets in place of ones that cannot be read',
    ({ pattern }) => {
      logStaleSecret('staleSecret')(60_000, planted('unavailable'));
      expect(write.mock.calls.filter(([line]) => matches(pattern, String(line)))).toHaveLength(1);
    },
  );
}
