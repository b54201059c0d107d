import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { PROBLEM_TYPES, PROBLEMS } from '../../../lib/contract/problems.ts';
import { breakOff, empty, json, type Play, portOf, reset, text } from '../../../test/lib/upstream/server.ts';
import type { SegueClient } from '../segue-client.ts';
import { errorOf, newProject, project, receipt, refuse, world } from './world.ts';

const made = json(201, project);
const create = (client: SegueClient) => client.createProject(newProject);
const remove = (client: SegueClient) => client.deleteProject(1_000, 'project');
const get = (client: SegueClient) => client.getProject(1_000);
const page = (status: number) => text(status, '<html></html>', { 'content-type': 'text/html' });

const WORK = [
  ['create', create, made],
  ['delete', remove, json(200, receipt)],
  ['get', get, json(200, project)],
] as const;
const PASSING: readonly (readonly [what: string, play: Play])[] = [
  ['rate-limited', refuse('rate-limited', { retryAfterSeconds: 1 })],
  ['upstream-unavailable', refuse('upstream-unavailable')],
  ['a reset', reset],
  ['an answer that breaks off', breakOff(200)],
  ['408 of a proxy', empty(408)],
  ['429 of a proxy', page(429)],
  ['a page with 502', page(502)],
  ['504 without a body', empty(504)],
];

describe.each(WORK)('the client retries %s', (what, work, success) => {
  it.each(PASSING)('after %s, with the same key', async (_, play) => {
    const { client, received, keys } = await world([play, play, success]);
    await work(client);
    expect(received).toHaveLength(3);
    const [first, ...again] = received.map(({ method, url, body }) => ({ method, url, body }));
    expect(again).toEqual([first, first]);
    expect(new Set(keys()).size).toBe(1);
    expect(keys()[0] === undefined).toBe(what === 'get');
  });
});

describe('a problem', () => {
  const final = PROBLEM_TYPES.filter((type) => !PROBLEMS[type].retryable);

  it.each(final)('that is not retryable ends a get, and a create unless the outcome is unknown: %s', async (type) => {
    const { status, outcome } = PROBLEMS[type];
    const reading = await world([refuse(type)]);
    expect(await errorOf(get(reading.client))).toMatchObject({ type, status, outcome, retryable: false });
    expect(reading.received).toHaveLength(1);
    const creating = await world([refuse(type), made]);
    if (outcome === 'unknown') await create(creating.client);
    else expect(await errorOf(create(creating.client))).toMatchObject({ type });
    expect(creating.received).toHaveLength(outcome === 'unknown' ? 2 : 1);
  });

  it('sets every field of the error', async () => {
    const errors = [{ pointer: '/name', code: 'too-long', detail: 'Long', allowed: ['a', 1], currentVersion: 3 }];
    const fields = { errors, deletedAtUtc: '2026-11-20T12:00:00.000Z', operationId: 'op', retryAfterSeconds: 7 };
    const { client } = await world([refuse('invalid-project', fields)]);
    const error = await errorOf(create(client));
    expect(error).toMatchObject({
      ...fields,
      name: 'SegueError',
      type: 'invalid-project',
      title: PROBLEMS['invalid-project'].title,
      detail: 'D',
      status: 400,
      instance: 'request-1',
      retryable: false,
      outcome: 'not-applied',
    });
    expect(error.message).toBe('invalid-project: D /name: Long');
  });

  it('of a newer Segue is kept, with faults that the client does not know', async () => {
    const errors = [{ pointer: '/name', code: 'too-loud', detail: 'Loud' }];
    const { client } = await world([
      json(418, { type: 'x/teapot', title: 'T', detail: 'D', retryable: false, outcome: 'not-applied', errors }),
    ]);
    expect(await errorOf(create(client))).toMatchObject({ type: 'unknown-problem', status: 418, errors });
  });
});

describe('the backoff', () => {
  it('grows up to a limit, and ends after ten attempts', async () => {
    const { client, pausesMs, received } = await world([reset]);
    expect(await errorOf(create(client))).toMatchObject({ type: 'no-answer', outcome: 'unknown', retryable: true });
    expect(pausesMs).toEqual([200, 400, 800, 1_600, 2_500, 2_500, 2_500, 2_500, 2_500]);
    expect(received).toHaveLength(10);
  });

  it.each([
    ['the header', refuse('unavailable', {}, { 'retry-after': '9' })],
    ['the problem', refuse('unavailable', { retryAfterSeconds: 9 })],
    ['a page’s header', text(503, '', { 'retry-after': 'Fri, 20 Nov 2026 12:00:09 GMT' })],
  ])('waits at least for the Retry-After of %s', async (_, play) => {
    const { client, pausesMs } = await world([play, made]);
    await create(client);
    expect(pausesMs).toEqual([9_200]);
  });

  it.each([
    ['the client', { timeoutMs: 9_000 }, {}],
    ['the call', {}, { timeoutMs: 9_000 }],
  ])('ends if the pause exceeds the timeout of %s', async (_, options, callOptions) => {
    const { client, pausesMs } = await world([refuse('unavailable', { retryAfterSeconds: 9 })], options);
    expect(await errorOf(client.getProject(1, callOptions))).toMatchObject({
      type: 'unavailable',
      retryable: true,
      retryAfterSeconds: 9,
    });
    expect(pausesMs).toEqual([]);
  });
});

describe('the outcome', () => {
  it.each([
    ['unavailable', refuse('unavailable', { retryAfterSeconds: 3_600 })],
    ['unauthenticated', refuse('unauthenticated')],
    ['scope-missing', refuse('scope-missing')],
  ])('stays unknown if a later attempt fails with %s', async (_, play) => {
    const { client } = await world([reset, play]);
    expect((await errorOf(create(client))).outcome).toBe('unknown');
  });

  it('is known once Segue judges the request and its key', async () => {
    const { client } = await world([reset, refuse('custom-id-in-use')]);
    expect(await errorOf(create(client))).toMatchObject({ type: 'custom-id-in-use', outcome: 'not-applied' });
  });

  it.each([
    ['nothing listens', nowhere],
    ['fetch sends nothing to the port', async () => 'http://127.0.0.1:1'],
  ])('is not-applied if nothing was sent: %s', async (_, baseUrl) => {
    const { client } = await world([made], { baseUrl: await baseUrl() });
    expect(await errorOf(create(client))).toMatchObject({ type: 'no-answer', outcome: 'not-applied' });
  });
});

/** Returns a URL at which nothing listens. */
async function nowhere(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${portOf(server.address())}`;
  server.close();
  await once(server, 'close');
  return url;
}

it('a retry uses the key of the caller', async () => {
  const { client, keys } = await world([refuse('request-in-progress', { retryAfterSeconds: 1 }), made]);
  await client.createProject(newProject, { idempotencyKey: 'mine' });
  expect(keys()).toEqual(['mine', 'mine']);
});

describe('an open operation', () => {
  const running = json(200, { operationId: 'op', status: 'running' }, { 'retry-after': '3' });
  const started = json(202, { operationId: 'op', status: 'running' });
  const unknown = refuse('outcome-unknown', { operationId: 'op' });
  const done = (fields: object) => json(200, { operationId: 'op', status: 'done', ...fields });

  it.each([
    ['202', started],
    ['504', unknown],
  ])('of a %s is awaited', async (_, play) => {
    const { client, received, pausesMs } = await world([play, running, running, done({ project })]);
    expect(await create(client)).toEqual(project);
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /segments/projects',
      ...Array(3).fill('GET /operations/op'),
    ]);
    expect(pausesMs).toEqual([3_000, 3_000]);
  });

  it('of which nothing was recorded is requested again, with the same key', async () => {
    const { client, received, keys } = await world([unknown, refuse('operation-not-found'), made]);
    expect(await create(client)).toEqual(project);
    expect(received.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST']);
    expect(new Set(keys().filter((key) => key !== undefined)).size).toBe(1);
  });

  it('of a pending deletion is returned at once, and can be awaited', async () => {
    const pending = { ...receipt, outcome: 'pending', deletedAtUtc: null, operationId: 'op' };
    const { client } = await world([json(202, pending), running, done({ receipt })]);
    const given = await remove(client);
    expect(given).toEqual(pending);
    expect((await client.waitFor(given)).receipt).toEqual(receipt);
  });

  it('is named in the error of a timeout, and can be awaited', async () => {
    const { client } = await world([started, running, running, running, done({ project })]);
    const error = await errorOf(client.createProject(newProject, { timeoutMs: 8_000 }));
    expect(error).toMatchObject({ type: 'outcome-unknown', outcome: 'unknown', operationId: 'op', retryable: false });
    expect((await client.waitFor(error)).project).toEqual(project);
  });

  it('that failed throws its problem', async () => {
    const problem = { type: 'x/upstream-refused', title: 'T', detail: 'D', retryable: false, outcome: 'not-applied' };
    const { client } = await world([started, json(200, { operationId: 'op', status: 'failed', problem })]);
    expect(await errorOf(create(client))).toMatchObject({ type: 'upstream-refused', outcome: 'not-applied' });
  });

  it.each([
    ['cannot read it', reset, 'no-answer'],
    ['may not read it', refuse('scope-missing'), 'scope-missing'],
  ])('has an unknown outcome if the client %s', async (_, play, type) => {
    const { client } = await world([started, play]);
    expect(await errorOf(create(client))).toMatchObject({ type, outcome: 'unknown', operationId: 'op' });
  });

  it('cannot be awaited without an id', async () => {
    const { client, received } = await world([made]);
    await expect(client.waitFor({})).rejects.toThrow(TypeError);
    expect(received).toHaveLength(0);
  });
});

it('calls with tokens share one, and a refused one is replaced within the call', async () => {
  const token = (text: string) => json(200, { AccessToken: text, RefreshToken: 'r', expiresIn: 1_800 });
  const plays = [token('a'), made, made, refuse('unauthenticated'), token('b'), made];
  const { client, received } = await world(plays, { scheme: 'bearer' });
  for (let n = 0; n < 3; n++) await create(client);
  const sent = received.map(({ url, headers }) => (url.endsWith('/token') ? 'token' : headers.authorization));
  expect(sent).toEqual(['token', 'Bearer a', 'Bearer a', 'Bearer a', 'token', 'Bearer b']);
});
