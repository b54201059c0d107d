import { gunzipSync } from 'node:zlib';
import type { Context } from 'aws-lambda';
import { answerAgentRoute } from '../contract/agents.ts';
import { lazy } from '../contract/lazy.ts';
import { PROBLEMS_PATH } from '../contract/paths.ts';
import type { HttpResult, ProxyResult } from '../http/http-result.ts';
import { jsonBody } from '../http/middleware/body.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import type { HttpRequest, ProxyEvent } from '../http/request.ts';
import { earlier, MARGIN_MS } from '../service/deadline.ts';
import { encodeText } from '../service/encoded-text.ts';
import { isFromOtherSite, requireVersion } from './check-message.ts';
import { readMessage } from './read-message.ts';
import type { OperationRequest } from './tool-request.ts';
import type { OperationAnswer } from './tool-result.ts';

/**
 * Makes the handler of `POST /mcp`: one message of the Model Context Protocol, over Streamable HTTP without sessions. A call
 * of a tool is one request to its operation, with the credentials, limits and deadline of the message.
 * @param operations the operations of the tools
 */
export function answerAgent(
  operations: readonly (OperationHandler | readonly OperationHandler[])[],
  options: OperationOptions,
): OperationHandler {
  const handlers = new Map(operations.flat().map((handler) => [handler.route.id, handler]));
  const toolbox = lazy(async () => {
    const { description, toolsOf } = await import('./protocol.ts');
    return toolsOf(
      description,
      Array.from(handlers.values(), ({ route }) => route),
    );
  });

  async function call(request: HttpRequest, context: Context, asked: OperationRequest): Promise<OperationAnswer> {
    const handler = handlers.get(asked.route.id);
    if (!handler) throw new RangeError(`There is no operation ${asked.route.id}`);
    // The operation must answer before this one does, which would not know what it did.
    const { remainingMs } = earlier(request.timeLimit, MARGIN_MS.answer);
    const answer = await handler(eventOf(request.event, asked), { ...context, getRemainingTimeInMillis: remainingMs });
    return answerOf(answer);
  }

  return operation(answerAgentRoute, { ...options, body: jsonBody('agent-message') }, async (request, context) => {
    if (isFromOtherSite(request)) return refuse(403, OTHER_SITE);
    const mcp = await import('./protocol.ts');
    const { body, principal, baseUrl, requestId } = request;
    const read = readMessage(body);
    switch (read.kind) {
      case 'no-message':
        return refuse(400, read.message);
      case 'notification':
        return { status: 202 };
    }
    requireVersion(request, read.request.method, mcp.SUPPORTED_PROTOCOL_VERSIONS);
    let failure: unknown;
    const server = mcp.agentServer({
      toolbox: await toolbox(),
      scopes: principal?.scopes ?? [],
      now: options.now,
      call: (asked) =>
        call(request, context, asked).catch((error: unknown) => {
          failure = error;
          throw error;
        }),
      bodyOf: (problem) => problem.body(baseUrl + PROBLEMS_PATH, requestId),
    });
    const answer = await mcp.answerTo(server, read.request);
    // The protocol would hide it in an answer, and so from the log and its alerts.
    if (failure !== undefined) throw failure;
    return { status: 200, json: await encodeText(JSON.stringify(answer)) };
  });
}

const OTHER_SITE =
  'The header Origin names another site. Agents send messages without it, or from this machine. Segue did nothing.';

/** The code of JSON-RPC for a request that is none. */
const INVALID_REQUEST = -32_600;

/** Returns the error of a request that is no message for Segue, in the form of JSON-RPC and with the status of the protocol. */
async function refuse(status: 400 | 403, message: string): Promise<HttpResult> {
  const error = { code: INVALID_REQUEST, message };
  return { status, json: await encodeText(JSON.stringify({ jsonrpc: '2.0', id: null, error })) };
}

/** Returns the event of an operation: that of the message, with another route, query, headers and body. */
function eventOf(message: ProxyEvent, { route, path, query, headers, body }: OperationRequest): ProxyEvent {
  const { requestContext, multiValueHeaders } = message;
  // The stage or the base path of a domain comes before the path of the route.
  const prefix = requestContext.path.replace(/\/$/, '').slice(0, -answerAgentRoute.path.length);
  const kept = Object.entries(multiValueHeaders ?? {}).filter(([name]) => KEPT_HEADERS.test(name));
  return {
    resource: route.path,
    path,
    multiValueHeaders: {
      ...Object.fromEntries(kept),
      Accept: ['application/json'],
      ...(body !== undefined && { 'Content-Type': ['application/json'] }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    },
    multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
    body: body ?? null,
    isBase64Encoded: false,
    requestContext: { ...requestContext, path: prefix + path },
  };
}

/** The headers of the message that count for the operation too. */
const KEPT_HEADERS = /^(?:traceparent|x-forwarded-proto)$/i;

function answerOf({ statusCode, headers, body, isBase64Encoded }: ProxyResult): OperationAnswer {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  // A result that fits only with gzip is sent with gzip, if the request changed something.
  const isPacked = byName.get('content-encoding') === 'gzip';
  const text = (isPacked ? gunzipSync(bytes) : bytes).toString();
  return { status: statusCode, header: (name) => byName.get(name), text };
}
