import * as z from 'zod/mini';
import { type Place, placeOf, type ServiceName } from './aws-endpoint.ts';
import { httpPost, type Post } from './post.ts';
import { signed } from './signature.ts';

/** A service of AWS that takes JSON by POST. */
export interface JsonService extends ServiceName {
  /** The version of its protocol. */
  readonly protocol: '1.0' | '1.1';
  /** What stands before an operation's name, with a dot between them. */
  readonly target: string;
  /** For how long an answer may take, in milliseconds. */
  readonly answerMs: number;
}

export interface JsonClientOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Finds out where it is, and who calls; as the environment says unless given. */
  readonly placeOf?: ((service: ServiceName) => Promise<Place>) | undefined;
  /** Carries a request there and its answer back; over connections that are kept unless given. */
  readonly post?: Post | undefined;
}

/**
 * Makes a call, once, and gives its answer, unchecked.
 * @throws {AwsRefusal} where the service answered that it failed; {NeverSent}; else whatever kept its answer away
 */
export type JsonClient = (operation: string, request: object) => Promise<unknown>;

/**
 * A client that speaks a service's JSON itself, one a process, for functions that somebody waits for: the SDK's takes
 * more of a cold start than all the rest of such a function (see docs/benchmarks.md). Nothing is repeated: what became
 * of each attempt is for the caller to weigh.
 */
export function jsonClient(service: JsonService, options: JsonClientOptions): JsonClient {
  const opened = open(service, options);
  // it is told to whoever calls
  opened.catch(() => {});
  const ready = async () => {
    try {
      const { credentials, ...rest } = await opened;
      return { ...rest, credentials: await credentials() };
    } catch (cause) {
      throw new NeverSent(cause);
    }
  };
  return async (operation, request) => {
    const body = JSON.stringify(request);
    const { region, endpoint, send, credentials } = await ready();
    const headers = {
      'content-type': `application/x-amz-json-${service.protocol}`,
      'x-amz-target': `${service.target}.${operation}`,
    };
    const unsigned = { service: service.host, region, host: endpoint.host, headers, body };
    const answer = await send({ headers: signed(unsigned, credentials, options.now()), body });
    const value: unknown = JSON.parse(answer.body);
    if (answer.status !== 200) throw new AwsRefusal(answer.status, value);
    return value;
  };
}

async function open(service: JsonService, { placeOf: find = placeOf, post, now }: JsonClientOptions) {
  const place = await find(service);
  return { ...place, send: post ?? httpPost(place.endpoint, service.answerMs, now) };
}

/** A call for which there was no region, or there were no credentials. */
export class NeverSent extends Error {
  override readonly name = 'NeverSent';

  constructor(cause: unknown) {
    super('A call of AWS was not made', { cause });
  }
}

/** How a service says that it did not do something. Its message is left out: it may quote what was sent. */
const Refused = z.object({
  /** The name of the error, with or without a namespace and `#` before it. */
  __type: z.string(),
  /** Of DynamoDB. */
  CancellationReasons: z.optional(z.array(z.object({ Code: z.optional(z.string()) }))),
});

/** A service of AWS said that it did not do what it was asked, or that it failed. */
export class AwsRefusal extends Error {
  override readonly name = 'AwsRefusal';
  /** The service's name of the error. */
  readonly code: string;
  /** Whether it did not take the request: then nothing was done. */
  readonly isOfRequest: boolean;
  /** Of a transaction that was cancelled: a code for each part of it. */
  readonly reasons: readonly string[];

  /**
   * @param status of the HTTP answer
   * @throws where the body is no refusal of AWS
   */
  constructor(status: number, body: unknown) {
    const { __type, CancellationReasons = [] } = Refused.parse(body);
    const code = __type.slice(__type.indexOf('#') + 1);
    super(`AWS answered ${code}`);
    this.code = code;
    this.isOfRequest = status < 500;
    this.reasons = CancellationReasons.map(({ Code = '' }) => Code);
  }
}
