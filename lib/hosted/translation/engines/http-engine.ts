import type * as z from 'zod/mini';
import {
  NO_CONNECTION,
  NoAnswer,
  OUT_OF_TIME,
  type Transport,
  type TransportResponse,
} from '../../../service/http-client/exchange.ts';
import { parseJson } from '../../../service/http-client/response-body.ts';
import { retryAfterSeconds } from '../../../service/retry.ts';
import { type EngineCall, EngineFailure, type EngineFailureCode } from '../../../service/translation-engine.ts';

/** What an engine over HTTP needs. */
export interface HttpEngineOptions {
  readonly transport: Transport;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
}

export interface EngineRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The maximum length of an answer, in bytes. A batch has at most a few hundred kilobytes. */
const MAX_ANSWER_BYTES = 4_194_304;

/** The statuses that mean the same for every engine. Others from 400 are a refusal, from 500 a failure. */
const STATUSES: Readonly<Record<number, EngineFailureCode>> = {
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'failed',
  405: 'failed',
  408: 'timed-out',
  429: 'busy',
  // DeepL
  456: 'quota-exceeded',
  // DeepL, in place of 429
  529: 'busy',
  503: 'busy',
};

/**
 * Sends a request to an engine, and checks its answer by a schema. Does not follow redirects, and does not retry.
 * @throws {EngineFailure} if there is no valid answer
 */
export async function askEngine<T>(
  { transport, now }: HttpEngineOptions,
  { method, path, headers, body }: EngineRequest,
  schema: z.ZodMiniType<T>,
  { deadline, signal }: EngineCall,
): Promise<T> {
  const response = await send();
  if (response.status !== 200) throw new EngineFailure(codeOf(response.status), waitMs(response));
  if (response.body === 'lost') throw new EngineFailure('unreachable');
  const { success, data } = schema.safeParse(parseJson(response.body));
  if (!success) throw new EngineFailure('invalid-answer');
  return data;

  async function send(): Promise<TransportResponse> {
    try {
      return await transport({
        method,
        path,
        headers: { accept: 'application/json', ...headers },
        body,
        deadline,
        signal,
        maxBodyBytes: MAX_ANSWER_BYTES,
        // A translation changes nothing, so it may use an open connection.
        needsNewConnection: false,
      });
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (signal.aborted) throw new EngineFailure('aborted');
      throw new EngineFailure(TIMEOUTS.includes(error.code) ? 'timed-out' : 'unreachable');
    }
  }

  function waitMs({ headers: received }: TransportResponse): number | undefined {
    const seconds = retryAfterSeconds(received['retry-after'], now());
    return seconds === undefined ? undefined : seconds * 1_000;
  }
}

const TIMEOUTS: readonly string[] = [OUT_OF_TIME, NO_CONNECTION];

function codeOf(status: number): EngineFailureCode {
  const known = STATUSES[status];
  if (known !== undefined) return known;
  // A redirect is not followed: the texts and the key go to the configured server only.
  if (status < 400) return 'invalid-answer';
  return status < 500 ? 'rejected' : 'failed';
}
