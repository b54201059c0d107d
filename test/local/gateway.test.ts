import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { nextTurn } from '../../lib/service/turn.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { bodyOf, exchange, open, readAll, statusOf } from '../support/raw-http.ts';
import { AUTHORIZATION, gate, head, startFixture } from './world.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const CLOSE = 'Connection: close\r\n';

it.each([
  ['GET', '/', BROWSER, 302],
  ['HEAD', '/?', BROWSER, 302],
  ['GET', '/', '*/*', 404],
  ['GET', '/', 'text/html;q=0, */*', 404],
  ['POST', '/', BROWSER, 404],
  ['GET', '/?x=1', BROWSER, 404],
  ['GET', '//', BROWSER, 404],
])('redirects a browser to the reference page: %s %s with Accept: %s is %i', async (method, path, accept, status) => {
  const { port, calls } = await startFixture();
  const answer = await exchange(port, head(method, path, `Accept: ${accept}\r\n${CLOSE}`));
  expect(statusOf(answer)).toBe(status);
  if (status === 302) expect(answer).toMatch(/^Location: \/docs\r\nVary: Accept\r$/m);
  else expect(JSON.parse(bodyOf(answer))).toMatchObject({ type: 'http://a/problems/route-not-found' });
  expect(calls).toEqual([]);
});

it.each([
  ['GET *', 404],
  ['GET nowhere', 400],
  ['GET http://other.test/health', 200],
  ['GET http://other.test', 404],
  ['GET http://other.test?x=/health', 404],
  ['GET /__proto__', 404],
  ['GET /health?x=%zz', 400],
  ['GET /health?__proto__=x&constructor=y', 200],
  ['GET /segments/projects/%00', 200],
  [`GET /${'a/'.repeat(4_000)}`, 404],
  [`GET /health?${'&'.repeat(8_000)}`, 200],
  ['BREW /health', 400],
  ['CONNECT other.test:443', 400],
])('answers %s, and the next request', async (start, status) => {
  const { port, url } = await startFixture();
  const bytes = Buffer.from(`${start} HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\n${CLOSE}\r\n`, 'latin1');
  const answer = await exchange(port, bytes);
  expect(statusOf(answer)).toBe(status);
  if (status !== 200) expect(JSON.parse(bodyOf(answer))).toMatchObject({ status, retryable: false });
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

const CREATE = 'POST /segments/projects HTTP/1.1\r\nHost: a\r\n';

it.each([
  ['text', 'hello\r\n\r\n'],
  ['TLS', Buffer.from('160301020001', 'hex')],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a request without Host', 'GET /health HTTP/1.1\r\n\r\n'],
  ['a wrong Host', `GET /health HTTP/1.1\r\nHost: a"><b\r\n${CLOSE}\r\n`],
  ['a Host with a wrong port', `GET /health HTTP/1.1\r\nHost: a:99999\r\n${CLOSE}\r\n`],
  ['two Hosts', `GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n${CLOSE}\r\n`],
  ['too many headers', `GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['two lengths', `${CREATE}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
  ['length and chunks', `${CREATE}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a body that becomes garbage', `${CREATE}Authorization: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n`],
])('answers %s with 400, and ends the connection', async (_, bytes) => {
  const { port, url, calls } = await startFixture();
  const socket = await open(port);
  const everything = readAll(socket);
  socket.write(bytes);
  // The gateway keeps the connection open only after a request that Node could read.
  socket.on('data', () => socket.end());
  const answer = await everything;
  expect(statusOf(answer)).toBe(400);
  const id = /^X-Request-Id: (.+)\r$/m.exec(answer)?.[1];
  expect(JSON.parse(bodyOf(answer))).toMatchObject({
    type: `${url}/problems/invalid-header`,
    status: 400,
    instance: id,
  });
  expect(calls).toEqual([]);
});

it('needs no Host in HTTP/1.0', async () => {
  const { port, only } = await startFixture();
  expect(statusOf(await exchange(port, 'GET /health HTTP/1.0\r\n\r\n'))).toBe(200);
  expect(only().event.requestContext.domainName).toBe(`127.0.0.1:${port}`);
});

it.each([
  ['garbage', 'garbage\r\n\r\n'],
  ['CONNECT', 'CONNECT a:443 HTTP/1.1\r\n\r\n'],
  ['a body that becomes garbage', `${head('POST', '/segments/projects', 'Transfer-Encoding: chunked\r\n')}zz\r\n`],
])('answers a request before %s', async (_, bytes) => {
  const { port, calls } = await startFixture();
  const answer = await exchange(port, head('GET', '/segments/projects') + bytes);
  expect(statusOf(answer)).toBe(200);
  expect(bodyOf(answer)).toBe('{}');
  expect(calls.map(({ event }) => event.httpMethod)).toEqual(['GET']);
});

it('finishes a response that is being sent before it ends a connection with garbage', async () => {
  const body = 'x'.repeat(6_000_000);
  const { port } = await startFixture({ handler: async () => ({ statusCode: 200, body }) });
  const socket = await open(port);
  socket.write(head('GET', '/health'));
  await once(socket, 'readable'); // The test reads no more until the gateway has received the garbage.
  socket.write('garbage\r\n\r\n');
  await exchange(port, head('GET', '/nowhere', CLOSE));
  expect(bodyOf(await readAll(socket))).toBe(body);
});

it('answers a client that has closed its side', async () => {
  const { entered, leave, pass } = gate();
  const { port, url } = await startFixture({
    async handler({ path }) {
      if (path !== '/health') await pass();
      return { statusCode: 200, body: 'done' };
    },
  });
  const socket = await open(port);
  const everything = readAll(socket);
  socket.end(head('GET', '/segments/projects').repeat(2));
  await Promise.all([entered, once(socket, 'finish')]);
  // When the gateway answers a later request, it knows that the client has closed its side.
  await fetch(`${url}/health`);
  leave();
  expect((await everything).match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(2);
});

it('serves the requests of one connection in order, and those of others at the same time', async () => {
  const { entered, leave, pass } = gate();
  const { port, calls } = await startFixture({
    async handler({ httpMethod }) {
      if (httpMethod === 'POST') await pass();
      return { statusCode: 200, body: httpMethod };
    },
  });
  const socket = await open(port);
  const request = (method: string, lines = '') => head(method, '/segments/projects', `Content-Length: 0\r\n${lines}`);
  socket.end(request('POST') + request('GET') + request('GET', CLOSE));
  await entered;
  // At this time, the gateway has long read the other requests of the first connection.
  expect(await exchange(port, request('GET', CLOSE))).toContain('GET');
  expect(calls.map(({ event }) => event.httpMethod)).toEqual(['POST', 'GET']);
  leave();
  expect((await readAll(socket)).match(/POST|GET/g)).toEqual(['POST', 'GET', 'GET']);
});

it('lets a running request finish when it closes, and ends idle connections', async () => {
  const { entered, leave, pass } = gate();
  const { gateway, port, url } = await startFixture({
    async handler({ path }) {
      if (path !== '/health') await pass();
      return { statusCode: 200, body: 'done' };
    },
  });
  const silent = await open(port);
  const idle = await open(port);
  idle.write(head('GET', '/health'));
  await once(idle, 'data');
  const running = fetch(`${url}/segments/projects`, { headers: AUTHORIZATION });
  await entered;
  const ended = Promise.all([once(silent, 'close'), once(idle, 'close')]);
  const closed = gateway.close();
  await expect(open(port)).rejects.toThrow('ECONNREFUSED');
  leave();
  const response = await running;
  expect(response.headers.get('connection')).toBe('close');
  expect(await response.text()).toBe('done');
  silent.resume();
  idle.resume();
  await Promise.all([closed, ended]);
});

it('continues, and can close, after a client has disconnected', async () => {
  const { entered, leave, pass } = gate();
  const { gateway, port, url, failures } = await startFixture({
    async handler({ path }) {
      if (path !== '/health') await pass();
      return { statusCode: 200, body: '' };
    },
  });
  const socket = await open(port);
  socket.write(head('GET', '/segments/projects').repeat(2));
  await entered;
  socket.destroy();
  await once(socket, 'close');
  leave();
  expect((await fetch(`${url}/health`)).status).toBe(200);
  await gateway.close();
  expect(failures).toEqual([]);
});

it('ends a connection that pipelines too many requests', async () => {
  const { leave, pass } = gate();
  const { gateway, port, calls } = await startFixture({
    async handler() {
      await pass();
      return { statusCode: 200, body: '' };
    },
  });
  const socket = await open(port);
  socket.on('error', () => {}).resume();
  socket.write(head('GET', '/health').repeat(1_000));
  await once(socket, 'close');
  expect(calls.length).toBeLessThanOrEqual(8);
  leave();
  await gateway.close();
});

it('accepts connections that wait before long work goes on', async () => {
  const CONNECTIONS = 40;
  let slices = 0;
  let isOver = false;
  const { url, port } = await startFixture({
    async handler({ path }) {
      for (; path !== '/health' && !isOver; slices++) await nextTurn();
      return { statusCode: 200 };
    },
  });
  const work = fetch(`${url}/segments/projects`, { headers: AUTHORIZATION });
  await vi.waitFor(() => expect(slices).toBeGreaterThan(0), EVENTUALLY);
  const before = slices;
  const accepted = Array.from({ length: CONNECTIONS }, () => exchange(port, head('GET', '/health', CLOSE)));
  const answers = await Promise.all(accepted);
  const after = slices;
  isOver = true;
  expect(answers.map(statusOf)).toEqual(answers.map(() => 200));
  expect(after - before).toBeLessThan(CONNECTIONS / 2);
  expect((await work).status).toBe(200);
});
