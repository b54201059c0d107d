import { BASE_URL_RULE, readBaseUrl } from '../contract/base-url.ts';
import { cursorAfter } from '../contract/parameters.ts';
import { PROJECTS_PATH, projectPath } from '../contract/paths.ts';
import type { ProblemType } from '../contract/problems.ts';
import type { TransportRequest, TransportResponse } from '../service/http-client/exchange.ts';
import { isAuthRejected } from '../service/http-client/sign-in.ts';
import type { ProjectRef } from '../service/port.ts';

/** An operation of the upstream API, and the meaning of its responses. */
export interface UpstreamOperation {
  readonly method: TransportRequest['method'];
  readonly success: readonly number[];
  /** The problems that Segue passes on to its caller. For all other failures, see `failedResponse`. */
  readonly passesOn: readonly PassedOn[];
  /** Whether an account may lack the right to this operation alone. A 403 then says nothing about its credentials. */
  readonly needsRight?: true;
}

export type PassedOn = Extract<
  ProblemType,
  'project-not-found' | 'task-not-found' | 'custom-id-in-use' | 'invalid-project' | 'team-without-translator'
>;

export const CREATE: UpstreamOperation = {
  method: 'POST',
  success: [200, 201],
  passesOn: ['custom-id-in-use', 'invalid-project', 'team-without-translator'],
};
export const READ: UpstreamOperation = { method: 'GET', success: [200], passesOn: ['project-not-found'] };
/** A read of a project's segments or progress. */
export const READ_RESULTS: UpstreamOperation = {
  method: 'GET',
  success: [200],
  passesOn: ['project-not-found', 'task-not-found'],
};
export const LIST: UpstreamOperation = { method: 'GET', success: [200], passesOn: [] };
export const DELETE: UpstreamOperation = {
  method: 'DELETE',
  success: [200, 202, 204],
  passesOn: ['project-not-found', 'task-not-found'],
};

/** Whether a response means that the service rejects the credentials of Segue. */
export function rejectsCredentials(
  { status }: Pick<TransportResponse, 'status'>,
  { needsRight }: UpstreamOperation,
): boolean {
  return isAuthRejected({ status }) && !(status === 403 && needsRight);
}

/** Whether an operation changes something. If it does, a lost response leaves its outcome unknown. */
export function changesSomething({ method }: UpstreamOperation): boolean {
  return method !== 'GET';
}

/** A request to the upstream service, without headers and credentials. */
export interface UpstreamRequest {
  readonly operation: UpstreamOperation;
  readonly path: string;
  /** The value to send as JSON: the checked value, never the received bytes. */
  readonly sent?: object;
  /**
   * Whether a 404 must prove that the project does not exist. The request then uses a new connection, on which no
   * response to an earlier request can arrive.
   */
  readonly isProof?: boolean;
  /** The size limit of the response's body in bytes; by default that of the transport. */
  readonly maxBodyBytes?: number;
}

/** Returns the path of a project, or of one of its tasks. */
export function taskPath(ref: ProjectRef, taskId: string | undefined): string {
  return withQuery(projectPath(ref), { taskId });
}

type Query = Readonly<Record<string, string | undefined>>;

/** Returns the path of a project's segments or progress. */
export function resultsPath(id: number, kind: 'segments' | 'progress', query: Query): string {
  return withQuery(`${projectPath({ id })}/${kind}`, query);
}

/** Returns the path of a page in the list of projects. @param after the project id after which the page starts */
export function pagePath(limit: number, after: number | undefined): string {
  return withQuery(PROJECTS_PATH, { limit: `${limit}`, cursor: after === undefined ? undefined : cursorAfter(after) });
}

export function withQuery(path: string, query: Query): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return parameters.length > 0 ? `${path}?${parameters.join('&')}` : path;
}

/**
 * Reads the base URL of the upstream service.
 * @throws {TypeError} if the URL is invalid; the message leaves out the URL, which may contain a password
 */
export function serviceUrl(text: string): URL {
  const url = readBaseUrl(text, { protocols: ['http', 'https'] });
  if (!url) {
    throw new TypeError(`The base URL of the upstream service must be ${BASE_URL_RULE}`);
  }
  return url;
}
