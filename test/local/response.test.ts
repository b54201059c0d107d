import { expect, it } from 'vitest';
import { GATEWAY_LIMITS } from '../../lib/contract/limits.ts';
import { startFixture } from './world.ts';

async function answerTo(result: unknown) {
  const fixture = await startFixture({ handler: async () => result });
  return { answer: await fetch(`${fixture.url}/health`), failures: fixture.failures };
}

it('status, headers and text', async () => {
  const { answer } = await answerTo({
    statusCode: 201,
    headers: { Location: '/x', 'X-Number': 1 },
    multiValueHeaders: { Link: ['<a>', '<b>'], 'x-number': [2] },
    body: 'grüezi',
  });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('location')).toBe('/x');
  expect(answer.headers.get('link')).toBe('<a>, <b>');
  expect(answer.headers.get('x-number')).toBe('1, 2');
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(await answer.text()).toBe('grüezi');
});

it('base64 becomes bytes', async () => {
  const bytes = Buffer.from([0, 255, 128, 10]);
  const { answer } = await answerTo({ statusCode: 200, body: bytes.toString('base64'), isBase64Encoded: true });
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
});

it('204 has no body and no length', async () => {
  const { answer } = await answerTo({ statusCode: 204, headers: { 'X-Request-Id': 'r' }, body: '' });
  expect(answer.status).toBe(204);
  expect(answer.headers.get('content-length')).toBeNull();
  expect(answer.headers.get('x-request-id')).toBe('r');
});

it('headers that API Gateway keeps for itself are renamed', async () => {
  const { answer } = await answerTo({
    statusCode: 401,
    headers: { 'WWW-Authenticate': 'Basic', 'Content-Length': '999', Connection: 'close' },
    body: '{}',
  });
  expect(answer.headers.get('www-authenticate')).toBeNull();
  expect(answer.headers.get('x-amzn-remapped-www-authenticate')).toBe('Basic');
  expect(answer.headers.get('x-amzn-remapped-content-length')).toBe('999');
  expect(answer.headers.get('content-length')).toBe('2');
});

const malformed = [
  ['nothing', undefined],
  ['text', 'ok'],
  ['no status', { body: '' }],
  ['a status that is no number', { statusCode: '200', body: '' }],
  ['a status outside HTTP', { statusCode: 1000, body: '' }],
  ['an informational status', { statusCode: 101, body: '' }],
  ['a body that is no text', { statusCode: 200, body: { a: 1 } }],
  ['a field of its own', { statusCode: 200, body: '', extra: 1 }],
  ['a header with a line break', { statusCode: 200, headers: { 'X-A': 'b\r\nX-C: d' }, body: '' }],
  ['a header name with a space', { statusCode: 200, headers: { 'X A': 'b' }, body: '' }],
  ['base64 that is none', { statusCode: 200, body: '!!!!', isBase64Encoded: true }],
] as const;

it.each(malformed)('an answer that is %s', async (_what, result) => {
  const { answer, failures } = await answerTo(result);
  expect(answer.status).toBe(500);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(await answer.json()).toMatchObject({
    status: 500,
    outcome: 'unknown',
    instance: answer.headers.get('x-request-id'),
  });
  expect(failures).toMatchObject([{ functionName: 'health' }]);
});

it.each([
  ['rejects', () => Promise.reject(new TypeError('secret content'))],
  [
    'throws',
    () => {
      throw new TypeError('secret content');
    },
  ],
])('a function that %s tells the client nothing', async (_what, handler) => {
  const { url, failures } = await startFixture({ handler });
  const answer = await fetch(`${url}/health`);
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain('secret');
  expect(failures).toMatchObject([{ functionName: 'health', error: { name: 'TypeError' } }]);
});

it('a function that takes too long', async () => {
  const { url } = await startFixture({ handler: () => new Promise(() => {}), timeoutMs: 20 });
  const answer = await fetch(`${url}/health`);
  expect(answer.status).toBe(504);
  expect(await answer.json()).toMatchObject({ type: `${url}/problems/outcome-unknown`, outcome: 'unknown' });
});

/** How much of the largest answer is left for the characters of the body. */
const ROOM = GATEWAY_LIMITS.answerBytes - JSON.stringify({ statusCode: 200, body: '' }).length;
const ROOM_BASE64 =
  GATEWAY_LIMITS.answerBytes - JSON.stringify({ statusCode: 200, body: '', isBase64Encoded: true }).length;

it.each([
  ['text, one less', { statusCode: 200, body: 'x'.repeat(ROOM - 1) }, 200],
  ['text', { statusCode: 200, body: 'x'.repeat(ROOM) }, 200],
  ['text, one over', { statusCode: 200, body: 'x'.repeat(ROOM + 1) }, 500],
  ['escapes', { statusCode: 200, body: '"\n'.repeat(ROOM / 4) }, 200],
  ['escapes, over', { statusCode: 200, body: '"\n'.repeat(ROOM / 4 + 1) }, 500],
  ['control characters, over', { statusCode: 200, body: '\u0001'.repeat(ROOM / 6 + 1) }, 500],
  ['UTF-8, over', { statusCode: 200, body: 'ä'.repeat(ROOM / 2 + 1) }, 500],
  ['base64', { statusCode: 200, body: 'A'.repeat(Math.floor(ROOM_BASE64 / 4) * 4), isBase64Encoded: true }, 200],
  [
    'base64, over',
    { statusCode: 200, body: 'A'.repeat(Math.ceil(ROOM_BASE64 / 4 + 0.1) * 4), isBase64Encoded: true },
    500,
  ],
] as const)('the largest answer: %s', async (_what, result, status) => {
  const { answer } = await answerTo(result);
  expect(answer.status).toBe(status);
  await answer.arrayBuffer();
});
