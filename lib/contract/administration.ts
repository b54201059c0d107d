import type { ProblemType } from './problems.ts';
import type { Route } from './routes.ts';

/** An operation of the administration API. `npm start` serves it to its own machine, and no stack has it. */
export type AdministrationRoute = Omit<Route, 'function'> & { readonly function: 'administration' };

const manage = { function: 'administration', scope: 'manage', query: [], body: 'none' } as const;
const get = { ...manage, method: 'GET' } as const;

/** Every operation of the administration API. */
export const ADMINISTRATION_ROUTES = [
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

export type AdministrationId = (typeof ADMINISTRATION_ROUTES)[number]['id'];

/** Returns the route of an operation of the administration API. */
export function administrationRouteOf(id: AdministrationId): AdministrationRoute {
  const route = ADMINISTRATION_ROUTES.find((each) => each.id === id);
  if (!route) throw new RangeError(`There is no operation ${id}`);
  return route;
}

/** The most deliveries in an answer of `listDeliveries`. */
export const MAX_LISTED_DELIVERIES = 200;

/** A webhook source, without its secrets. */
export interface SourceReport {
  readonly name: string;
  readonly companyId: string;
  /** The JSONata expression that makes commands from the messages. */
  readonly mapping: string;
  /** What Segue fetches before it maps a message; absent if the source fetches nothing. */
  readonly fetch?: SourceFetchReport | undefined;
  /** What the messages may do: `create`, `delete` or both. If absent, both. */
  readonly scopes?: readonly string[] | undefined;
  /** How the sender signs its messages: the name of the scheme, and its settings. */
  readonly scheme: { readonly name: string } & Readonly<Record<string, string | undefined>>;
  /** The place of a message's id: `header:<name>`, or a path such as `body.event.id`. If absent, the scheme decides. */
  readonly messageId?: string | undefined;
  /** For how many minutes a message with an equal body is the same message. If absent, the scheme decides. */
  readonly dedupeMinutes?: number | undefined;
  /** How many secrets are live. */
  readonly liveSecrets: number;
  readonly createdAtUtc: string;
  /** When the secrets last changed. */
  readonly rotatedAtUtc?: string | undefined;
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
