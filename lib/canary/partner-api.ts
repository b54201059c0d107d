import { setTimeout } from 'node:timers/promises';
import * as z from 'zod/mini';
import { type BasicCredentials, basicHeader } from '../contract/credentials.ts';
import { utc } from '../contract/date.ts';
import { PROJECTS_PATH, projectPath } from '../contract/paths.ts';
import { isProblemType, OUTCOMES } from '../contract/problems.ts';
import { ROUTES } from '../contract/wire-routes.ts';
import { deadlineAt } from '../service/deadline.ts';
import { NoAnswer, type TransportRequest, type TransportResponse } from '../service/http-client/exchange.ts';
import { parseJson } from '../service/http-client/response-body.ts';
import { httpTransport } from '../service/http-client/transport.ts';
import { retry, retryAfterSeconds } from '../service/retry.ts';
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

const ProjectHead = z.object({ id: z.int(), customId: z.optional(z.string()) });
const Project = z.extend(ProjectHead, { segments: z.optional(z.unknown()) });
const Receipt = z.object({ outcome: z.enum(['deleted', 'archived', 'pending']) });
const ProblemBody = z.object({
  type: z.string(),
  retryable: z.boolean(),
  outcome: z.enum(OUTCOMES),
  instance: z.catch(z.optional(z.string()), undefined),
});

type Schema<T> = z.ZodMiniType<T>;

/** A request. With a key, Segue runs it once, so it may be repeated after an unknown outcome too. */
interface PartnerRequest extends Pick<TransportRequest, 'method' | 'path'> {
  readonly body?: object;
  readonly key?: string;
  readonly isPublic?: true;
}

/** The number of attempts at a request, and the pauses between them in milliseconds. */
const BACKOFF = { maxAttempts: 10, firstMs: 400, longestMs: 5_000 };

/** Opens the API for a partner with an API key, who repeats a request while its failure may pass. It sends nothing yet. */
export function partnerApi({ baseUrl, now, timeoutMs, sleep = setTimeout, ...account }: PartnerOptions) {
  const transport = httpTransport(new URL(baseUrl), now);
  const starting = (project: CanaryProject) => ({ ...project, startDateUtc: utc(now()) });

  /** Sends a request until it succeeds. @returns what it got, and whether that is the answer to an earlier request */
  async function send<T>(request: PartnerRequest, schema: Schema<T>): Promise<{ value: T; isReplay: boolean }> {
    const deadline = deadlineAt(now() + timeoutMs, now);
    const { pause } = retry({ ...BACKOFF, deadline, sleep });
    for (;;) {
      const response = await transport({ ...withHeaders(request, account), deadline }).catch((error: unknown) => {
        if (error instanceof NoAnswer) return error;
        throw error;
      });
      const isAnswer = !(response instanceof NoAnswer);
      const read = isAnswer && response.status < 300 ? schema.safeParse(parseJson(response.body)) : undefined;
      if (isAnswer && read?.success) {
        return { value: read.data, isReplay: response.headers['idempotent-replayed'] === 'true' };
      }
      const { failure, mayPass } = isAnswer ? failureOf(response, request.key !== undefined) : noAnswer();
      const seconds = isAnswer ? retryAfterSeconds(response.headers['retry-after'], now()) : undefined;
      if (!mayPass || !(await pause(seconds))) throw failure;
    }
  }

  const answerTo = async <T>(request: PartnerRequest, schema: Schema<T>) => (await send(request, schema)).value;
  const get = <T>(path: string, schema: Schema<T>) => answerTo({ method: 'GET', path }, schema);

  return {
    health: () => answerTo({ ...ROUTES.health, isPublic: true }, z.object({ status: z.literal('ok') })),
    obtainToken: () =>
      answerTo(
        { ...ROUTES.obtainToken, isPublic: true, body: { username: account.companyId, password: account.apiKey } },
        z.object({ AccessToken: z.string(), RefreshToken: z.string(), expiresIn: z.int() }),
      ),
    listLanguages: () => get(ROUTES.listLanguages.path, z.array(z.object({ id: z.int() }))),
    /** Lists one page of the company's projects, newest first. */
    listProjects: ({ limit, customIdPrefix = '' }: { readonly limit: number; readonly customIdPrefix?: string }) =>
      get(
        `${PROJECTS_PATH}?limit=${limit}${customIdPrefix && `&customIdPrefix=${customIdPrefix}`}`,
        z.array(ProjectHead),
      ),
    getProject: (id: number) => get(projectPath({ id }), Project),
    getProjectByCustomId: (customId: string) => get(projectPath({ customId }), Project),
    validateProject: (project: CanaryProject) =>
      answerTo(
        { method: 'POST', path: `${PROJECTS_PATH}?validateOnly=true`, body: starting(project) },
        z.object({ valid: z.literal(true) }),
      ),
    /** Creates a project once under a key, also if it is called again. */
    createProject: (project: CanaryProject, key: string) =>
      send({ method: 'POST', path: PROJECTS_PATH, body: starting(project), key }, Project),
    deleteProject: (id: number, key: string) => answerTo({ method: 'DELETE', path: projectPath({ id }), key }, Receipt),
  };
}

function withHeaders(
  { method, path, body, key, isPublic }: PartnerRequest,
  account: BasicCredentials,
): Omit<TransportRequest, 'deadline'> {
  return {
    method,
    path,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      ...(!isPublic && { authorization: basicHeader(account) }),
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(method === 'DELETE' && { prefer: 'return=representation' }),
    },
    body: body && JSON.stringify(body),
  };
}

/** A failure, and whether a repetition of the request may succeed. */
interface Failed {
  readonly failure: RequestFailed;
  readonly mayPass: boolean;
}

const noAnswer = (): Failed => ({ failure: new RequestFailed('no-answer'), mayPass: true });

function failureOf({ status, body }: TransportResponse, hasKey: boolean): Failed {
  const { success, data } = ProblemBody.safeParse(parseJson(body));
  if (success) {
    const { retryable, outcome, instance } = data;
    const type = data.type.slice(data.type.lastIndexOf('/') + 1);
    // The type is logged, so it is never a text that somebody else may have sent.
    const failure = new RequestFailed(isProblemType(type) ? type : 'unknown-problem', instance);
    return { failure, mayPass: retryable || (hasKey && outcome === 'unknown') };
  }
  // A proxy may have answered, or Segue goes on with a request that takes long: then it has no result yet.
  const isUnfinished = status >= 500 || status === 408 || status === 429 || body === 'lost';
  return { failure: new RequestFailed('unreadable-answer'), mayPass: isUnfinished || (hasKey && status < 300) };
}
