import { expect, it } from 'vitest';
import { GATEWAY_LIMITS } from '../../lib/contract/limits.ts';
import { type PlayedHandler, startFixture } from './world.ts';

async function respond(handler: PlayedHandler, timeoutMs = 30_000) {
  const fixture = await startFixture({ handler, timeoutMs });
  return { ...fixture, response: await fetch(`${fixture.url}/health`) };
}

it('sends status, headers and text', async () => {
  const headers = { Location: '/x', 'Retry-After': '2' };
  const { response } = await respond(async () => ({ statusCode: 201, headers, body: 'grüezi' }));
  expect(response.status).toBe(201);
  expect(response.headers.get('location')).toBe('/x');
  expect(response.headers.get('retry-after')).toBe('2');
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.text()).toBe('grüezi');
});

it('decodes base64', async () => {
  const bytes = Buffer.from([0, 255, 128, 10]);
  const body = bytes.toString('base64');
  const { response } = await respond(async () => ({ statusCode: 200, body, isBase64Encoded: true }));
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
});

it('sends 204 without body and length', async () => {
  const { response } = await respond(async () => ({ statusCode: 204, headers: { 'X-Request-Id': 'r' }, body: '' }));
  expect(response.status).toBe(204);
  expect(response.headers.get('content-length')).toBeNull();
  expect(response.headers.get('x-request-id')).toBe('r');
});

it('renames the headers that API Gateway sets itself', async () => {
  const headers = { 'WWW-Authenticate': 'Basic', 'Content-Length': '999', Connection: 'close' };
  const { response } = await respond(async () => ({ statusCode: 401, headers }));
  expect(response.headers.get('www-authenticate')).toBeNull();
  expect(response.headers.get('x-amzn-remapped-www-authenticate')).toBe('Basic');
  expect(response.headers.get('x-amzn-remapped-content-length')).toBe('999');
  expect(response.headers.get('content-length')).toBe('2');
});

it.each<[string, PlayedHandler]>([
  ['rejects', () => Promise.reject(new TypeError('secret content'))],
  [
    'throws',
    () => {
      throw new TypeError('secret content');
    },
  ],
])('does not show the error to the client if a function %s', async (_what, handler) => {
  const { response, failures } = await respond(handler);
  const text = await response.text();
  expect(response.status).toBe(500);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(JSON.parse(text)).toMatchObject({ outcome: 'unknown', instance: response.headers.get('x-request-id') });
  expect(text).not.toContain('secret');
  expect(failures).toMatchObject([{ functionName: 'health', error: { name: 'TypeError' } }]);
});

it('answers 504 for a function that takes too long', async () => {
  const { response, url, failures } = await respond(() => new Promise(() => {}), 20);
  expect(response.status).toBe(504);
  expect(await response.json()).toMatchObject({ type: `${url}/problems/outcome-unknown`, outcome: 'unknown' });
  expect(failures).toMatchObject([{ error: { name: 'InvocationTimeout' } }]);
});

it('ends the connection of a response that cannot be written, and serves the next', async () => {
  const { url, failures } = await startFixture({
    handler: async ({ path }) => ({ statusCode: 200, headers: path === '/health' ? { 'X-A': 'b\r\nX-C: d' } : {} }),
  });
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  expect(failures).toMatchObject([{ functionName: 'gateway', error: { code: 'ERR_INVALID_CHAR' } }]);
});

/** The largest number of bytes in the body of a result. */
const ROOM =
  GATEWAY_LIMITS.answerBytes -
  JSON.stringify({ headers: {}, body: '', isBase64Encoded: false, statusCode: 200 }).length;

it.each([
  ['text', 'x'.repeat(ROOM), 200],
  ['text', 'x'.repeat(ROOM + 1), 500],
  ['escapes', '"\b\r\\'.repeat(ROOM / 8), 200],
  ['escapes', '"\b\r\\'.repeat(ROOM / 8 + 1), 500],
  ['control characters', '\u0001'.repeat(ROOM / 6 + 1), 500],
  ['UTF-8', 'ä'.repeat(ROOM / 2 + 1), 500],
])('limits the length of a result as JSON: %s', async (_, body, status) => {
  const { response } = await respond(async () => ({ statusCode: 200, body }));
  expect(response.status).toBe(status);
  await response.arrayBuffer();
});
