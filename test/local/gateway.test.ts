import { once } from 'node:events';
import { expect, it } from 'vitest';
import { bodyOf, exchange, open, readAll, statusOf } from '../support/raw-http.ts';
import { AUTHORIZATION, startFixture } from './world.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

it.each([
  ['GET', '/'],
  ['GET', '/?'],
  ['HEAD', '/'],
])('%s %s of a browser leads to the reference page', async (method, path) => {
  const { url, calls } = await startFixture();
  const answer = await fetch(url + path, { method, headers: { Accept: BROWSER }, redirect: 'manual' });
  expect(answer.status).toBe(302);
  expect(answer.headers.get('location')).toBe('/docs');
  expect(answer.headers.get('vary')).toBe('Accept');
  expect(answer.headers.get('x-request-id')).toMatch(/./);
  expect(await answer.text()).toBe('');
  expect(calls).toEqual([]);
});

it.each([
  ['GET', '/', '*/*'],
  ['GET', '/', 'application/json'],
  ['GET', '/', 'text/html;q=0, */*'],
  ['POST', '/', BROWSER],
  ['GET', '/?x=1', BROWSER],
  ['GET', '//', BROWSER],
  ['GET', '/nowhere', BROWSER],
])('%s %s with Accept: %s is 404 as ever', async (method, path, accept) => {
  const { port } = await startFixture();
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: a', `Accept: ${accept}`, 'Connection: close', '', ''];
  const answer = await exchange(port, lines.join('\r\n'));
  expect(statusOf(answer)).toBe(404);
  expect(JSON.parse(bodyOf(answer))).toMatchObject({ type: 'http://a/problems/route-not-found' });
});

const targets = [
  ['GET *', 404],
  ['OPTIONS *', 404],
  ['GET nowhere', 400],
  ['GET http://other.test/health', 200],
  ['GET http://other.test', 404],
  ['GET http://other.test?x=/health', 404],
  ['GET http://', 404],
  ['GET //health', 404],
  ['GET /health?x=%', 400],
  ['GET /health?x=%zz', 400],
  ['GET /health?x=%ff', 400],
  ['GET /health?x=|', 400],
  ['GET /health?x={y}', 400],
  ['GET /health?x=\u00e4', 400],
  ['GET /health?__proto__=x&constructor=y', 200],
  ['GET /segments/projects/%', 400],
  ['GET /segments/projects/%00', 200],
  ['GET /segments/projects/%ff', 200],
  ['GET /segments/projects/\u00e4', 400],
  [`GET /${'a/'.repeat(4_000)}`, 404],
  [`GET /health?${'&'.repeat(8_000)}`, 200],
  ['BREW /health', 400],
  ['CONNECT other.test:443', 400],
] as const;

it.each(targets)('%s', async (start, status) => {
  const { port, url } = await startFixture();
  const head = `${start} HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nConnection: close\r\n\r\n`;
  const answer = await exchange(port, Buffer.from(head, 'latin1'));
  expect(statusOf(answer)).toBe(status);
  if (status !== 200) expect(JSON.parse(bodyOf(answer))).toMatchObject({ status, retryable: false });
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

const malformed = [
  ['no HTTP', 'hello\r\n\r\n'],
  ['TLS', Buffer.from('160301020001', 'hex')],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['no Host', 'GET /health HTTP/1.1\r\n\r\n'],
  ['a Host that is none', 'GET /health HTTP/1.1\r\nHost: a"><b\r\nConnection: close\r\n\r\n'],
  ['a Host with a port that is none', 'GET /health HTTP/1.1\r\nHost: a:99999\r\nConnection: close\r\n\r\n'],
  ['two Hosts', 'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
  ['too many headers', `GET /health HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['two lengths', 'POST /segments/projects HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  [
    'length and chunks',
    'POST /segments/projects HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ],
] as const;

it.each(malformed)('%s is 400 and the end of the connection', async (_what, bytes) => {
  const { port, calls } = await startFixture();
  const socket = await open(port);
  const everything = readAll(socket);
  socket.write(bytes);
  // Only a request that Node could read leaves the connection open.
  socket.on('data', () => socket.end());
  const answer = await everything;
  expect(statusOf(answer)).toBe(400);
  const id = /^X-Request-Id: (.+)\r$/m.exec(answer)?.[1];
  expect(JSON.parse(bodyOf(answer))).toMatchObject({ status: 400, instance: id });
  expect(calls).toEqual([]);
});

it('HTTP/1.0 needs no Host', async () => {
  const { port, only } = await startFixture();
  expect(statusOf(await exchange(port, 'GET /health HTTP/1.0\r\n\r\n'))).toBe(200);
  expect(only().event.requestContext.domainName).toBe(`127.0.0.1:${port}`);
});

it.each(['garbage', 'CONNECT a:443 HTTP/1.1'])('"%s" behind a request is no answer to it', async (line) => {
  const { port, calls } = await startFixture();
  const answer = await exchange(port, `GET /health HTTP/1.1\r\nHost: a\r\n\r\n${line}\r\n\r\n`);
  expect(statusOf(answer)).toBe(200);
  expect(bodyOf(answer)).toBe('{}');
  expect(calls).toHaveLength(1);
});

it('garbage behind a request whose answer is on its way ends the connection with that answer', async () => {
  const body = 'x'.repeat(6_000_000);
  const { port } = await startFixture({ handler: async () => ({ statusCode: 200, body }) });
  const socket = await open(port);
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'readable'); // No more is taken from here on until the gateway has got the garbage.
  socket.write('garbage\r\n\r\n');
  await exchange(port, 'GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(bodyOf(await readAll(socket))).toBe(body);
});

it('a request before a body that breaks off into garbage gets its answer', async () => {
  const { port, calls } = await startFixture();
  const head = 'Host: a\r\nAuthorization: x\r\n';
  const whole = `GET /segments/projects HTTP/1.1\r\n${head}\r\n`;
  const broken = `POST /segments/projects HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`;
  const answer = await exchange(port, whole + broken);
  expect(statusOf(answer)).toBe(200);
  expect(bodyOf(answer)).toBe('{}');
  expect(calls.map(({ event }) => event.httpMethod)).toEqual(['GET']);
});

it('a client that has said everything and closed its side gets its answers', async () => {
  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const { port, url } = await startFixture({
    async handler({ path }) {
      entered.resolve();
      if (path !== '/health') await leave.promise;
      return { statusCode: 200, body: 'done' };
    },
  });
  const socket = await open(port);
  const everything = readAll(socket);
  socket.end('GET /segments/projects HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\n\r\n'.repeat(2));
  await Promise.all([entered.promise, once(socket, 'finish')]);
  await fetch(`${url}/health`); // The gateway has heard of the end when it answers what was asked later.
  leave.resolve();
  expect((await everything).match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(2);
});

it('pipelined requests are answered in their order', async () => {
  const { port } = await startFixture({ handler: async ({ path }) => ({ statusCode: 200, body: path }) });
  const ask = (id: number, connection: string) =>
    `GET /segments/projects/${id} HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nConnection: ${connection}\r\n\r\n`;
  const answer = await exchange(port, ask(1, 'keep-alive') + ask(2, 'keep-alive') + ask(3, 'close'));
  expect(answer.match(/\/segments\/projects\/\d/g)).toEqual([1, 2, 3].map((id) => `/segments/projects/${id}`));
});

it('a body that breaks off into garbage never reaches the function', async () => {
  const { port, calls } = await startFixture();
  const head = 'POST /segments/projects HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  expect(statusOf(await exchange(port, head, '2\r\n{}\r\nzz\r\n'))).toBe(400);
  expect(calls).toEqual([]);
});

it('requests run at the same time', async () => {
  const all = Promise.withResolvers<void>();
  let arrived = 0;
  const { url } = await startFixture({
    async handler({ path }) {
      if (++arrived === 12) all.resolve();
      await all.promise;
      return { statusCode: 200, body: path };
    },
  });
  const ids = Array.from({ length: 12 }, (_, index) => `/segments/projects/${index}`);
  const answers = await Promise.all(
    ids.map(async (path) => (await fetch(url + path, { headers: AUTHORIZATION })).text()),
  );
  expect(answers).toEqual(ids);
});

it('close lets a running request finish and ends idle connections', async () => {
  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const { gateway, port, url } = await startFixture({
    async handler({ path }) {
      if (path === '/health') return { statusCode: 200, body: '' };
      entered.resolve();
      await leave.promise;
      return { statusCode: 200, body: 'done' };
    },
  });
  const silent = await open(port);
  const idle = await open(port);
  idle.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(idle, 'data');
  const running = fetch(`${url}/segments/projects`, { headers: AUTHORIZATION });
  await entered.promise;
  const ended = Promise.all([once(silent, 'close'), once(idle, 'close')]);
  const closed = gateway.close();
  await expect(open(port)).rejects.toThrow('ECONNREFUSED');
  leave.resolve();
  const answer = await running;
  expect(answer.headers.get('connection')).toBe('close');
  expect(await answer.text()).toBe('done');
  silent.resume();
  idle.resume();
  await Promise.all([closed, ended]);
});

it('requests on one connection are done one after the other, since one may be about what another did', async () => {
  const leave = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const { port, calls } = await startFixture({
    async handler({ httpMethod }) {
      entered.resolve();
      if (httpMethod === 'POST') await leave.promise;
      return { statusCode: 200, body: httpMethod };
    },
  });
  const socket = await open(port);
  const head = (method: string, more = '') =>
    `${method} /segments/projects HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nContent-Length: 0\r\n${more}\r\n`;
  socket.end(head('POST') + head('GET'));
  await entered.promise;
  // Whoever comes on another connection is not held up, and by then the second request has long been read.
  expect(await exchange(port, head('GET', 'Connection: close\r\n'))).toContain('GET');
  expect(calls.map(({ event }) => event.httpMethod)).toEqual(['POST', 'GET']);
  leave.resolve();
  expect((await readAll(socket)).match(/POST|GET/g)).toEqual(['POST', 'GET']);
  expect(calls).toHaveLength(3);
});

it('close does not wait for answers that nobody takes', async () => {
  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const { gateway, port } = await startFixture({
    async handler() {
      entered.resolve();
      await leave.promise;
      return { statusCode: 200, body: '' };
    },
  });
  const socket = await open(port);
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2));
  await entered.promise;
  socket.destroy();
  await once(socket, 'close');
  leave.resolve();
  await gateway.close();
});

it('a client that goes away does not stop the function or the gateway', async () => {
  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const { port, url, failures } = await startFixture({
    async handler() {
      entered.resolve();
      await leave.promise;
      return { statusCode: 200, body: '' };
    },
  });
  const socket = await open(port);
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
  await entered.promise;
  socket.destroy();
  await once(socket, 'close');
  leave.resolve();
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(failures).toEqual([]);
});
