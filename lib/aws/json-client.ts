import * as z from 'zod/mini';
import { object } from '../contract/lazy-object.ts';
import { NO_CONNECTION, NoAnswer, OUT_OF_TIME } from '../service/http-client/exchange.ts';
import { httpTransport } from '../service/http-client/transport.ts';
import { type AwsEndpoint, type AwsServiceName, endpointOf } from './aws-endpoint.ts';
import { signedHeaders } from './request-signature.ts';

/** An AWS service that speaks the AWS JSON protocol. */
export interface JsonService extends AwsServiceName {
  /** The version of the JSON protocol. */
  readonly protocol: '1.0' | '1.1';
  /** The prefix of operation names in the header `X-Amz-Target`, without the dot. */
  readonly target: string;
  /** The time limit for a response, in milliseconds. */
  readonly answerMs: number;
}

export interface JsonClientOptions {
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Finds the endpoint and the credentials. Default: `endpointOf`, which reads them from the environment. */
  readonly endpointOf?: ((service: AwsServiceName) => Promise<AwsEndpoint>) | undefined;
  /** Sends a signed request. Default: over HTTP connections that are kept open. */
  readonly post?: Post | undefined;
}

/**
 * Sends a signed request and returns the response, whatever its status.
 * @throws an error if no response came; its `code` is `ETIMEDOUT` or the code of the failed connection
 */
export type Post = (request: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}) => Promise<{ readonly status: number; readonly body: string }>;

/**
 * Calls an operation once, without retries. Returns the JSON of the response, and does not check its shape.
 * @throws {AwsRefusal} if the service answers with an error
 * @throws {NeverSent} if the request was not sent
 * @throws any other error if no usable response came
 */
export type JsonClient = (operation: string, request: object) => Promise<unknown>;

/**
 * Creates a client that speaks the JSON protocol of an AWS service. Create one client per process and share it. Loading
 * the client of the SDK would take longer than the rest of a cold start (see docs/benchmarks.md). This client does not
 * retry, because only its caller knows which operations are safe to repeat.
 */
export function jsonClient(service: JsonService, options: JsonClientOptions): JsonClient {
  const opened = open(service, options);
  // If opening fails, each call throws the failure.
  opened.catch(() => {});
  return async (operation, request) => {
    const body = JSON.stringify(request);
    const { headers, send } = await prepare(operation, body);
    const answer = await send({ headers, body });
    const value: unknown = JSON.parse(answer.body);
    if (answer.status !== 200) throw new AwsRefusal(answer.status, value);
    return value;
  };

  async function prepare(operation: string, body: string) {
    try {
      const { region, credentials, url, send } = await opened;
      const headers = {
        host: url.host,
        'content-type': `application/x-amz-json-${service.protocol}`,
        'x-amz-target': `${service.target}.${operation}`,
      };
      const scope = { region, service: service.host };
      return { headers: signedHeaders({ headers, body }, scope, await credentials(), options.now()), send };
    } catch (cause) {
      throw new NeverSent(cause);
    }
  }
}

async function open(service: JsonService, { endpointOf: find = endpointOf, post, now }: JsonClientOptions) {
  const { region, url, credentials } = await find(service);
  return { region, credentials, url, send: post ?? httpPost(url, service.answerMs, now) };
}

/** The error for a request that was not sent, because the region or the credentials are missing. */
export class NeverSent extends Error {
  override readonly name = 'NeverSent';

  constructor(cause: unknown) {
    super('The AWS call was not sent', { cause });
  }
}

/** The action that an error message says is denied, such as `dynamodb:Query`. */
const DENIED_ACTION = /is not authorized to perform: ([a-z\d-]+:[A-Za-z]+)/;

/** The body of an error response. Only an action is read from the message, because it may quote the request. */
const Refused = object(() => ({
  message: z.optional(z.unknown()),
  Message: z.optional(z.unknown()),
  /** The name of the error. A namespace and `#` may come before it. */
  __type: z.string(),
  /** Why each part of a cancelled DynamoDB transaction failed. */
  CancellationReasons: z.optional(z.array(z.object({ Code: z.optional(z.string()) }))),
}));

/**
 * Reads the denied action from the message of an AWS error.
 * @returns `undefined` if the message names none
 */
export function deniedAction(message: string): string | undefined {
  return DENIED_ACTION.exec(message)?.[1];
}

/** The error for an error response of an AWS service. */
export class AwsRefusal extends Error {
  override readonly name = 'AwsRefusal';
  /** The name of the error, such as `ThrottlingException`. */
  readonly code: string;
  /** The action that the credentials do not allow, such as `dynamodb:Query`, if the service names it. */
  readonly action: string | undefined;
  /**
   * Whether the service rejected the request (status 4xx) and did nothing. `false` if the service itself failed (5xx).
   */
  readonly isOfRequest: boolean;
  /** The error code of each part of a cancelled DynamoDB transaction; empty for any other error. */
  readonly reasons: readonly string[];

  /**
   * Reads the error from a response.
   * @param status the HTTP status of the response
   * @throws if the body does not have the form of an AWS error
   */
  constructor(status: number, body: unknown) {
    const { __type, CancellationReasons = [], message, Message = message } = Refused.parse(body);
    const code = __type.slice(__type.indexOf('#') + 1);
    super(`AWS answered with the error ${code}`);
    this.code = code;
    this.action = deniedAction(String(Message));
    this.isOfRequest = status < 500;
    this.reasons = CancellationReasons.map(({ Code = '' }) => Code);
  }
}

/** The time limit for opening a connection, in milliseconds. */
const CONNECT_MS = 1_000;
/** How long an idle connection is kept open, in milliseconds. AWS keeps it open for longer. */
const IDLE_MS = 20_000;

const TIMEOUTS = [OUT_OF_TIME, NO_CONNECTION];

/** Creates a `Post` that keeps its connections open. @param answerMs the time limit for a response, in milliseconds */
function httpPost(endpoint: URL, answerMs: number, now: () => number): Post {
  const transport = httpTransport(endpoint, now, { connectMs: CONNECT_MS, idleMs: IDLE_MS });
  const limits = { deadline: { remainingMs: () => answerMs }, needsNewConnection: false };
  return async (sent) => {
    const answer = await transport({ method: 'POST', path: '/', ...sent, ...limits }).catch((error: unknown) => {
      throw error instanceof NoAnswer
        ? new NoAwsAnswer(TIMEOUTS.includes(error.code) ? 'ETIMEDOUT' : error.code)
        : error;
    });
    if (typeof answer.body === 'string') throw new NoAwsAnswer('CLOSED');
    return { status: answer.status, body: Buffer.from(answer.body).toString() };
  };
}

/**
 * The error for a missing or incomplete response of AWS. It is not a `NoAnswer`, because `NoAnswer` is about the
 * upstream service.
 */
export class NoAwsAnswer extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`AWS did not answer: ${code}`);
    this.code = code;
  }
}
