import { BASE_URL_RULE, readBaseUrl } from '../../lib/contract/base-url.ts';
import type { RequestDeps } from '../../lib/service/http-client/send-request.ts';
import type { HttpAccount } from '../../lib/service/http-client/sign-in.ts';
import { connect } from './connect.ts';
import { SegueError } from './error.ts';
import { type Redaction, redactionOf } from './redaction.ts';
import type { SegueClientOptions } from './types.ts';

/** An account at Segue, with what a client needs to send its requests. */
interface OpenAccount {
  readonly account: HttpAccount;
  readonly redaction: Redaction;
  readonly deps: RequestDeps;
  /** The timeout of a call, in milliseconds. */
  readonly timeoutMs: number;
}

/** The default timeout of a call, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** Opens an account. It sends nothing yet. @throws {TypeError} with the name of an option that is missing or invalid */
export function openAccount(options: SegueClientOptions): OpenAccount {
  const { baseUrl, companyId, apiKey, scheme, timeoutMs = TIMEOUT_MS } = options;
  const { now = Date.now, sleep = pause, random = Math.random } = options;
  // A variable of the environment that is not set often arrives here as an empty text, or as `undefined`.
  for (const [name, value] of Object.entries({ baseUrl, companyId, apiKey })) {
    if (!value) throw new TypeError(`The option "${name}" is missing or empty`);
  }
  const base = readBaseUrl(baseUrl, { protocols: ['http', 'https'] });
  if (!base) throw new TypeError(`The option "baseUrl" must be ${BASE_URL_RULE}`);
  if (companyId.includes(':')) throw new TypeError('The company id must not contain a colon');
  const account = { companyId, apiKey, scheme };
  const redaction = redactionOf(apiKey);
  const connection = connect(base, account, now, redaction.remember);
  const errorOf: RequestDeps['errorOf'] = (failure) => new SegueError(redaction.redact(failure));
  return { account, redaction, deps: { connection, now, sleep, random, errorOf }, timeoutMs };
}

/** Waits for some milliseconds. */
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
