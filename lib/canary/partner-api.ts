import { setTimeout } from 'node:timers/promises';
import { type BasicCredentials, basicHeader } from '../contract/basic-credentials.ts';
import { utc } from '../contract/date.ts';
import { ROUTES } from '../contract/wire-routes.ts';
import { deadlineAt } from '../service/deadline.ts';
import { NoAnswer } from '../service/http-client/exchange.ts';
import {
  type ApiRequest,
  type Connection,
  type RequestDeps,
  readAs,
  sendRequest,
} from '../service/http-client/send-request.ts';
import {
  anything,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  type Shape,
  string,
} from '../service/http-client/shapes.ts';
import { httpTransport } from '../service/http-client/transport.ts';
import type { CanaryProject } from './canary-project.ts';

/** The error of a request that failed. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed';
  /** The type of the problem, `unknown-problem`, `no-answer` or `unreadable-answer`. */
  readonly type: string;
  /** The id of the request, if Segue answered. */
  readonly requestId: string | undefined;

  constructor(type: string, requestId?: string) {
    super(type);
    this.type = type;
    this.requestId = requestId;
  }
}

/** The options of `partnerApi`. */
export interface PartnerOptions extends BasicCredentials {
  /** The base URL of the API, as partners use it. */
  readonly baseUrl: string;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** How long one request may take with its repetitions, in milliseconds. */
  readonly timeoutMs: number;
  /** Waits before a request is repeated. Default: real time. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
}

/** The operations of the API that the canary uses. Each may throw a `RequestFailed`. */
export type PartnerApi = ReturnType<typeof partnerApi>;

const head = object<{ readonly id: number; readonly customId?: string | undefined }>({
  id: integer,
  customId: optional(string),
});
const project = object<{ readonly id: number; readonly segments?: unknown }>({ id: integer, segments: anything });
const receipt = object<{ readonly outcome: string }>({ outcome: oneOf('deleted', 'archived', 'pending') });

/** Opens the API for a partner with an API key, who repeats a request while its failure may pass. It sends nothing yet. */
export function partnerApi({ baseUrl, now, timeoutMs, sleep = setTimeout, ...account }: PartnerOptions) {
  const transport = httpTransport(new URL(baseUrl), now);
  const starting = (body: CanaryProject) => ({ ...body, startDateUtc: utc(now()) });

  const connection: Connection = ({ headers, ...request }, isAuthorized) =>
    transport({
      ...request,
      headers: isAuthorized ? { ...headers, authorization: basicHeader(account) } : headers,
    }).catch((error: unknown) => {
      if (error instanceof NoAnswer) return error;
      throw error;
    });
  const errorOf: RequestDeps['errorOf'] = ({ type, instance }) => new RequestFailed(type, instance);

  /** Sends a request until it succeeds, and reads its answer. */
  function send<T extends object>(id: keyof typeof ROUTES, fields: Omit<ApiRequest<T>, 'route'>): Promise<T> {
    const request = { route: ROUTES[id], repeatsOpen: true, ...fields } as const;
    return sendRequest(request, deadlineAt(now() + timeoutMs, now), { connection, now, sleep, errorOf });
  }

  const ask = <T extends object>(
    id: keyof typeof ROUTES,
    shape: Shape<T>,
    fields: Pick<ApiRequest<T>, 'pathParameters' | 'query' | 'body' | 'prefer' | 'key'> = {},
  ) => send(id, { ...fields, read: readAs(shape) });

  return {
    health: () => ask('health', object<{ readonly status: 'ok' }>({ status: oneOf('ok') })),
    obtainToken: () =>
      ask(
        'obtainToken',
        object<{ readonly AccessToken: string; readonly RefreshToken: string; readonly expiresIn: number }>({
          AccessToken: string,
          RefreshToken: string,
          expiresIn: integer,
        }),
        { body: { username: account.companyId, password: account.apiKey } },
      ),
    listLanguages: () => ask('listLanguages', listOf(object<{ readonly id: number }>({ id: integer }))),
    /** Lists one page of the company's projects, newest first. */
    listProjects: (query: { readonly limit: number; readonly customIdPrefix?: string }) =>
      ask('listProjects', listOf(head), { query }),
    getProject: (id: number) => ask('getProject', project, { pathParameters: [id] }),
    getProjectByCustomId: (customId: string) => ask('getProjectByCustomId', project, { pathParameters: [customId] }),
    validateProject: (body: CanaryProject) =>
      ask('createProject', object<{ readonly valid: true }>({ valid: oneOf(true) }), {
        query: { validateOnly: true },
        body: starting(body),
      }),
    /**
     * Creates a project once under a key, also if it is called again.
     * @returns the project, and whether it is the answer to an earlier request
     */
    createProject: (body: CanaryProject, key: string) =>
      send('createProject', {
        body: starting(body),
        key,
        read(response) {
          const value = readAs(project)(response);
          return value && { value, isReplay: response.headers['idempotent-replayed'] === 'true' };
        },
      }),
    deleteProject: (id: number, key: string) =>
      ask('deleteProject', receipt, { pathParameters: [id], key, prefer: 'return=representation' }),
  };
}
