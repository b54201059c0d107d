import type { Template } from 'aws-cdk-lib/assertions';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import * as z from 'zod/mini';
import { type FunctionName, functionsOf, type ServiceName } from '../../../infra/functions/catalogue.ts';
import { auditor } from '../../../lib/background/auditor.ts';
import { jobHandler } from '../../../lib/background/job-handler.ts';
import { reconciler } from '../../../lib/background/reconciler.ts';
import { type Sweep, sweeper } from '../../../lib/background/sweeper.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { PROBLEM_TYPES, type ProblemType } from '../../../lib/contract/problems.ts';
import type { AuthDeps } from '../../../lib/credentials/authenticate.ts';
import { Unauthenticated } from '../../../lib/credentials/unauthenticated.ts';
import { sendHandler } from '../../../lib/events/event-sender.ts';
import { logTranslated } from '../../../lib/hosted/work/job-worker.ts';
import { authorizer } from '../../../lib/http/authorizer.ts';
import { changeLanguage } from '../../../lib/http/operations/change-language.ts';
import { createProject } from '../../../lib/http/operations/create-project.ts';
import { getProject } from '../../../lib/http/operations/get-project.ts';
import { refreshToken } from '../../../lib/http/operations/refresh-token.ts';
import { NoAnswer } from '../../../lib/service/http-client/exchange.ts';
import { failureFields, logStaleSecret, logToStandardError } from '../../../lib/service/log.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { HELD_BACK } from '../../../lib/upstream/circuit-breaker.ts';
import { noAnswerProblem, refusalProblem } from '../../../lib/upstream/failures.ts';
import { READ } from '../../../lib/upstream/requests.ts';
import { deliveryHandler } from '../../../lib/webhooks/delivery-worker.ts';
import { receiveWebhook } from '../../../lib/webhooks/receive.ts';
import type { Manifests } from '../../../lib/workflow/bulk/manifests-in-s3.ts';
import { prepareBulkTask } from '../../../lib/workflow/bulk/prepare-bulk.ts';
import { bulkLineTask } from '../../../lib/workflow/bulk/run-line.ts';
import { createProjectTask } from '../../../lib/workflow/create-project.ts';
import { deleteProjectTask } from '../../../lib/workflow/delete-project.ts';
import { getProgressTask } from '../../../lib/workflow/get-progress.ts';
import { authenticationWith } from '../../lib/credentials/world.ts';
import { contextOf, eventOf, fakeService } from '../../lib/http/fixture.ts';
import { NOW_MS, project } from '../../lib/support.ts';
import { fileOf } from '../../lib/workflow/world.ts';
import { constructOf, propertiesOf } from '../template.ts';

const Filter = z.object({
  FilterPattern: z.string(),
  LogGroupName: z.object({ Ref: z.string() }),
  MetricTransformations: z.tuple([z.object({ MetricValue: z.string() })]),
});

/** Lines that Lambda writes when it ends a function. */
const ENDED = [
  '2026-11-20T09:30:29.000Z 3b241101-e2bb-4255-8caf-4136c566a962 Task timed out after 29.00 seconds',
  'RequestId: 3b241101-e2bb-4255-8caf-4136c566a962 Error: Runtime exited with error: signal: killed',
  '2026-11-20T09:30:29.000Z\tundefined\tERROR\tUncaught Exception \t{"errorType":"Error","errorMessage":"No."}',
];
/** Failures of requests that must raise no alarm. */
const USUAL = (['project-not-found', 'custom-id-in-use', 'rate-limited'] as const).map(planted);
/** Failures of the upstream service, by the condition that matches their cause. */
const CAUSED: Readonly<Record<string, Problem>> = {
  '$.cause.name = "LockedOut"': refusalProblem({ status: 401, headers: {}, body: 'lost' }, { operation: READ }, NOW_MS),
  '$.cause.code = "HELD_BACK"': noAnswerProblem(new NoAnswer(false, HELD_BACK, 5), READ),
  '$.cause.code = "ECONNREFUSED"': noAnswerProblem(new NoAnswer(false, 'ECONNREFUSED'), READ),
};
/** Failures that have a log line of their own, by the condition that matches it. */
const EVENTS: Readonly<Record<string, Problem>> = {
  '$.operation = "refreshTokenReused"': new Unauthenticated('reused-token', { companyId: 'acme' }),
};
/** The numbers in the log lines of background functions. */
const COUNTS = { oldestMs: 60_000, givenUp: 1, unowned: 2, missing: 1, letters: 3, characters: 40 };

const options = { now: () => NOW_MS, requireCompany: async () => {} };
const BASIC = { Authorization: `Basic ${btoa('acme:key')}` };
const body = () => JSON.stringify(project());

/** Runs of functions whose dependencies all fail with a problem, or that report `COUNTS`. They log as on AWS. */
const RUNS: Partial<Record<FunctionName, (problem: Problem) => Promise<unknown>>> = {
  changeProjects: ofService((service) =>
    createProject(service, options)(eventOf('createProject', { body: body() }), contextOf()),
  ),
  changeTranslations: ofService((service) =>
    changeLanguage(service, options)(eventOf('changeLanguage', { body: '{"state":"InProgress"}' }), contextOf()),
  ),
  readProjects: ofService((service) => getProject(service, options)(eventOf('getProject'), contextOf())),
  tokens: ofAuthentication((authentication) => {
    const event = eventOf('refreshToken', { body: JSON.stringify({ token: 'any' }), authorizer: null });
    return refreshToken(authentication, options)(event, contextOf());
  }),
  createProjectTask: ofService((service) =>
    createProjectTask(service, options)({ companyId: 'acme', project: project() }, contextOf()),
  ),
  getProgressTask: ofService((service) =>
    getProgressTask(service, options)({ companyId: 'acme', projectId: 5 }, contextOf()),
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
    authorizer(authentication, { recordUse: async () => {} })({
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
  sendEvents: () => {
    const { oldestMs, letters } = COUNTS;
    const workOnDue = async () => ({ done: 1, postponed: 0, dead: 0, left: 1, oldestMs, letters });
    return sendHandler({ workOn: never, workOnDue }, options)({}, contextOf());
  },
  jobs: () => {
    const { oldestMs, letters, characters } = COUNTS;
    const workOnDue = async () => {
      logTranslated()({ companyId: 'acme', segments: 2, characters });
      return { done: 1, postponed: 0, dead: 0, left: 1, oldestMs, letters };
    };
    return jobHandler({ workOn: never, workOnDue }, options)({}, contextOf());
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
    const methods = {
      create: fail,
      get: fail,
      progress: fail,
      list: fail,
      delete: fail,
      changeLanguage: fail,
      operation: fail,
    };
    return run(fakeService(methods));
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

/** Returns the failures that a pattern names, or all failures if it names none. */
function failuresNamedBy(pattern: string): Problem[] {
  const types = PROBLEM_TYPES.filter((type) => pattern.includes(`$.problem = "${type}"`));
  const caused = Object.entries({ ...CAUSED, ...EVENTS }).flatMap(([condition, problem]) =>
    pattern.includes(condition) ? [problem] : [],
  );
  const named = [...types.map(planted), ...caused];
  return named.length > 0 ? named : [planted('unavailable')];
}

function never(): never {
  throw new Error('Unexpected call');
}

/** Whether a line matches a pattern of CloudWatch, of the kinds that the stack uses. */
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

/** Returns the value of a line at a path, such as `cause.code`. */
function fieldOf(line: string, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => Fields.safeParse(value).data?.[name], JSON.parse(line));
}

/** Tests the metric filters against the lines that the functions write. */
export function logLines(template: Template, service: ServiceName): void {
  const all = [...propertiesOf(template, 'AWS::Logs::MetricFilter')].map(([id, filter]) => {
    const { FilterPattern, LogGroupName, MetricTransformations } = Filter.parse(filter);
    const log = LogGroupName.Ref.replace(/[0-9A-F]{8}$/, '');
    const name = Object.keys(RUNS).find((of) => log === `${constructOf(of)}Log`);
    return { id, name, pattern: FilterPattern, value: MetricTransformations[0].MetricValue };
  });
  /** The filters for failures that only code explains. They have one pattern for the log of every function. */
  const broken = all.filter(({ pattern }) => pattern.includes('?"internal-error"'));
  const filters = all.filter((filter) => !broken.includes(filter));
  const counters = filters.filter(({ value }) => !value.startsWith('$.'));
  let write: MockInstance<typeof process.stderr.write>;
  beforeEach(() => {
    write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => write.mockRestore());

  /** Returns the lines that a function writes when its dependencies fail with a problem. */
  async function linesOf(name: string | undefined, problem: Problem): Promise<string[]> {
    const run = Object.entries(RUNS).find(([of]) => of === name)?.[1];
    if (!run) throw new Error(`The test does not know how to run ${name}`);
    write.mockClear();
    await run(problem).catch(() => {});
    return write.mock.calls.map(([line]) => String(line).trimEnd());
  }

  it('has filters for the logs of these functions', () => {
    const known = functionsOf(service).flatMap(({ name }) => (name in RUNS ? [name] : []));
    expect(new Set(filters.map(({ name }) => name))).toEqual(new Set(known));
  });

  it('counts for a rollout the functions that Lambda ended and unexpected errors, and no other failure', () => {
    const [pattern = '', ...others] = new Set(broken.map((filter) => filter.pattern));
    expect(others).toEqual([]);
    const linesOfFailure = (failure: unknown) => {
      write.mockClear();
      logToStandardError({ operation: 'any', requestId: 'request-1', durationMs: 1, ...failureFields(failure) });
      return write.mock.calls.map(([line]) => String(line).trimEnd());
    };
    const counted = [...ENDED, ...linesOfFailure(new TypeError('A planted fault'))];
    expect(counted.filter((line) => !matches(pattern, line))).toEqual([]);
    const usual = [...USUAL, ...Object.values(CAUSED), planted('unavailable')].flatMap(linesOfFailure);
    expect(usual.filter((line) => matches(pattern, line))).toEqual([]);
  });

  it.each(filters)('$id counts one line of $name for each failure that it names', async ({ name, pattern }) => {
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

  it.each(counters)('$id counts neither usual refusals nor failures of another cause', async ({ name, pattern }) => {
    const others = pattern.includes('$.cause.')
      ? Object.entries(CAUSED).flatMap(([condition, problem]) => (pattern.includes(condition) ? [] : [problem]))
      : [];
    for (const problem of [...USUAL, ...others]) {
      const lines = await linesOf(name, problem);
      expect(lines.filter((line) => matches(pattern, line))).toEqual([]);
      expect(lines).toHaveLength(1);
    }
  });

  it.each(filters.filter(({ value }) => value.startsWith('$.')))(
    '$id takes its number from the line of $name',
    async ({ name, value }) => {
      const field = value.replace('$.', '');
      const lines = await linesOf(name, planted('unavailable'));
      const line = lines.find((one) => fieldOf(one, field) !== undefined) ?? '{}';
      expect(Object.entries(COUNTS)).toContainEqual([field, fieldOf(line, field)]);
    },
  );

  it.each(filters.filter(({ pattern }) => /\$\.level|"unavailable"/.test(pattern)))(
    '$id counts the use of an outdated secret',
    ({ pattern }) => {
      logStaleSecret('staleSecret')(60_000, planted('unavailable'));
      expect(write.mock.calls.filter(([line]) => matches(pattern, String(line)))).toHaveLength(1);
    },
  );
}
