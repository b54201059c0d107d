import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod/mini';
import { httpTransport, NO_CONNECTION, NoAnswer, OUT_OF_TIME } from '../service/http-client/transport.ts';
import { type AwsEndpoint, type AwsServiceName, endpointOf } from './aws-endpoint.ts';

/** An AWS service with a JSON protocol. */
export interface JsonService extends AwsServiceName {
  /** The version of its protocol. */
  readonly protocol: '1.0' | '1.1';
  /** The prefix of the names of its operations, without the dot. */
  readonly target: string;
  /** How long an answer may take, in milliseconds. */
  readonly answerMs: number;
}

export interface JsonClientOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Finds the endpoint and the credentials. Default: in the environment. */
  readonly endpointOf?: ((service: AwsServiceName) => Promise<AwsEndpoint>) | undefined;
  /** Default: over kept connections. */
  readonly post?: Post | undefined;
}

/**
 * Sends a signed request and returns the answer, whatever its status.
 * @throws if no answer came: with the code of the connection's failure, or `ETIMEDOUT`
 */
export type Post = (request: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}) => Promise<{ readonly status: number; readonly body: string }>;

/**
 * Makes one call without a retry, and returns the answer unchecked.
 * @throws {AwsRefusal} if the service answers with an error
 * @throws {NeverSent} if nothing was sent; any other error means that no usable answer came
 */
export type JsonClient = (operation: string, request: object) => Promise<unknown>;

/**
 * Creates a client that speaks the JSON protocol of an AWS service. Create it once a process. The SDK's client would take
 * more of a cold start than the rest of a function (see docs/benchmarks.md). The client does not retry: only the caller
 * knows which calls may be repeated.
 */
export function jsonClient(service: JsonService, options: JsonClientOptions): JsonClient {
  const opened = open(service, options);
  // each call reports the failure
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
      const { signer, url, send } = await opened;
      const headers = {
        host: url.host,
        'content-type': `application/x-amz-json-${service.protocol}`,
        'x-amz-target': `${service.target}.${operation}`,
      };
      const { protocol, hostname } = url;
      const unsigned = { method: 'POST', protocol, hostname, path: '/', headers, body };
      const signed = await signer.sign(unsigned, { signingDate: new Date(options.now()) });
      return { headers: signed.headers, send };
    } catch (cause) {
      throw new NeverSent(cause);
    }
  }
}

async function open(service: JsonService, { endpointOf: find = endpointOf, post, now }: JsonClientOptions) {
  const { region, url, credentials } = await find(service);
  const signer = new SignatureV4({
    service: service.host,
    region,
    credentials,
    sha256: Sha256,
    applyChecksum: false,
  });
  return { signer, url, send: post ?? httpPost(url, service.answerMs, now) };
}

type HashInput = string | ArrayBuffer | ArrayBufferView;

/** Node's SHA-256, or its HMAC with a key, as the signer needs it. */
class Sha256 {
  readonly #hash;

  constructor(key?: HashInput) {
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(key));
  }

  update(data: HashInput): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

function bytesOf(data: HashInput): string | Uint8Array {
  if (typeof data === 'string') return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/** Nothing was sent, because the region or the credentials are missing. */
export class NeverSent extends Error {
  override readonly name = 'NeverSent';

  constructor(cause: unknown) {
    super('The AWS call was not sent', { cause });
  }
}

/** The body of an error answer, without the message, which may quote the request. */
const Refused = z.object({
  /** The name of the error, with or without a namespace and `#` before it. */
  __type: z.string(),
  /** DynamoDB only. */
  CancellationReasons: z.optional(z.array(z.object({ Code: z.optional(z.string()) }))),
});

/** An error answer of an AWS service. */
export class AwsRefusal extends Error {
  override readonly name = 'AwsRefusal';
  /** The service's name of the error. */
  readonly code: string;
  /** Whether the service rejected the request: then nothing was done. Otherwise the service itself failed. */
  readonly isOfRequest: boolean;
  /** A code for each part of a cancelled transaction. */
  readonly reasons: readonly string[];

  /**
   * @param status of the HTTP answer
   * @throws if the body is not an error of AWS
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

/** How long connecting may take, in milliseconds. */
const CONNECT_MS = 1_000;
/** How long an idle connection is kept, in milliseconds. AWS keeps it longer. */
const IDLE_MS = 20_000;

const TIMEOUTS = [OUT_OF_TIME, NO_CONNECTION];

/** Creates a `Post` over kept connections. @param answerMs how long an answer may take, in milliseconds */
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

/** No whole answer came. This is no `NoAnswer`, which means the upstream service. */
class NoAwsAnswer extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`No answer of AWS: ${code}`);
    this.code = code;
  }
}
