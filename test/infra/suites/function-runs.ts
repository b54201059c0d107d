import type { FunctionName } from '../../../infra/functions/catalogue.ts';
import { auditor } from '../../../lib/background/auditor.ts';
import type { BackgroundFunction } from '../../../lib/background/background-function.ts';
import { type Events, eventPublisher } from '../../../lib/background/event-publisher.ts';
import { jobHandler } from '../../../lib/background/job-queue.ts';
import { reconciler } from '../../../lib/background/reconciler.ts';
import { type Sweep, sweeper } from '../../../lib/background/sweep-handler.ts';
import { waitHandler } from '../../../lib/background/wait-handler.ts';
import type { Problem } from '../../../lib/contract/problem.ts';
import type { AuthDeps } from '../../../lib/credentials/authenticate.ts';
import { resultHandler } from '../../../lib/destinations/result-sender.ts';
import { sendHandler } from '../../../lib/events/event-sender.ts';
import { authorizer } from '../../../lib/http/authorizer.ts';
import { changeLanguage } from '../../../lib/operations/change-language.ts';
import { createProject } from '../../../lib/operations/create-project.ts';
import { getProject } from '../../../lib/operations/get-project.ts';
import { receiveWebhook } from '../../../lib/operations/receive-webhook.ts';
import { refreshToken } from '../../../lib/operations/refresh-token.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { deliveryHandler } from '../../../lib/webhooks/delivery-worker.ts';
import type { Manifests } from '../../../lib/workflow/bulk/manifests-in-s3.ts';
import { prepareBulkTask } from '../../../lib/workflow/bulk/prepare-bulk.ts';
import { bulkLineTask } from '../../../lib/workflow/bulk/run-line.ts';
import { createProjectTask } from '../../../lib/workflow/create-project-task.ts';
import { deleteProjectTask } from '../../../lib/workflow/delete-project-task.ts';
import { getProgressTask } from '../../../lib/workflow/get-progress-task.ts';
import { putProjectTask } from '../../../lib/workflow/put-project-task.ts';
import { waitForProjectTask } from '../../../lib/workflow/waits/wait-for-project-task.ts';
import { waitsIn } from '../../../lib/workflow/waits/waits.ts';
import { authenticationWith } from '../../lib/credentials/world.ts';
import { contextOf, eventOf, fakeService } from '../../lib/http/fixture.ts';
import { NOW_MS, project } from '../../lib/support.ts';
import { fileOf } from '../../lib/workflow/world.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';

const options = { now: () => NOW_MS, requireCompany: async () => undefined };
const BASIC = { Authorization: `Basic ${btoa('acme:key')}` };
const body = () => JSON.stringify(project());

/** Runs of functions that a request or a workflow waits for. All their dependencies fail with a problem. */
export const FAILING: Partial<Record<FunctionName, (problem: Problem) => Promise<unknown>>> = {
  changeProjects: ofService((service) =>
    createProject(service, options)(eventOf('createProject', { body: body() }), contextOf()),
  ),
  changeTranslations: ofService((service) =>
    changeLanguage(service, options)[0](eventOf('changeLanguage', { body: '{"state":"InProgress"}' }), contextOf()),
  ),
  readProjects: ofService((service) => getProject(service, options)[0](eventOf('getProject'), contextOf())),
  tokens: ofAuthentication((authentication) => {
    const event = eventOf('refreshToken', { body: JSON.stringify({ token: 'any' }), authorizer: null });
    return refreshToken(authentication, options)(event, contextOf());
  }),
  createProjectTask: ofService((service) =>
    createProjectTask(service, options)({ companyId: 'acme', project: project() }, contextOf()),
  ),
  putProjectTask: ofService((service) =>
    putProjectTask(service, options)({ companyId: 'acme', project: project({ customId: 'x' }) }, contextOf()),
  ),
  getProgressTask: ofService((service) =>
    getProgressTask(service, options)({ companyId: 'acme', projectId: 5 }, contextOf()),
  ),
  waitForProjectTask: ofService((service) =>
    waitForProjectTask(service, { ...options, waits: waitsIn(new MemoryStorage(), options.now) })(
      { companyId: 'acme', projectId: 5, taskToken: 'token' },
      contextOf(),
    ),
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
    authorizer(authentication, { recordUse: async () => {} })(
      {
        methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:api/v1/GET/segments/projects',
        headers: BASIC,
        requestContext: { extendedRequestId: 'request-1' },
      },
      contextOf(),
    ),
  ),
  receiveWebhook: (problem) => {
    const fail = () => Promise.reject(problem);
    const inbox = { accept: fail, acceptUnlessRecent: fail };
    const receiving = { sources: { find: fail }, secretsOf: fail, requireCompany: fail, inbox };
    return receiveWebhook(receiving, options)(eventOf('receiveWebhook', { authorizer: null }), contextOf());
  },
};

/** What a run of a background function finds. By default it finds nothing to do. */
export interface Found {
  readonly oldestMs?: number;
  readonly newestLetterMs?: number;
  readonly givenUp?: number;
  readonly unowned?: number;
  readonly missing?: number;
  /** The error with which the run ends. */
  readonly error?: Error;
  /** How long the records of the stream have waited, if the stream invokes the function, in milliseconds. */
  readonly lagMs?: number;
}

/** Runs of background functions. */
export const BACKGROUND: Partial<Record<FunctionName, (found: Found) => Promise<unknown>>> = {
  sweeper: (found) => {
    const { oldestMs = 0 } = found;
    const sweep: Sweep = {
      all: () => endOf(found, { removed: 0, left: Number(oldestMs > 0), oldestMs }),
      one: () => endOf(found, true),
    };
    return run(sweeper(sweep, options), found);
  },
  publishEvents: (found) => {
    const events: Events = { move: () => endOf(found, 'all'), read: async () => undefined, publish: never };
    return run(eventPublisher(events, options), { lagMs: 0, ...found });
  },
  deliveries: (found) => run(deliveryHandler(workerOf(found), options), found),
  sendEvents: (found) => run(sendHandler(workerOf(found), options), found),
  sendResults: (found) => run(resultHandler(workerOf(found), options), found),
  reportWaits: (found) => run(waitHandler(workerOf(found), options), found),
  jobs: (found) => run(jobHandler(workerOf(found), options), found),
  reconciler: (found) => {
    const { oldestMs = 0, givenUp = 0 } = found;
    const reconcile = () => endOf(found, { settled: 0, givenUp, left: Number(oldestMs > 0), oldestMs });
    return run(reconciler(reconcile, options), found);
  },
  audit: (found) => {
    const many = (length = 0) => Array.from({ length }, (_, projectId) => ({ projectId }));
    const result = { checked: 7, unowned: many(found.unowned), missing: many(found.missing) };
    return run(
      auditor(() => endOf(found, result), options),
      found,
    );
  },
};

function workerOf(found: Found) {
  const { oldestMs = 0, newestLetterMs } = found;
  const counts = { done: 0, postponed: 0, dead: 0, left: Number(oldestMs > 0), oldestMs };
  const letters = newestLetterMs === undefined ? { letters: 0 } : { letters: 1, newestLetterMs };
  return { workOn: () => endOf(found, []), workOnDue: () => endOf(found, { ...counts, ...letters }) };
}

async function endOf<Result>({ error }: Found, result: Result): Promise<Result> {
  if (error) throw error;
  return result;
}

/** Runs a function as its schedule does, or as its stream does if the records have an age. */
function run<Result>(handler: BackgroundFunction<Result>, { lagMs }: Found): Promise<Result> {
  if (lagMs === undefined) return handler({}, contextOf());
  const key = { partition: { S: 'company/acme' }, sort: { S: 'outbox/any' } };
  const dynamodb = { SequenceNumber: '1', Keys: key, ApproximateCreationDateTime: (NOW_MS - lagMs) / 1_000 };
  return handler({ Records: [{ eventName: 'INSERT', dynamodb }] }, contextOf());
}

function ofService(run: (service: ProjectService) => Promise<unknown>): (problem: Problem) => Promise<unknown> {
  return (problem) => {
    const fail = () => Promise.reject(problem);
    const methods = {
      create: fail,
      put: fail,
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

function never(): never {
  throw new Error('Unexpected call');
}
