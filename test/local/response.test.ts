import { expect, it } from 'vitest';
import { GATEWAY_LIMITS } from '../../lib/contract/limits.ts';
import type { HttpHandler } from '../../local/pipeline.ts';
import { startFixture } from './world.ts';

async function respond(handler: HttpHandler, timeoutMs = 30_000) {
  const fixture = await startFixture({ handler, timeoutMs });
  return { ...fixture, response: await fetch(`${fixture.url}/health`) };
}

it('sends status, headers and text', async () => {
  const { response } = await respond(async () => ({
    statusCode: 201,
    headers: { Location: '/x', 'X-Number': 1 },
    multiValueHeaders: { Link: ['<a>', '<b>'], 'x-number': [2, 1] },
    body: 'grüezi',
  }));
  expect(response.status).toBe(201);
  expect(response.headers.get('location')).toBe('/x');
  expect(response.headers.get('link')).toBe('<a>, <b>');
  expect(response.headers.get('x-number')).toBe('1, 2');
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.text()).toBe('grüezi');
});

it('decodes base64', async () => {
  const bytes = Buffer.from([0, 255, 128, 10]);
  const { response } = await respond(async () => ({
    statusCode: 200,
    body: bytes.toString('base64'),
    isBase64Encoded: true,
  }));
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
  const { response } = await respond(async () => ({ statusCode: 401, headers, body: '{}' }));
  expect(response.headers.get('www-authenticate')).toBeNull();
  expect(response.headers.get('x-amzn-remapped-www-authenticate')).toBe('Basic');
  expect(response.headers.get('x-amzn-remapped-content-length')).toBe('999');
  expect(response.headers.get('content-length')).toBe('2');
});

it.each([
  ['nothing', undefined],
  ['text', 'ok'],
  ['no status', { body: '' }],
  ['a status as text', { statusCode: '200', body: '' }],
  ['a status outside HTTP', { statusCode: 1000, body: '' }],
  ['an informational status', { statusCode: 101, body: '' }],
  ['a body that is not text', { statusCode: 200, body: { a: 1 } }],
  ['an unknown field', { statusCode: 200, body: '', extra: 1 }],
  ['a header with a line break', { statusCode: 200, headers: { 'X-A': 'b\r\nX-C: d' }, body: '' }],
  ['a header name with a space', { statusCode: 200, headers: { 'X A': 'b' }, body: '' }],
  ['invalid base64', { statusCode: 200, body: '!!!!', isBase64Encoded: true }],
])('answers 500 for a function that returns %s', async (_what, result) => {
  const { response, failures } = await respond(async () => result);
  const problem = { status: 500, outcome: 'unknown', instance: response.headers.get('x-request-id') };
  expect(response.status).toBe(500);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(await response.json()).toMatchObject(problem);
  expect(failures).toMatchObject([{ functionName: 'health' }]);
});

it.each<[string, HttpHandler]>([
  ['rejects', () => Promise.reject(new TypeError('secret content'))],
  [
    'throws',
    () => {
      throw new TypeError('secret content');
    },
  ],
])('tells the client nothing of the error if a function %s', async (_what, handler) => {
  const { response, failures } = await respond(handler);
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('secret');
  expect(failures).toMatchObject([{ functionName: 'health', error: { name: 'TypeError' } }]);
});

it('answers 504 for a function that takes too long', async () => {
  const { response, url, failures } = await respond(() => new Promise(() => {}), 20);
  expect(response.status).toBe(504);
  expect(await response.json()).toMatchObject({ type: `${url}/problems/outcome-unknown`, outcome: 'unknown' });
  expect(failures).toMatchObject([{ error: { name: 'InvocationTimeout' } }]);
});

/** How many bytes the body of the largest result may have. */
const ROOM = GATEWAY_LIMITS.answerBytes - JSON.stringify({ statusCode: 200, body: '' }).length;
const ROOM_BASE64 =
  GATEWAY_LIMITS.answerBytes - JSON.stringify({ statusCode: 200, body: '', isBase64Encoded: true }).length;

it.each([
  ['text', 'x'.repeat(ROOM), 200],
  ['text', 'x'.repeat(ROOM + 1), 500],
  ['escapes', '"\b\r\\'.repeat(ROOM / 8), 200],
  ['escapes', '"\b\r\\'.repeat(ROOM / 8 + 1), 500],
  ['control characters', '\u0001'.repeat(ROOM / 6 + 1), 500],
  ['UTF-8', 'ä'.repeat(ROOM / 2 + 1), 500],
  ['base64', 'A'.repeat(Math.floor(ROOM_BASE64 / 4) * 4), 200],
  ['base64', 'A'.repeat(Math.ceil(ROOM_BASE64 / 4 + 0.1) * 4), 500],
])('limits how long a result is as JSON: %s', async (kind, body, status) => {
  const isBase64Encoded = kind === 'base64' && { isBase64Encoded: true };
  const { response } = await respond(async () => ({ statusCode: 200, body, ...isBase64Encoded }));
  expect(response.status).toBe(status);
  await response.arrayBuffer();
});
