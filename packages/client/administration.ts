import {
  type AdministrationId,
  administrationRouteOf,
  type CommandReport,
  type DeliveryFault,
  type DeliveryList,
  type DeliveryReport,
  type DestinationReport,
  type LastRequestReport,
  type MessageIdentityReport,
  type MessageReport,
  type RedriveReport,
  type ResultFailureReport,
  type ResultList,
  type ResultRedrive,
  type ResultReport,
  type SourceReport,
  type TestEndReport,
  type TestFaultReport,
  type TestRefusal,
  type TestReport,
  type TestRequestReport,
  type TestSent,
} from '../../lib/contract/administration.ts';
import type { ProblemType } from '../../lib/contract/problems.ts';
import { deadlineAt } from '../../lib/service/deadline.ts';
import { type RequestDeps, readAs, sendRequest } from '../../lib/service/http-client/send-request.ts';
import {
  anything,
  boolean,
  integer,
  listOf,
  object,
  oneOf,
  openEnum,
  optional,
  type Shape,
  string,
} from '../../lib/service/http-client/shapes.ts';
import { openAccount } from './account.ts';
import type { SegueClientOptions } from './types.ts';

export type {
  CommandReport,
  DeliveryFault,
  DeliveryKind,
  DeliveryReport,
  DestinationReport,
  LastRequestReport,
  MessageReport,
  ResultFailureReport,
  ResultReport,
  SourceReport,
  TestEndReport,
  TestRefusal,
  TestReport,
  TestRequestReport,
  TestSent,
} from '../../lib/contract/administration.ts';

/**
 * A client of the administration API, for the console. It has one method for each operation. Every method may throw a
 * `SegueError`: `route-not-found` if Segue does not offer the API, `scope-missing` if the key lacks the scope `manage`.
 */
export class AdministrationClient {
  readonly #deps: RequestDeps;
  readonly #timeoutMs: number;

  /** Creates a client. It sends nothing yet. @throws {TypeError} with the name of a missing or invalid option */
  constructor(options: SegueClientOptions) {
    const { deps, timeoutMs } = openAccount(options);
    this.#deps = deps;
    this.#timeoutMs = timeoutMs;
  }

  /** Lists the webhook sources of the company. */
  listSources(): Promise<readonly SourceReport[]> {
    return this.#call('listSources', listOf(source));
  }

  getSource(name: string): Promise<SourceReport> {
    return this.#call('getSource', source, name);
  }

  /** Lists the open deliveries and the dead letters of a source. */
  listDeliveries(name: string): Promise<DeliveryList> {
    return this.#call('listDeliveries', deliveries, name);
  }

  /** Gets any delivery of a source, also one that succeeded in the last 14 days. */
  getDelivery(name: string, id: string): Promise<DeliveryReport> {
    return this.#call('getDelivery', delivery, name, id);
  }

  /** Processes a dead letter again, as if its message had just arrived. A repetition changes nothing more. */
  redriveDelivery(name: string, id: string): Promise<RedriveReport> {
    return this.#call('redriveDelivery', redriven, name, id);
  }

  /** Lists the destinations of the company. */
  listDestinations(): Promise<readonly DestinationReport[]> {
    return this.#call('listDestinations', listOf(destination));
  }

  getDestination(name: string): Promise<DestinationReport> {
    return this.#call('getDestination', destination, name);
  }

  /** Lists the open deliveries to a destination, and its dead letters. */
  listResults(name: string): Promise<ResultList> {
    return this.#call('listResults', results, name);
  }

  /** Gets any delivery to a destination, also one that ended in the last 14 days. */
  getResult(name: string, id: string): Promise<ResultReport> {
    return this.#call('getResult', result, name, id);
  }

  /** Sends a dead letter again, with the translations as they are then. A repetition changes nothing more. */
  redriveResult(name: string, id: string): Promise<ResultRedrive> {
    return this.#call('redriveResult', resultRedriven, name, id);
  }

  /**
   * Shows the requests that a destination would send for a project now. It sends nothing.
   * @param project the id or the custom id of a project
   * @param languageCode a target language of the project
   */
  showTest(name: string, project: string, languageCode: string): Promise<TestReport> {
    return this.#call('showTest', test, name, project, languageCode);
  }

  /** Sends the requests of a test once, if they would still be the shown ones. @param shown the field `test` of the test */
  sendTest(name: string, project: string, languageCode: string, shown: string): Promise<TestSent> {
    return this.#call('sendTest', testSent, name, project, languageCode, shown);
  }

  #call<T extends object>(id: AdministrationId, shape: Shape<T>, ...pathParameters: readonly string[]): Promise<T> {
    const deadline = deadlineAt(this.#deps.now() + this.#timeoutMs, this.#deps.now);
    return sendRequest({ route: administrationRouteOf(id), pathParameters, read: readAs(shape) }, deadline, this.#deps);
  }
}

const source = object<SourceReport>({
  name: string,
  companyId: string,
  mapping: string,
  fetch: optional(
    object<NonNullable<SourceReport['fetch']>>({
      url: string,
      hosts: listOf(string),
      header: optional(string),
      hasSecret: boolean,
    }),
  ),
  scopes: optional(listOf(string)),
  scheme: object<SourceReport['scheme']>({ name: string }),
  messageId: optional(string),
  dedupeMinutes: optional(integer),
  identity: optional(
    object<MessageIdentityReport>({
      by: oneOf('id', 'body', 'body-and-time', 'body-for-minutes'),
      minutes: optional(integer),
    }),
  ),
  liveSecrets: integer,
  createdAtUtc: string,
  rotatedAtUtc: optional(string),
});

const failure = {
  problem: optional(openEnum<ProblemType>()),
  detail: optional(string),
  errors: optional(
    listOf(
      object<DeliveryFault>({ pointer: string, code: string, detail: string, allowed: optional(listOf(anything)) }),
    ),
  ),
};

const changes = object<NonNullable<DeliveryReport['changedSince']>>({
  deletedAtUtc: optional(string),
  createdAtUtc: optional(string),
});
const delivery = object<DeliveryReport>({
  changedSince: optional(changes),
  source: string,
  id: string,
  state: oneOf('open', 'done', 'dead', 'dropped'),
  companyId: string,
  receivedAtUtc: string,
  attempts: integer,
  nextAttemptAtUtc: optional(string),
  endedAtUtc: optional(string),
  request: optional(object<MessageReport>({ headers: listOf(string), bytes: integer })),
  fetchedBytes: optional(integer),
  result: anything,
  ...failure,
  commands: optional(
    listOf(
      object<CommandReport>({
        command: integer,
        state: oneOf('waiting', 'open', 'done', 'refused'),
        result: anything,
        ...failure,
      }),
    ),
  ),
});

const deliveries = object<DeliveryList>({ deliveries: listOf(delivery), more: boolean });
const redriven = object<RedriveReport>({ redriven: boolean, delivery });

const destination = object<DestinationReport>({
  name: string,
  companyId: string,
  on: listOf(string),
  hosts: listOf(string),
  mapping: string,
  fetch: optional(string),
  secretHeader: optional(string),
  createdAtUtc: string,
  rotatedAtUtc: optional(string),
});

const result = object<ResultReport>({
  destination: string,
  id: string,
  state: oneOf('open', 'done', 'dead'),
  companyId: string,
  eventId: string,
  type: string,
  projectId: integer,
  languageCode: optional(string),
  recordedAtUtc: string,
  attempts: integer,
  nextAttemptAtUtc: optional(string),
  endedAtUtc: optional(string),
  end: optional(string),
  failure: optional(
    object<ResultFailureReport>({
      reason: string,
      status: optional(integer),
      code: optional(string),
      request: optional(integer),
      detail: optional(string),
    }),
  ),
  lastRequest: optional(
    object<LastRequestReport>({
      request: integer,
      requests: integer,
      method: string,
      bytes: integer,
      headers: listOf(string),
      status: optional(integer),
      answerBytes: optional(integer),
      atUtc: string,
    }),
  ),
});

const results = object<ResultList>({ deliveries: listOf(result), more: boolean });
const resultRedriven = object<ResultRedrive>({ redriven: boolean, delivery: result });

const test = object<TestReport>({
  test: optional(string),
  requests: listOf(
    object<TestRequestReport>({
      method: string,
      url: string,
      headers: listOf(object<{ readonly name: string; readonly value: string }>({ name: string, value: string })),
      bytes: integer,
      body: optional(string),
    }),
  ),
  faults: listOf(object<TestFaultReport>({ request: optional(integer), detail: string })),
  refusal: optional(openEnum<TestRefusal>()),
});
const testSent = object<TestSent>({
  sent: boolean,
  ends: listOf(
    object<TestEndReport>({
      status: optional(integer),
      answerBytes: optional(integer),
      reason: optional(oneOf('no-answer', 'address-refused')),
      code: optional(string),
    }),
  ),
  test,
});
