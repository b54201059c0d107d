import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as z from 'zod/mini';
import { agentServer } from '../../lib/agents/server.ts';
import type { OperationRequest } from '../../lib/agents/tool-request.ts';
import type { OperationAnswer } from '../../lib/agents/tool-result.ts';
import { toolsOf } from '../../lib/agents/tools.ts';
import { hasTool } from '../../lib/contract/agents.ts';
import { readBaseUrl } from '../../lib/contract/base-url.ts';
import { GRANT_TYPE } from '../../lib/contract/oauth.ts';
import openApi from '../../lib/contract/openapi.json' with { type: 'json' };
import { PROBLEMS_PATH } from '../../lib/contract/paths.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { SCOPES, type Scope, scopesIn } from '../../lib/contract/routes.ts';
import { ROUTES as WIRE } from '../../lib/contract/wire-routes.ts';
import { ROUTES } from '../../lib/operations/routes.ts';
import { deadlineAt } from '../../lib/service/deadline.ts';
import { NoAnswer, type TransportRequest, type TransportResponse } from '../../lib/service/http-client/exchange.ts';
import { isAuthRejected } from '../../lib/service/http-client/sign-in.ts';
import { connect } from '../client/connect.ts';
import { CliError, UsageError } from './io.ts';
import type { Account } from './login-file.ts';

/** The streams over which a host and its server send messages. */
interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/** The time limit for one request, in milliseconds. It is a little longer than that of API Gateway. */
const REQUEST_MS = 30_000;
const FORM = 'application/x-www-form-urlencoded';

/**
 * Serves an agent on this machine, until its host closes the input. A call of a tool is a request to the API with the
 * key of the account.
 * @throws {CliError} if the API refuses the key
 */
export async function serveAgent(account: Account, { stdin, stdout }: Streams): Promise<void> {
  const send = sender(account);
  const server = agentServer({
    toolbox: toolsOf(openApi, ROUTES.filter(hasTool)),
    scopes: await scopesOfKey(account, send),
    now: Date.now,
    call: (request) => call(send, request),
    bodyOf: (problem) => problem.body(account.url + PROBLEMS_PATH, 'segue mcp'),
  });
  const ended = once(stdin, 'end');
  await server.connect(new StdioServerTransport(stdin, stdout));
  await ended;
  await server.close();
}

type Send = (request: Omit<TransportRequest, 'deadline'>) => Promise<TransportResponse | NoAnswer>;

function sender({ url, ...account }: Account): Send {
  const base = readBaseUrl(url, { protocols: ['http', 'https'] });
  if (!base) throw new UsageError('the URL of the API is invalid');
  const connection = connect(base, account, Date.now, () => {});
  return (request) => connection({ ...request, deadline: deadlineAt(Date.now() + REQUEST_MS, Date.now) }, true);
}

const Token = z.object({ scope: z.string() });

/**
 * Returns the scopes of the key, which the endpoint of OAuth names; all scopes if the API does not answer yet. A call
 * without its scope is then refused by the API.
 */
async function scopesOfKey({ url, companyId }: Account, send: Send): Promise<readonly Scope[]> {
  const { method, path } = WIRE.obtainOAuthToken;
  const headers = { accept: 'application/json', 'content-type': FORM };
  const response = await send({ method, path, headers, body: `grant_type=${GRANT_TYPE}` });
  if (response instanceof NoAnswer) return SCOPES;
  if (isAuthRejected(response)) {
    const rejected = `Segue at ${url} rejects the key of the company ${companyId}`;
    throw new CliError(`${rejected}: check SEGUE_URL, SEGUE_COMPANY_ID and SEGUE_API_KEY, or log in`, { exitCode: 2 });
  }
  const token = Token.safeParse(parsed(textOf(response)));
  return token.success ? scopesIn(token.data.scope) : SCOPES;
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** @throws {Problem} `unavailable` or `outcome-unknown` if there is no answer */
async function call(send: Send, { route, path, query, headers, body }: OperationRequest): Promise<OperationAnswer> {
  const { method } = route;
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const response = await send({
    method,
    path: parameters.length === 0 ? path : `${path}?${parameters.join('&')}`,
    headers: {
      ...headers,
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body,
  });
  const text = response instanceof NoAnswer ? undefined : textOf(response);
  if (response instanceof NoAnswer || text === undefined) {
    const mayHaveRun = method !== 'GET' && !(response instanceof NoAnswer && !response.sent);
    throw mayHaveRun ? outcomeUnknown() : unavailable();
  }
  return { status: response.status, header: (name) => headerOf(response, name), text };
}

function headerOf({ headers }: TransportResponse, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join() : value;
}

/** Returns the body as text; `undefined` if it did not arrive, or is too large. */
function textOf({ body }: TransportResponse): string | undefined {
  return typeof body === 'string' ? undefined : Buffer.from(body).toString();
}

function unavailable(): Problem {
  const detail = 'Segue did not answer, and did nothing. Ask the user whether it runs, and call the tool again later.';
  return new Problem('unavailable', { detail });
}

function outcomeUnknown(): Problem {
  const detail =
    'The answer of Segue was lost, so nobody knows whether the call took effect. Call the tool again with the same idempotencyKey, or look at the project.';
  return new Problem('outcome-unknown', { detail });
}
