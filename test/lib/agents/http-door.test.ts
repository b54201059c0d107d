import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { answerAgent } from '../../../lib/agents/answer-agent.ts';
import { MAX_TEXT_BYTES } from '../../../lib/agents/tool-result.ts';
import { AGENT_ROUTES } from '../../../lib/contract/agents.ts';
import { utc } from '../../../lib/contract/date.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { MAX_ANSWER_BYTES } from '../../../lib/http/http-result.ts';
import type { LogLine } from '../../../lib/service/log.ts';
import { routeOf } from '../../support/routes.ts';
import { hosted } from '../../support/world.ts';
import { documentWith, fakeService } from '../http/fixture.ts';
import { heldNow, NOW_MS, project } from '../support.ts';
import { callTool, connect, doorTo, post, textsOf } from './world.ts';

const clock = { now: heldNow };
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const callOf = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

describe('a message', () => {
  const { door } = doorTo(fakeService(), clock);

  it('is answered with JSON, without a session', async () => {
    const { status, headers, json } = await post(door, PING);
    expect({ status, json }).toEqual({ status: 200, json: { jsonrpc: '2.0', id: 1, result: {} } });
    expect(headers).toMatchObject({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
    expect(Object.keys(headers).join()).not.toMatch(/mcp-session-id/i);
  });

  it('begins with what Segue is', async () => {
    const client = await connect(door);
    expect(client.getServerVersion()).toMatchObject({ name: 'segue', title: 'Segue' });
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    expect(client.getInstructions()).toMatch(/^Segue translates projects/);
  });

  it.each([
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['an answer', { jsonrpc: '2.0', id: 1, result: {} }],
  ])('gets 202 without a body, if it is %s', async (_, message) => {
    expect(await post(door, message)).toMatchObject({ status: 202, text: '' });
  });

  it.each([
    ['a batch', [PING, PING], /no batches/],
    ['no message', { hello: 'world' }, /one JSON-RPC 2.0 message/],
    ['a message with a list of parameters', { ...PING, params: [] }, /"params" is an object/],
  ])('is refused in the form of JSON-RPC, if it is %s', async (_, body, message) => {
    const { status, json } = await post(door, body);
    expect(status).toBe(400);
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_600, message: expect.stringMatching(message) },
    });
  });

  it.each([
    ['no JSON', '{', {}, 400, 'malformed-json'],
    ['a form', 'a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415, 'unsupported-media-type'],
    ['too large', 'x'.repeat(LIMITS.bodyBytes + 1), {}, 413, 'too-large'],
  ])('is refused with a problem, if it is %s', async (_, body, headers, status, type) => {
    const answer = await post(door, body, { headers });
    expect(answer).toMatchObject({ status, json: { type: expect.stringMatching(`/${type}$`) } });
  });

  it.each([
    ['http://evil.example.com', 403],
    ['https://evil.example.com', 403],
    ['null', 403],
    ['http://localhost.evil.example.com', 403],
    ['http://api.example.com', 403],
    ['https://api.example.com', 200],
    ['http://localhost:5173', 200],
    ['http://127.0.0.1:8787', 200],
    ['http://[::1]:8787', 200],
  ])('from a page at %s gets %i', async (Origin, status) => {
    const answer = await post(door, PING, { headers: { Origin } });
    expect(answer.status).toBe(status);
    if (status === 403) {
      const error = { code: -32_600, message: expect.stringContaining('Origin') };
      expect(answer.json).toEqual({ jsonrpc: '2.0', id: null, error });
    }
  });

  it.each([
    ['2025-11-25', 200],
    ['2025-03-26', 200],
    ['1999-01-01', 400],
  ])('of the protocol %s gets %i', async (version, status) => {
    const answer = await post(door, PING, { headers: { 'MCP-Protocol-Version': version } });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.json).toMatchObject({ detail: expect.stringContaining('2025-11-25') });
  });

  it.each(['resources/list', 'sampling/createMessage', 'tasks/list'])(
    'of another kind is refused: %s',
    async (method) => {
      const { status, json } = await post(door, { ...PING, method });
      expect({ status, json }).toMatchObject({ status: 200, json: { error: { code: -32_601 } } });
    },
  );

  it('of a suspended or scopeless caller does nothing', async () => {
    expect(await post(door, PING, { scopes: [] })).toMatchObject({ status: 403 });
  });
});

describe('a request with wrong parameters', () => {
  const { door } = doorTo(fakeService(), clock);
  const ofMethod = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });
  const VERSION = { protocolVersion: '2025-11-25' };

  it.each<[string, unknown, RegExp]>([
    ['initialize', {}, /protocolVersion/],
    ['tools/call', undefined, /the name of a tool/],
    ['tools/call', { name: 'getProject', arguments: [] }, /an object with the arguments by their names/],
    ['tools/call', { name: 'getProject', arguments: 'x' }, /an object with the arguments by their names/],
  ])('of %s %j is refused, with what would be right', async (method, params, message) => {
    const { status, json } = await post(door, ofMethod(method, params));
    expect(status).toBe(200);
    expect(json).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32_602, message: expect.stringMatching(message) } });
  });

  it('takes null for no arguments', async () => {
    const { json } = await post(door, ofMethod('tools/call', { name: 'getProject', arguments: null }));
    expect(json).toMatchObject({ result: { isError: true } });
  });

  it.each([
    ['icons of the client', { ...VERSION, clientInfo: { icons: Array.from({ length: 200_000 }, () => 1) } }],
    ['capabilities', { ...VERSION, capabilities: { experimental: Object.fromEntries(manyNames(49_000)) } }],
  ])('that Segue does not use has no error for each of many wrong %s', async (_, params) => {
    const { status, text } = await post(door, ofMethod('initialize', params));
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(2_000);
  });

  it('has at most 100 faults', async () => {
    const args = Object.fromEntries(manyNames(49_000));
    const { json } = await post(door, ofMethod('tools/call', { name: 'getProject', arguments: args }));
    const { errors } = Object(json).result.structuredContent;
    expect(errors).toHaveLength(LIMITS.faults);
  });

  function manyNames(count: number): [string, number][] {
    return Array.from({ length: count }, (_, n) => [`name${n}`, n]);
  }
});

describe('a call of a tool', () => {
  it('is one request of its operation, with the caller, the base URL, the trace and the log line', async () => {
    const seen: unknown[] = [];
    const service = fakeService({
      create(_, call) {
        const { companyId, requestedBy, requestId, traceId, idempotency } = call;
        seen.push({ companyId, requestedBy, requestId, traceId, key: idempotency?.key });
        return documentWith(77);
      },
    });
    const { door, lines } = doorTo(service, clock);
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const args = { project: project(), idempotencyKey: 'key-1' };
    const { json } = await post(door, callOf('createProject', args), { prefix: '/v1', headers });
    expect(seen).toEqual([
      {
        companyId: 'acme',
        requestedBy: { kind: 'key', id: 'key-1' },
        requestId: 'request-1',
        traceId,
        key: 'key-1',
      },
    ]);
    const location = 'Created: https://api.example.com/v1/segments/projects/77';
    expect(json).toMatchObject({ result: { content: [{ type: 'text' }, { text: location }] } });
    expect(lines.map(({ operation, status }) => [operation, status])).toEqual([
      ['createProject', 201],
      ['answerAgent', 200],
    ]);
  });

  it('of a project by its custom id finds it behind any prefix', async () => {
    const refs: unknown[] = [];
    const service = fakeService({
      async get(ref) {
        refs.push(ref);
        return documentWith(77);
      },
    });
    const { door } = doorTo(service, clock);
    for (const prefix of ['', '/v1', '/mcp']) {
      await post(door, callOf('getProject', { customId: 'a/b' }), { prefix });
    }
    expect(refs).toEqual([{ customId: 'a/b' }, { customId: 'a/b' }, { customId: 'a/b' }]);
  });

  it('that is refused shows the problem to the model and to programs', async () => {
    const client = await connect(doorTo(hosted(), clock).door);
    const refused = await callTool(client, 'getProject', { id: 1 });
    expect(refused.isError).toBe(true);
    expect(refused.structuredContent).toMatchObject({
      type: 'https://api.example.com/v1/problems/project-not-found',
      status: 404,
      instance: 'request-1',
      outcome: 'not-applied',
    });
    expect(JSON.parse(textsOf(refused).join())).toEqual(refused.structuredContent);
    const explained = await callTool(client, 'getProblemType', { type: 'project-not-found' });
    expect(JSON.parse(textsOf(explained).join())).toMatchObject({ status: 404, explanation: expect.any(String) });
  });

  it.each([
    ['listProjects', { limit: 1_000 }, '/arguments/limit'],
    ['listProjects', { createdAfter: 'yesterday' }, '/arguments/createdAfter'],
    ['createProject', { project: { name: 7 }, validateOnly: true }, '/arguments/project/name'],
    ['writeTranslations', { id: 1, translations: [{ content: 7 }] }, '/arguments/translations/0/content'],
    ['changeLanguage', { id: 1, languageCode: 'de-DE', change: { state: 'x' } }, '/arguments/change/state'],
  ])('that is refused has faults at places in its arguments: %s with %j', async (name, args, pointer) => {
    const client = await connect(doorTo(hosted(), clock).door);
    const refused = await callTool(client, name, args);
    expect(refused.structuredContent).toMatchObject({
      errors: expect.arrayContaining([expect.objectContaining({ pointer })]),
    });
    expect(JSON.parse(textsOf(refused).join())).toEqual(refused.structuredContent);
    expect(textsOf(refused).join()).not.toContain('%2B');
  });

  it('of a put with the plan of another put says how to get a new one', async () => {
    const client = await connect(doorTo(hosted(), clock).door);
    const put = (text: string, args: Record<string, unknown>) => {
      const segments = [{ content: text }];
      return callTool(client, 'putProject', {
        customId: 'menu',
        project: project({ customId: 'menu', segments }),
        ...args,
      });
    };
    const planned = await put('Open', { validateOnly: true });
    const { plan } = z.object({ plan: z.string() }).parse(JSON.parse(textsOf(planned)[0] ?? ''));
    const refused = await put('Close', { plan, idempotencyKey: 'key-1' });
    expect(refused.structuredContent).toMatchObject({
      status: 412,
      detail: expect.stringMatching(/ Call putProject with validateOnly\. Show .* unchanged\.$/),
      errors: [{ pointer: '/arguments/plan', code: 'plan-differs' }],
    });
    expect((await put('Open', { plan, idempotencyKey: 'key-2' })).isError).toBeUndefined();
  });

  it('about an unknown type of a problem lists the types', async () => {
    const client = await connect(doorTo(hosted(), clock).door);
    const refused = await callTool(client, 'getProblemType', { type: 'plan-outdatd' });
    expect(refused.structuredContent).toMatchObject({ status: 404, detail: expect.stringMatching(/plan-outdated/) });
    expect(textsOf(refused).join()).not.toContain('GET /');
    const type = 'https://api.example.com/v1/problems/plan-outdated';
    expect((await callTool(client, 'getProblemType', { type })).isError).toBeUndefined();
  });

  it('that creates a project says if nobody will translate it', async () => {
    const client = await connect(doorTo(hosted(), clock).door);
    const notesFor = async (languages: Record<string, unknown>) => {
      const targetLanguages = [{ targetLanguageCode: 'de-DE', ...languages }];
      const args = { project: project({ targetLanguages }), validateOnly: true };
      const result = await callTool(client, 'createProject', args);
      expect(result.isError).toBeUndefined();
      return textsOf(result).slice(1);
    };
    expect(await notesFor({})).toEqual([expect.stringContaining('nobody will translate this project')]);
    expect(await notesFor({ serviceAutomaticTranslation: true })).toEqual([]);
    const team = [{ id: 7001, name: 'Ann', username: 'ann@example.com', isTranslator: true }];
    expect(await notesFor({ team })).toEqual([]);
  });

  it('as a task changes nothing: there is nobody to ask later', async () => {
    let created = 0;
    const service = fakeService({
      create() {
        created++;
        return documentWith(77);
      },
    });
    const { door } = doorTo(service, clock);
    const { params, ...message } = callOf('createProject', { project: project(), idempotencyKey: 'key-1' });
    const { json } = await post(door, { ...message, params: { ...params, task: { ttl: 1_000 } } });
    expect(json).toMatchObject({ error: { code: -32_602, message: expect.stringContaining('without “task”') } });
    expect(created).toBe(0);
  });

  it('that fails unexpectedly is a failure of the message too, and in its log', async () => {
    const lines: LogLine[] = [];
    const options = { now: heldNow, log: (line: LogLine) => lines.push(line) };
    const fails = Object.assign(() => Promise.reject(new TypeError('secret content')), {
      route: routeOf('listLanguages'),
    });
    const { status, text } = await post(answerAgent([fails], options), callOf('listLanguages', {}));
    expect(status).toBe(500);
    expect(text).toContain('/problems/internal-error');
    expect(text + JSON.stringify(lines)).not.toContain('secret content');
    expect(lines).toMatchObject([
      { operation: 'answerAgent', status: 500, problem: 'internal-error', cause: { name: 'TypeError' } },
    ]);
  });

  it('of an unknown tool lists the tools of the key', async () => {
    const client = await connect(doorTo(fakeService(), clock).door, { scopes: ['create'] });
    const error = await client.callTool({ name: 'delete_everything' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({
      code: -32_602,
      message:
        'MCP error -32602: There is no tool with this name. The tools are createProject, putProject, getProblemType.',
    });
    const misspelt = await client.callTool({ name: 'create_project' }).catch((thrown: unknown) => thrown);
    expect(misspelt).toMatchObject({ message: expect.stringContaining('Did you mean createProject?') });
  });

  it('answers with at most 2 MiB, and else says how to ask for less', async () => {
    const service = hosted();
    const client = await connect(doorTo(service, clock).door);
    // Quotation marks are the dearest text: JSON in JSON doubles them twice.
    const segments = Array.from({ length: 4 }, () => ({ content: '"'.repeat(490_000) }));
    const large = { ...project({ segments }), startDateUtc: utc(NOW_MS) };
    const created = await callTool(client, 'createProject', { project: large, idempotencyKey: 'large' });
    expect(created.isError).toBeUndefined();
    expect(textsOf(created)).toEqual([
      expect.stringMatching(/^Done\. The answer has \d+ bytes/),
      expect.stringMatching(/^Created: https:/),
    ]);
    const id = Number(textsOf(created)[1]?.split('/').at(-1));
    const refused = await callTool(client, 'getProject', { id });
    expect(refused.structuredContent).toMatchObject({
      status: 406,
      detail: expect.stringMatching(/with taskId\. .*call getSegments with limit/),
    });
    const { status, text } = await post(doorTo(service, clock).door, callOf('getSegments', { id, limit: 2 }));
    expect(status).toBe(200);
    // Longer than the text that it quotes, and still short enough for API Gateway.
    expect(Buffer.byteLength(text)).toBeGreaterThan(MAX_TEXT_BYTES);
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_ANSWER_BYTES);
    const page = await callTool(client, 'getSegments', { id, limit: 2 });
    expect(textsOf(page)[1]).toMatch(/^There is more: .* cursor=\S+$/);
  });
});

it('the routes are one for messages, and those of the metadata', () => {
  expect(AGENT_ROUTES.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /mcp',
    'GET /.well-known/oauth-protected-resource',
    'GET /.well-known/oauth-protected-resource/mcp',
    'GET /.well-known/oauth-authorization-server',
  ]);
});
