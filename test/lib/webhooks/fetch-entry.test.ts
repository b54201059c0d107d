import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import { isPublicAddress } from '../../../lib/service/public-address.ts';
import { FETCH_LIMITS } from '../../../lib/webhooks/fetch-entry.ts';
import { FetchFailure } from '../../../lib/webhooks/fetch-failure.ts';
import type { SourceFetch } from '../../../lib/webhooks/sources.ts';
import { lookupOf } from '../events/receiver.ts';
import {
  answerJson,
  answerStatus,
  type FetcherOptions,
  localFetcher,
  SECRET,
  startContentSystem,
  startPlainSystem,
} from './content-system.ts';

const settings = (hosts: readonly string[]): SourceFetch => ({
  url: 'body.url',
  hosts,
  header: 'authorization',
  secretsAt: 'cms-1',
});

/** Fetches what a message names. */
function fetchFor(url: unknown, hosts: readonly string[], options?: FetcherOptions): Promise<string | undefined> {
  const deadline = deadlineAt(Date.now() + 60_000, Date.now);
  return localFetcher(options)(settings(hosts), { headers: {}, body: { url } }, { nowMs: 0, deadline });
}

/** Returns how a fetch fails. */
async function failureOf(url: unknown, hosts: readonly string[], options?: FetcherOptions): Promise<FetchFailure> {
  const error = await fetchFor(url, hosts, options).then(
    () => new Error('Nothing failed'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof FetchFailure)) throw error;
  expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toMatch(/CANARY|secretpath/);
  return error;
}

/** Returns the failure for an answer. */
async function failureFor(answer: RequestListener, options?: FetcherOptions): Promise<FetchFailure> {
  const { url, host } = await startContentSystem(answer);
  return failureOf(`${url}/secretpath`, [host], options);
}

describe('a fetch', () => {
  it('gets JSON with the secret, and nothing of the message', async () => {
    const { url, host, requests } = await startContentSystem(answerJson({ title: 'Opening hours', id: 7 }));
    expect(await fetchFor(`${url}/entries/7?locale=de#part`, [host])).toBe('{"title":"Opening hours","id":7}');
    expect(requests).toEqual([
      {
        path: '/entries/7?locale=de',
        headers: {
          accept: 'application/json',
          'accept-encoding': 'gzip',
          authorization: SECRET,
          connection: expect.any(String),
          host,
          'user-agent': 'Segue',
        },
      },
    ]);
  });

  it('sends no credentials if the fetch has no secret', async () => {
    const { url, host, requests } = await startContentSystem(answerJson(1));
    const deadline = { remainingMs: () => 60_000 };
    const call = { nowMs: 0, deadline };
    expect(await localFetcher()({ url: 'body.url', hosts: [host] }, { headers: {}, body: { url } }, call)).toBe('1');
    expect(requests).toMatchObject([{ headers: { accept: 'application/json' } }]);
    expect(JSON.stringify(requests)).not.toContain('CANARY');
  });

  it('gets several entries in order, and nothing for no value', async () => {
    const { url, host, requests } = await startContentSystem((request, response) =>
      answerJson(request.url)(request, response),
    );
    expect(await fetchFor([`${url}/b`, `${url}/a`], [host])).toBe('["/b","/a"]');
    expect(await fetchFor([`${url}/c`], [host])).toBe('["/c"]');
    expect(await fetchFor([], [host])).toBe('[]');
    expect(requests).toHaveLength(3);
    expect([await fetchFor(undefined, [host]), await fetchFor(null, [host])]).toEqual([undefined, undefined]);
    expect(requests).toHaveLength(3);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/vnd.cms.delivery.v1+json',
    'APPLICATION/JSON',
  ])('accepts the content type %s', async (type) => {
    const { url, host } = await startContentSystem((_, response) =>
      response.writeHead(200, { 'content-type': type }).end('{"a":1}'),
    );
    expect(await fetchFor(url, [host])).toBe('{"a":1}');
  });

  it('keeps the digits of long integers, as in a message', async () => {
    const { url, host } = await startContentSystem((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":12345678901234567890}'),
    );
    expect(await fetchFor(url, [host])).toBe('{"id":"12345678901234567890"}');
  });
});

describe('a fetch sends no request', () => {
  it.each<[string, (host: string) => unknown]>([
    ['a host outside the list', (host) => `https://other.test:${host.split(':')[1]}/`],
    ['a host below an allowed one', (host) => `https://x.${host}/`],
    ['an allowed host as user name', (host) => `https://${host}@169.254.169.254/`],
    ['a user name', (host) => `https://user@${host}/`],
    ['a password', (host) => `https://user:CANARY@${host}/`],
    ['an empty user name and a password', (host) => `https://:CANARY@${host}/`],
    ['a trailing dot', (host) => `https://${host.replace(':', '.:')}/`],
    ['another port', (host) => `https://${host.split(':')[0]}/`],
    ['port 0', (host) => `https://${host.split(':')[0]}:0/`],
    ['http', (host) => `http://${host}/`],
    ['ftp', (host) => `ftp://${host}/`],
    ['file', () => 'file:///etc/passwd'],
    ['data', () => 'data:application/json,{}'],
    ['no scheme', (host) => `//${host}/`],
    ['a path only', () => '/entries/7'],
    ['a backslash', (host) => `https://169.254.169.254\\@${host}/`],
    ['a line break in the host', (host) => `https://evil.test\n.${host}/`],
    ['an encoded dot', () => 'https://169%2e254%2e169%2e254/'],
    ['metadata', () => 'http://169.254.169.254/latest/meta-data/'],
    ['loopback', () => 'https://127.0.0.1/'],
    ['localhost', () => 'https://localhost/'],
    ['a decimal address', () => 'https://2130706433/'],
    ['an octal address', () => 'https://0177.0.0.1/'],
    ['a hexadecimal address', () => 'https://0x7f.1/'],
    ['a short address', () => 'https://127.1/'],
    ['IPv6 loopback', () => 'https://[::1]/'],
    ['IPv4 in IPv6', () => 'https://[::ffff:169.254.169.254]/'],
    ['full-width letters of another host', () => 'https://ｅvil.test/'],
    ['an empty text', () => ''],
    ['a number', () => 7],
    ['an object', () => ({ url: 'https://cms.test/' })],
    ['an array with a number', (host) => [`https://${host}/`, 7]],
    ['an array with a host outside the list', (host) => [`https://${host}/`, 'https://other.test/']],
    ['an array in an array', (host) => [[`https://${host}/`]]],
    ['too many URLs', (host) => Array.from({ length: FETCH_LIMITS.urls + 1 }, () => `https://${host}/`)],
    ['a long URL', (host) => `https://${host}/${'a'.repeat(FETCH_LIMITS.urlCharacters)}`],
  ])('to %s', async (_, urlFor) => {
    const { host, connections } = await startContentSystem(answerJson(1));
    const failure = await failureOf(urlFor(host), [host]);
    expect([failure.name, failure.retry]).toEqual(['fetch-failed', 'never']);
    expect(connections()).toBe(0);
  });

  it.each([
    ['127.0.0.1', ['127.0.0.1']],
    ['a private address beside a public one', ['8.8.8.8', '10.0.0.1']],
    ['metadata', ['169.254.169.254']],
    ['IPv4 in IPv6', ['::ffff:127.0.0.1']],
    ['a local IPv6 address', ['fd00:ec2::254']],
  ])('to an allowed host that resolves to %s', async (_, addresses) => {
    const { url, host, connections } = await startContentSystem(answerJson(1));
    const { lookup } = lookupOf(addresses);
    const failure = await failureOf(url, [host], { lookup, mayConnect: isPublicAddress });
    expect([failure.message, failure.retry]).toEqual([expect.stringContaining('not public'), 'never']);
    expect(connections()).toBe(0);
  });

  it('to 127.0.0.1, unless Segue allows it, even if it is in the list', async () => {
    const { url, host, requests } = await startPlainSystem(answerJson(1));
    const failure = await failureOf(url, [host], { mayConnect: isPublicAddress });
    expect(failure.message).toContain('--allow-loopback-events');
    expect(requests).toEqual([]);
    expect(await fetchFor(url, [host], { allowsLoopback: true, mayConnect: isPublicAddress })).toBe('1');
    expect(requests).toMatchObject([{ headers: { authorization: SECRET } }]);
  });

  it('to a second address of a name: it connects to the one that it checked', async () => {
    const { url, host } = await startContentSystem(answerJson(1));
    const { lookup, calls } = lookupOf(['127.0.0.1'], ['127.0.0.2']);
    expect(await fetchFor(url, [host], { lookup })).toBe('1');
    expect(calls()).toBe(1);
  });
});

describe('a redirect', () => {
  const redirectTo = (location: string, status = 302) => answerStatus(status, { location });

  it('is followed on the same host, with the secret', async () => {
    const { url, host, requests } = await startContentSystem((request, response) =>
      (request.url === '/new' ? answerJson('new') : redirectTo('/new', 308))(request, response),
    );
    expect(await fetchFor(`${url}/old`, [host])).toBe('"new"');
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([SECRET, SECRET]);
  });

  it('is followed to another allowed host, without the secret', async () => {
    const other = await startContentSystem(answerJson('other'));
    const { url, host, requests } = await startContentSystem(redirectTo(`${other.url}/x`));
    expect(await fetchFor(url, [host, other.host])).toBe('"other"');
    expect(requests).toMatchObject([{ headers: { authorization: SECRET } }]);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it.each<[string, (otherHost: string) => string]>([
    ['another host', (other) => `https://${other}/`],
    ['another host, without scheme', (other) => `//${other}/`],
    ['metadata', () => 'http://169.254.169.254/latest/meta-data/'],
    ['loopback', () => 'http://127.0.0.1/'],
    ['a private address', () => 'https://10.0.0.1/'],
    ['IPv6 loopback', () => 'https://[::1]/'],
    ['a file', () => 'file:///etc/passwd'],
    ['no URL', () => 'https://:x/'],
  ])('to %s is not followed', async (_, locationFor) => {
    const other = await startContentSystem(answerJson('other'));
    const { url, host } = await startContentSystem(redirectTo(locationFor(other.host)));
    const failure = await failureOf(url, [host]);
    expect([failure.message, failure.retry]).toEqual([expect.stringContaining('redirected'), 'never']);
    expect(other.connections()).toBe(0);
  });

  it('to http is not followed', async () => {
    const { url, host } = await startContentSystem((_, response) =>
      response.writeHead(301, { location: `http://${host}/` }).end(),
    );
    expect((await failureOf(url, [host])).retry).toBe('never');
  });

  it('is followed three times', async () => {
    const { url, host, requests } = await startContentSystem((request, response) =>
      redirectTo(`${request.url}x`)(request, response),
    );
    expect((await failureOf(`${url}/`, [host])).message).toContain('more than 3 times');
    expect(requests.map(({ path }) => path)).toEqual(['/', '/x', '/xx', '/xxx']);
  });

  it('without a location is a failure', async () => {
    expect((await failureFor(answerStatus(302))).message).toContain('answered 302');
  });
});

describe('an answer', () => {
  it.each([
    [500, 'always'],
    [503, 'always'],
    [429, 'always'],
    [408, 'always'],
    [425, 'always'],
    [404, 'missing'],
    [410, 'never'],
    [401, 'never'],
    [403, 'never'],
    [400, 'never'],
    [304, 'never'],
  ])('of status %s is retried: %s', async (status, retry) => {
    const failure = await failureFor(answerStatus(status, { 'retry-after': '7' }));
    expect([failure.retry, failure.message]).toEqual([retry, expect.stringContaining(` answered ${status}.`)]);
    expect(failure.occurrence.retryAfterSeconds).toBe(retry === 'always' ? 7 : undefined);
  });

  const answer =
    (body: string | Uint8Array, headers: Record<string, string> = {}): RequestListener =>
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
    };
  const padded = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
  const deep = '['.repeat(100) + ']'.repeat(100);

  it.each<[string, RequestListener, RegExp]>([
    ['HTML', answer('<p>CANARY</p>', { 'content-type': 'text/html' }), /not with JSON/],
    ['text', answer('{}', { 'content-type': 'text/plain' }), /not with JSON/],
    ['no content type', answer('{}', { 'content-type': '' }), /not with JSON/],
    ['no body', answerStatus(204), /not with JSON/],
    ['an empty body', answer(''), /empty/],
    ['broken JSON', answer('{"CANARY":'), /JSON/],
    ['a repeated key', answer('{"CANARY":1,"CANARY":2}'), /repeats a key/],
    ['deep JSON', answer(deep), /levels/],
    ['too many values', answer(`[${'0,'.repeat(500_001)}0]`), /500000/],
    ['a wrong byte', answer(Buffer.from([0x22, 0xff, 0x22])), /UTF-8/],
    ['one byte too much', answer(padded(FETCH_LIMITS.bytes + 1)), /too large/],
    [
      'a gzip bomb',
      answer(gzipSync(Buffer.alloc(FETCH_LIMITS.bytes * 8, ' ')), { 'content-encoding': 'gzip' }),
      /decoding/,
    ],
    ['broken gzip', answer('CANARY', { 'content-encoding': 'gzip' }), /decoding/],
    ['an unknown coding', answer('{}', { 'content-encoding': 'br' }), /decoding/],
  ])('with %s is refused', async (_, listener, detail) => {
    const failure = await failureFor(listener);
    expect([failure.name, failure.retry, failure.message]).toEqual([
      'fetch-failed',
      'never',
      expect.stringMatching(detail),
    ]);
    expect(failure.occurrence.errors).toBeUndefined();
  });

  it('may have the most bytes, plain or compressed', async () => {
    const text = padded(FETCH_LIMITS.bytes);
    for (const listener of [answer(text), answer(gzipSync(text), { 'content-encoding': 'gzip' })]) {
      const { url, host } = await startContentSystem(listener);
      expect((await fetchFor(url, [host]))?.length).toBe(FETCH_LIMITS.bytes);
    }
  });

  it('counts the bytes of all entries together', async () => {
    const { url, host } = await startContentSystem(answer(padded(FETCH_LIMITS.bytes / 2 + 1)));
    expect((await failureOf([url, url], [host])).message).toContain('too large');
  });

  it.each<[string, RequestListener]>([
    ['never begins', () => {}],
    ['never ends', (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('"')],
    [
      'is cut off',
      (_, response) => {
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': '9' })
          .write('"', () => response.destroy());
      },
    ],
    ['is not HTTP', (request) => void request.socket.end('CANARY')],
  ])('that %s is retried', async (_, listener) => {
    expect((await failureFor(listener, { timeoutMs: 300 })).retry).toBe('always');
  });

  it('that drips for ever ends with the time of all requests together', async () => {
    const { url, host } = await startContentSystem((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 10);
      response.once('close', () => clearInterval(drip));
    });
    const endsAtMs = Date.now() + 400;
    const deadline = deadlineAt(endsAtMs, Date.now);
    const fetched = localFetcher()(settings([host]), { headers: {}, body: { url } }, { nowMs: 0, deadline });
    await expect(fetched).rejects.toMatchObject({ retry: 'always' });
  });
});
