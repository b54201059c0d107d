import { type FunctionName, functionsOf } from '../../../infra/functions/catalogue.ts';
import type { ServiceName } from '../../../infra/functions/function-spec.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import { SWITCHES } from '../../../lib/contract/switches.ts';
import { CredentialsRefused } from '../../../lib/credentials/credentials-refused.ts';
import { logFailedTranslation } from '../../../lib/hosted/work/job-worker.ts';
import { NoAnswer } from '../../../lib/service/http-client/exchange.ts';
import { logStaleSecret, logTableFailure } from '../../../lib/service/log.ts';
import { EngineFailure } from '../../../lib/service/translation-engine.ts';
import { HELD_BACK } from '../../../lib/upstream/circuit-breaker.ts';
import { problemFrom } from '../../../lib/upstream/failures.ts';
import { READ } from '../../../lib/upstream/requests.ts';
import { failedResponse, noResponse } from '../../../lib/upstream/upstream-answer.ts';
import { NOW_MS } from '../../lib/support.ts';
import { BACKGROUND, FAILING, type Found } from './function-runs.ts';

/** A fault that log lines show. */
export interface LoggedFault {
  /** The name of the fault: the alarm that it had when each fault had an alarm of its own. */
  readonly name: string;
  /** The function whose lines show the fault, or `bulk` for the log of bulk runs. */
  readonly log: FunctionName | 'bulk';
  /** Runs the function so that it writes its lines, or returns the lines of AWS. */
  readonly run: () => unknown;
  /** How often the fault must occur within five minutes to raise the alarm. */
  readonly times: number;
  readonly alarm: 'PageAlerts' | 'TicketAlerts' | 'LastingAlerts';
}

const MINUTE_MS = 60_000;

/** Lines that Lambda writes when it ends a function. */
export const ENDED = [
  '2026-11-20T09:30:29.000Z 3b241101-e2bb-4255-8caf-4136c566a962 Task timed out after 29.00 seconds',
  'RequestId: 3b241101-e2bb-4255-8caf-4136c566a962 Error: Runtime exited with error: signal: killed',
  '2026-11-20T09:30:29.000Z\tundefined\tERROR\tUncaught Exception \t{"errorType":"Error","errorMessage":"No."}',
];
const THROWN =
  '2026-11-20T09:30:29.000Z\t3b241101-e2bb-4255-8caf-4136c566a962\tERROR\tInvoke Error \t{"errorType":"Error"}';

/** The service rejects the credentials of the operator. */
export const LOCKED_OUT = problemFrom(
  failedResponse({ status: 401, headers: {}, body: 'lost' }, { operation: READ }, NOW_MS),
);
const HELD = problemFrom(noResponse(new NoAnswer(false, HELD_BACK, 5), READ));
const NO_ANSWER = problemFrom(noResponse(new NoAnswer(false, 'ECONNREFUSED'), READ));

export function planted(type: ProblemType): Problem {
  return new Problem(type, { detail: 'A planted fault.' }, { cause: new Error('A planted cause') });
}

/** Returns the line of Step Functions for the end of an execution. */
export function executionLine(type: string, execution: string): string {
  const execution_arn = `arn:aws:states:eu-central-1:123456789012:${execution}`;
  return JSON.stringify({ id: '5', type, details: {}, previous_event_id: '4', event_timestamp: '1', execution_arn });
}

/** Returns every fault that a stack of a service can show in its logs. */
export function loggedFaults(service: ServiceName): LoggedFault[] {
  const deployed = functionsOf(service, [...SWITCHES, 'destinations']);
  const tasks = deployed.flatMap(({ name, log }) => (log === 'Tasks' ? [name] : []));
  const background = deployed.flatMap(({ name, log }) => (log === 'Background' ? [name] : []));
  const faults: LoggedFault[] = [];
  const add = (name: string, log: LoggedFault['log'], times: number, alarm: LoggedFault['alarm'], run: () => unknown) =>
    faults.push({ name, log, run, times, alarm });
  const addFailing = (name: string, logs: FunctionName[], times: number, problem: Problem) => {
    for (const log of logs) {
      const run = FAILING[log];
      if (run) add(name, log, times, 'PageAlerts', () => run(problem));
    }
  };
  const addFound = (name: string, log: FunctionName, times: number, alarm: LoggedFault['alarm'], found: Found) => {
    const run = BACKGROUND[log];
    if (run && background.includes(log)) add(name, log, times, alarm, () => run(found));
  };

  for (const name of tasks) {
    for (const line of ENDED) add('TasksErrors', name, 3, 'PageAlerts', () => line);
  }
  for (const name of background) {
    for (const line of [...ENDED, THROWN]) add('BackgroundErrors', name, 1, 'TicketAlerts', () => line);
    addFound('BackgroundErrors', name, 1, 'TicketAlerts', { error: new Error('A planted fault') });
  }
  const failing = ['internal-error', 'upstream-invalid', 'upstream-refused', 'unavailable'] as const;
  for (const type of failing) {
    addFailing('AuthorizerErrors', ['authorizer'], 3, planted(type));
    addFailing('TokensErrors', ['tokens'], 3, planted(type));
    addFailing('TasksErrors', tasks, 3, planted(type));
  }
  const projects: FunctionName[] = ['changeProjects', 'changeTranslations', 'readProjects', ...tasks];
  const unusable = service === 'hosted' ? 'StoreUnusable' : 'UpstreamUnusable';
  for (const type of [
    'unavailable',
    'outcome-unknown',
    ...(service === 'upstream' ? (['upstream-unavailable'] as const) : []),
  ] as const) {
    addFailing(unusable, projects, 3, planted(type));
  }
  for (const type of ['unavailable', 'outcome-unknown'] as const) {
    addFailing('WebhooksUnusable', ['receiveWebhook'], 3, planted(type));
  }
  for (const [name, log] of [
    ['AuthorizerErrors', 'authorizer'],
    ['TokensErrors', 'tokens'],
    ['UpstreamUnusable', 'changeProjects'],
  ] as const) {
    add(name, log, 3, 'PageAlerts', () => logStaleSecret('staleSecret')(MINUTE_MS, planted('unavailable')));
  }
  for (const { name } of deployed) add('TableErrors', name, 5, 'PageAlerts', () => logTableFailure(new Error('No.')));
  add('RefreshTokenReused', 'tokens', 1, 'TicketAlerts', () =>
    FAILING.tokens?.(new CredentialsRefused('reused-token', { companyId: 'acme' })),
  );
  add('InvalidSignatures', 'receiveWebhook', 20, 'LastingAlerts', () =>
    FAILING.receiveWebhook?.(planted('invalid-signature')),
  );
  if (service === 'upstream') {
    addFailing('UpstreamLockedOut', projects, 1, LOCKED_OUT);
    addFailing('UpstreamHeldBack', projects, 10, HELD);
    addFailing('UpstreamUnusable', projects, 3, NO_ANSWER);
  }
  addFound('EventsLag', 'publishEvents', 1, 'PageAlerts', { lagMs: 10 * MINUTE_MS });
  addFound('EventsLag', 'publishEvents', 1, 'PageAlerts', { lagMs: 10 * MINUTE_MS, error: new Error('No.') });
  for (const [name, log] of [
    ['SweeperLag', 'sweeper'],
    ['SendLag', 'sendEvents'],
    ['DeliveriesLag', 'deliveries'],
  ] as const) {
    addFound(name, log, 1, 'LastingAlerts', { lagMs: 10 * MINUTE_MS });
  }
  // Each of these functions runs five times within five minutes, except for the sweeper.
  addFound('DeliveriesBacklog', 'deliveries', 5, 'PageAlerts', { oldestMs: 10 * MINUTE_MS });
  addFound('SendBacklog', 'sendEvents', 5, 'PageAlerts', { oldestMs: 10 * MINUTE_MS });
  addFound('ResultsBacklog', 'sendResults', 5, 'PageAlerts', { oldestMs: 10 * MINUTE_MS });
  addFound('JobsBacklog', 'jobs', 5, 'LastingAlerts', { oldestMs: 10 * MINUTE_MS });
  if (service === 'hosted') {
    for (const code of ['unauthorized', 'quota-exceeded', 'rejected', 'busy', 'unreachable'] as const) {
      const failure = new EngineFailure(code);
      add('TranslationsFailing', 'jobs', 1, 'LastingAlerts', () =>
        logFailedTranslation()({ companyId: 'acme', projectId: 1, languageCode: 'de', failure }),
      );
    }
  }
  addFound('OperationsOpen', 'reconciler', 5, 'LastingAlerts', { oldestMs: 15 * MINUTE_MS });
  addFound('SweeperBacklog', 'sweeper', 1, 'LastingAlerts', { oldestMs: 30 * MINUTE_MS });
  addFound('DeadDeliveries', 'deliveries', 1, 'TicketAlerts', { newestLetterMs: MINUTE_MS });
  addFound('FailedEvents', 'sendEvents', 1, 'TicketAlerts', { newestLetterMs: MINUTE_MS });
  addFound('FailedResults', 'sendResults', 1, 'TicketAlerts', { newestLetterMs: MINUTE_MS });
  addFound('OperationsGivenUp', 'reconciler', 1, 'TicketAlerts', { givenUp: 1 });
  addFound('Strays', 'audit', 1, 'TicketAlerts', { unowned: 1 });
  addFound('Strays', 'audit', 1, 'TicketAlerts', { missing: 1 });
  for (const type of ['ExecutionFailed', 'ExecutionTimedOut']) {
    add('BulkFailed', 'bulk', 1, 'TicketAlerts', () => executionLine(type, 'execution:Bulk-acme:run-1'));
  }
  return faults;
}
