import type { Route } from '../contract/routes.ts';
import { type Deadline, deadlineAt } from '../service/deadline.ts';
import { type Answer, type Exchange, NoAnswer } from '../upstream/transport.ts';
import type { Connection } from './connection.ts';
import { failureOf, silenceOf } from './failures.ts';
import { type End, type InsistOptions, insist } from './insist.ts';

/** An operation with what it is asked. */
export interface Wanted<T> {
  readonly route: Pick<Route, 'method' | 'path' | 'scope'>;
  /** What stands in the path for its `{name}`. */
  readonly place?: string | number;
  readonly query?: Readonly<Record<string, string | number | true | undefined>>;
  /** The type that is wanted; JSON unless said. */
  readonly accept?: string;
  readonly prefer?: string;
  readonly body?: object;
  /** With it a request is carried out once, however often it is sent. */
  readonly key?: string;
  /** Reads a success; `undefined` where it cannot be read. */
  readonly read: (answer: Answer) => T | undefined;
}

export interface RequestsOptions extends InsistOptions {
  readonly connection: Connection;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The most that one attempt may take, in milliseconds: a little more than API Gateway lets any. */
const ATTEMPT_MS = 30_000;

/**
 * Asks Segue, as often as it takes.
 * @throws {SegueError}
 */
export function request<T extends object>(wanted: Wanted<T>, deadline: Deadline, options: RequestsOptions): Promise<T> {
  const { route, key, read } = wanted;
  const { connection, now } = options;
  const changes = key !== undefined;

  async function attempt(): Promise<End<T>> {
    const limit = deadlineAt(now() + Math.min(deadline.remainingMs(), ATTEMPT_MS), now);
    const answer = await connection(exchangeOf(wanted, limit), route.scope !== null);
    if (answer instanceof NoAnswer) return { failure: silenceOf(answer, changes) };
    const value = answer.status >= 200 && answer.status < 300 ? read(answer) : undefined;
    return value ? { value } : { failure: failureOf(answer, changes, now()) };
  }

  return insist(attempt, deadline, changes, options);
}

function exchangeOf(wanted: Wanted<unknown>, deadline: Deadline): Exchange {
  const { route, place = '', query = {}, accept = 'application/json', prefer, body, key } = wanted;
  const path = route.path.replace(/\{\w+\}/, () => encodeURIComponent(place));
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return {
    method: route.method,
    path: parameters.length === 0 ? path : `${path}?${parameters.join('&')}`,
    headers: {
      accept,
      'accept-encoding': 'gzip',
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(prefer !== undefined && { prefer }),
    },
    body: body && JSON.stringify(body),
    deadline,
  };
}
