import type { ProblemType } from './problems.ts';
import type { Route } from './routes.ts';

/** An operation of the administration API. `npm start` serves it to its own machine, and no stack has it. */
export type AdministrationRoute = Omit<Route, 'function'> & { readonly function: 'administration' };

const manage = { function: 'administration', scope: 'manage', query: [], body: 'none' } as const;
const get = { ...manage, method: 'GET' } as const;

/** The operations on webhook sources and their deliveries. */
const SOURCE_ROUTES = [
  {
    ...get,
    id: 'listSources',
    path: '/admin/sources',
    summary: 'List the webhook sources',
    problems: ['unexpected-body'],
  },
  {
    ...get,
    id: 'getSource',
    path: '/admin/sources/{source}',
    summary: 'Get a webhook source',
    problems: ['source-not-found', 'unexpected-body'],
  },
  {
    ...get,
    id: 'listDeliveries',
    path: '/admin/sources/{source}/deliveries',
    summary: 'List the open and dead deliveries of a source',
    problems: ['source-not-found', 'unexpected-body'],
  },
  {
    ...get,
    id: 'getDelivery',
    path: '/admin/sources/{source}/deliveries/{delivery}',
    summary: 'Get a delivery',
    problems: ['route-not-found', 'unexpected-body'],
  },
  {
    ...manage,
    id: 'redriveDelivery',
    method: 'POST',
    path: '/admin/sources/{source}/deliveries/{delivery}/redrive',
    summary: 'Process a dead letter again',
    problems: ['route-not-found', 'unexpected-body', 'outcome-unknown'],
  },
] as const satisfies readonly AdministrationRoute[];

/** The operations on destinations and their deliveries. */
const DESTINATION_ROUTES = [
  {
    ...get,
    id: 'listDestinations',
    path: '/admin/destinations',
    summary: 'List the destinations of translations',
    problems: ['unexpected-body'],
  },
  {
    ...get,
    id: 'getDestination',
    path: '/admin/destinations/{destination}',
    summary: 'Get a destination',
    problems: ['route-not-found', 'unexpected-body'],
  },
  {
    ...get,
    id: 'listResults',
    path: '/admin/destinations/{destination}/deliveries',
    summary: 'List the open and dead deliveries to a destination',
    problems: ['route-not-found', 'unexpected-body'],
  },
  {
    ...get,
    id: 'getResult',
    path: '/admin/destinations/{destination}/deliveries/{delivery}',
    summary: 'Get a delivery to a destination',
    problems: ['route-not-found', 'unexpected-body'],
  },
  {
    ...manage,
    id: 'redriveResult',
    method: 'POST',
    path: '/admin/destinations/{destination}/deliveries/{delivery}/redrive',
    summary: 'Send a dead letter of a destination again',
    problems: ['route-not-found', 'unexpected-body', 'outcome-unknown'],
  },
  {
    ...get,
    id: 'showTest',
    path: '/admin/destinations/{destination}/projects/{project}/languages/{language}/test',
    summary: 'Show the requests of a test of a destination',
    problems: ['route-not-found', 'unexpected-body'],
  },
  {
    ...manage,
    id: 'sendTest',
    method: 'POST',
    path: '/admin/destinations/{destination}/projects/{project}/languages/{language}/test/{test}/send',
    summary: 'Send the requests of a test that was shown',
    problems: ['route-not-found', 'unexpected-body', 'outcome-unknown'],
  },
] as const satisfies readonly AdministrationRoute[];

/** Every operation of the administration API. */
export const ADMINISTRATION_ROUTES = [...SOURCE_ROUTES, ...DESTINATION_ROUTES];

export type SourceOperationId = (typeof SOURCE_ROUTES)[number]['id'];
export type DestinationOperationId = (typeof DESTINATION_ROUTES)[number]['id'];
export type AdministrationId = SourceOperationId | DestinationOperationId;

/** Returns the route of an operation of the administration API. */
export function administrationRouteOf(id: AdministrationId): AdministrationRoute {
  const route = ADMINISTRATION_ROUTES.find((each) => each.id === id);
  if (!route) throw new RangeError(`There is no operation ${id}`);
  return route;
}

/** The most deliveries in an answer of `listDeliveries` and of `listResults`. */
export const MAX_LISTED_DELIVERIES = 200;

/** A webhook source, without its secrets. */
export interface SourceReport {
  readonly name: string;
  readonly companyId: string;
  /** The JSONata expression that makes commands from the messages. */
  readonly mapping: string;
  /** What Segue fetches before it maps a message; absent if the source fetches nothing. */
  readonly fetch?: SourceFetchReport | undefined;
  /** What the messages may do: some of `create`, `update` and `delete`. If absent, all of them. */
  readonly scopes?: readonly string[] | undefined;
  /** How the sender signs its messages: the name of the scheme, and its settings. */
  readonly scheme: { readonly name: string } & Readonly<Record<string, string | undefined>>;
  /** The place of a message's id: `header:<name>`, or a path such as `body.event.id`. If absent, the scheme decides. */
  readonly messageId?: string | undefined;
  /** For how many minutes a message with an equal body is the same message. If absent, the scheme decides. */
  readonly dedupeMinutes?: number | undefined;
  /** What makes two messages the same one, if `messageId` is absent or a message has nothing at this place. */
  readonly identity?: MessageIdentityReport | undefined;
  /** How many secrets are live. */
  readonly liveSecrets: number;
  readonly createdAtUtc: string;
  /** When the secrets last changed. */
  readonly rotatedAtUtc?: string | undefined;
}

/** What makes two messages of a source the same one. */
export interface MessageIdentityReport {
  /** The id that the sender signs, the body, the body with the signed time, or an equal body within some minutes. */
  readonly by: 'id' | 'body' | 'body-and-time' | 'body-for-minutes';
  /** For how many minutes, if it is an equal body within some minutes. */
  readonly minutes?: number | undefined;
}

/** What a source fetches from its content system before it maps a message. */
export interface SourceFetchReport {
  /** The JSONata expression that gives the URL. */
  readonly url: string;
  /** The hosts to which requests may be sent. */
  readonly hosts: readonly string[];
  /** The header that has the secret. */
  readonly header?: string | undefined;
  readonly hasSecret: boolean;
}

/** The state of a delivery: it waits, it succeeded, it failed for good, or its message was erased. */
export type DeliveryKind = 'open' | 'done' | 'dead' | 'dropped';

/** A delivery: a received message of a webhook source, without the content of the message. */
export interface DeliveryReport {
  readonly source: string;
  readonly id: string;
  readonly state: DeliveryKind;
  readonly companyId: string;
  readonly receivedAtUtc: string;
  /** How many attempts were made since the message was received, or since the delivery was redriven. */
  readonly attempts: number;
  /** When the next attempt is due, if the delivery is open. */
  readonly nextAttemptAtUtc?: string | undefined;
  /** When the delivery ended, if it is not open. */
  readonly endedAtUtc?: string | undefined;
  /** The request that brought the message. Only `getDelivery` has it, until the message is erased. */
  readonly request?: MessageReport | undefined;
  /** The size of the entry that was fetched for the message, in bytes, if it is stored. */
  readonly fetchedBytes?: number | undefined;
  /** The result of the command, or of each command; it has only ids and numbers. */
  readonly result?: unknown;
  /** The type of the last problem. */
  readonly problem?: ProblemType | undefined;
  readonly detail?: string | undefined;
  readonly errors?: readonly DeliveryFault[] | undefined;
  readonly commands?: readonly CommandReport[] | undefined;
  /**
   * Of a dead letter: when projects with a custom id of its message were last deleted and created, after the message was
   * received. Redriving it may bring a deleted project back, or put an older text in place of a newer one.
   */
  readonly changedSince?:
    | { readonly deletedAtUtc?: string | undefined; readonly createdAtUtc?: string | undefined }
    | undefined;
}

/** The request with a message, without its content and the values of its headers. */
export interface MessageReport {
  /** The names of the headers that are stored: all but signatures, credentials and those of proxies. */
  readonly headers: readonly string[];
  /** The size of the body, in bytes. */
  readonly bytes: number;
}

/** A fault in a command of a message, or in the message. */
export interface DeliveryFault {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  readonly allowed?: readonly unknown[] | undefined;
}

/** The state of one command of a message. */
export interface CommandReport {
  /** The position of the command in the mapping's result, from 1. */
  readonly command: number;
  readonly state: 'waiting' | 'open' | 'done' | 'refused';
  readonly result?: unknown;
  /** Of a refused command, and of one that waits since the delivery was redriven: why it was refused. */
  readonly problem?: ProblemType | undefined;
  readonly detail?: string | undefined;
  readonly errors?: readonly DeliveryFault[] | undefined;
}

/** The answer of `listDeliveries`. */
export interface DeliveryList {
  /** The open deliveries, then the dead letters; of each, the latest first. */
  readonly deliveries: readonly DeliveryReport[];
  /** Whether the source has more open deliveries or dead letters than the list. */
  readonly more: boolean;
}

/** The answer of `redriveDelivery`. */
export interface RedriveReport {
  /** `false` if the delivery is no dead letter, or its message was erased. Nothing has changed then. */
  readonly redriven: boolean;
  /** The delivery after the request. */
  readonly delivery: DeliveryReport;
}

/** A destination of translations, without its secret. */
export interface DestinationReport {
  readonly name: string;
  readonly companyId: string;
  /** The types of the events after which results are sent. */
  readonly on: readonly string[];
  /** The hosts to which requests may go, as `host` or `host:port`. */
  readonly hosts: readonly string[];
  /** The JSONata expression that makes requests from the translations. */
  readonly mapping: string;
  /** The JSONata expression for the URL of the page that is read before the mapping; absent if none is. */
  readonly fetch?: string | undefined;
  /** The header with the secret; absent if there is no secret. */
  readonly secretHeader?: string | undefined;
  readonly createdAtUtc: string;
  /** When the secret last changed. */
  readonly rotatedAtUtc?: string | undefined;
}

/** Why an attempt at a delivery to a destination failed. */
export interface ResultFailureReport {
  /** A code, such as `status`, `no-answer`, `mapping-failed` or `host-refused`; `docs/destinations.md` lists them. */
  readonly reason: string;
  /** The HTTP status, if the receiver answered. */
  readonly status?: number | undefined;
  /** The code of the network error, if there was no answer. */
  readonly code?: string | undefined;
  /** The number of the request that failed, from 1. */
  readonly request?: number | undefined;
  readonly detail?: string | undefined;
}

/** The last request of a delivery, without its URL, its content and the values of its headers. */
export interface LastRequestReport {
  /** Its number among the requests of the delivery, from 1. */
  readonly request: number;
  readonly requests: number;
  readonly method: string;
  /** The size of the body, in bytes. */
  readonly bytes: number;
  /** The names of the headers. */
  readonly headers: readonly string[];
  /** The status and the size of the answer, if there was one. At most 64 KiB of an answer are read. */
  readonly status?: number | undefined;
  readonly answerBytes?: number | undefined;
  readonly atUtc: string;
}

/** A delivery of the results of an event to a destination, without content. */
export interface ResultReport {
  /** The name of the destination. */
  readonly destination: string;
  readonly id: string;
  readonly state: 'open' | 'done' | 'dead';
  readonly companyId: string;
  readonly eventId: string;
  /** The type of the event. */
  readonly type: string;
  readonly projectId: number;
  /** The code of the target language; absent for an event that is about no language. */
  readonly languageCode?: string | undefined;
  readonly recordedAtUtc: string;
  /** How many attempts were made since the delivery was opened or redriven. */
  readonly attempts: number;
  /** When the next attempt is due, if the delivery is open. */
  readonly nextAttemptAtUtc?: string | undefined;
  /** When the delivery ended, if it is not open. */
  readonly endedAtUtc?: string | undefined;
  /**
   * How a delivery ended that is done: `sent`, `no-requests` (the mapping made none), `superseded` (a newer event took its place),
   * `project-deleted`, `language-removed` or `destination-removed`.
   */
  readonly end?: string | undefined;
  /** The failure of the last attempt. */
  readonly failure?: ResultFailureReport | undefined;
  readonly lastRequest?: LastRequestReport | undefined;
}

/** The answer of `listResults`. */
export interface ResultList {
  /** The open deliveries, then the dead letters; of each, the latest first. */
  readonly deliveries: readonly ResultReport[];
  /** Whether the destination has more open deliveries or dead letters than the list. */
  readonly more: boolean;
}

/** The answer of `redriveResult`. */
export interface ResultRedrive {
  /** `false` if the delivery is no dead letter. Nothing has changed then. */
  readonly redriven: boolean;
  /** The delivery after the request. */
  readonly delivery: ResultReport;
}

/** The most characters of a body that a test shows. */
export const MAX_SHOWN_BODY = 16_384;

/** Why a test has no requests to show. */
export type TestRefusal =
  | 'project-deleted'
  | 'language-unknown'
  | 'language-removed'
  | 'page-unavailable'
  | 'too-large'
  | 'content-lost'
  | 'busy'
  | 'changing'
  | 'no-secret';

/** The requests that a destination would send for a project now. They have content, and not the secret. */
export interface TestReport {
  /** What `sendTest` needs to send exactly these requests; absent if there are none. */
  readonly test?: string | undefined;
  readonly requests: readonly TestRequestReport[];
  /** What is wrong with the mapping or its requests. */
  readonly faults: readonly TestFaultReport[];
  readonly refusal?: TestRefusal | undefined;
}

/** A request of a test. */
export interface TestRequestReport {
  readonly method: string;
  readonly url: string;
  /** The headers, with lower-case names, without the one that has the secret. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** The size of the body, in bytes. */
  readonly bytes: number;
  /** The body, or its first `MAX_SHOWN_BODY` characters. */
  readonly body?: string | undefined;
}

/** A fault of the mapping, or of one of its requests. */
export interface TestFaultReport {
  /** The number of the request, from 1; absent if the mapping itself fails. */
  readonly request?: number | undefined;
  readonly detail: string;
}

/** The answer of `sendTest`. */
export interface TestSent {
  /** `false` if the requests would differ now from those that were shown, or cannot be made. Nothing was sent then. */
  readonly sent: boolean;
  /** The end of each request that was sent: of all, unless one failed or the time was over. */
  readonly ends: readonly TestEndReport[];
  /** The test as it would be now. */
  readonly test: TestReport;
}

/** The end of a request: a status, or the reason why there is none. */
export interface TestEndReport {
  readonly status?: number | undefined;
  /** The size of the answer, in bytes. At most 64 KiB of an answer are read. */
  readonly answerBytes?: number | undefined;
  readonly reason?: 'no-answer' | 'address-refused' | undefined;
  /** The code of the network error, if there was no answer. */
  readonly code?: string | undefined;
}
