import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { askFor } from './facts/asking.ts';
import type { AskedFact, Fact, Need } from './facts/fact.ts';
import { FACT_GROUPS } from './facts/index.ts';
import { planOf } from './facts/plan.ts';
import { factReport } from './facts/report.ts';

const ALL = FACT_GROUPS.flatMap(({ facts }) => facts);
const ASKED = ALL.flatMap((fact) => ('asks' in fact ? [fact] : []));
const AUTHORIZATION = 'Basic c2VjcmV0OnNlY3JldA==';

/** Returns the fact whose text begins with `beginning`. */
function asked(beginning: string): AskedFact {
  const fact = ASKED.find(({ fact }) => fact.startsWith(beginning));
  if (!fact) throw new RangeError(`No fact begins with ${beginning}`);
  return fact;
}

let server: Server | undefined;
afterEach(() => server?.close());

/** Starts a server that answers each request line with the result of `answer`, and records the line. */
async function startFake(answer: (line: string) => string) {
  const lines: string[] = [];
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => {
      const [line = ''] = head.toString('latin1').split('\r\n');
      lines.push(line);
      socket.end(answer(line));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return { url: `http://127.0.0.1:${address.port}/prod`, authorization: AUTHORIZATION, lines };
}

function http(status: string, body: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ 'Content-Length': String(body.length), ...headers });
  return `HTTP/1.1 ${status}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
const CREATED = http('201 Created', '{"id":7}');
const OK = http('200 OK', '{}');
const NOWHERE = http('404 Not Found', '{"message":"Not Found"}', { 'Content-Type': 'application/json' });

describe('every fact that sends requests', () => {
  test.each(ASKED)('fails for a wrong answer: $fact', async (fact) => {
    const few = { ...fact, ...(fact.atOnce && { atOnce: 3 }) };
    const outcomes = [];
    for (const everything of [OK, NOWHERE]) {
      const fake = await startFake((line) =>
        line.startsWith('POST /prod/segments/projects H') ? CREATED : everything,
      );
      outcomes.push(await askFor(few, fake).then(() => 'holds', String));
      server?.close();
    }
    expect(outcomes).toContainEqual(expect.stringMatching(/^OtherwiseSeen: .* must be .*; seen: |are other than 200$/));
    expect(outcomes.join()).not.toContain('c2VjcmV0');
  });
});

const problem = (url: string, type: string) => JSON.stringify({ type: `${url}/problems/${type}`, status: 404 });
const PROBLEM = { 'Content-Type': 'application/problem+json' };

describe('facts reject an answer that is only nearly right', () => {
  test.each([
    [
      'An unknown path',
      'AWS’s own words',
      http('403 Forbidden', '{"message":"Missing Authentication Token"}', {
        'x-amzn-ErrorType': 'MissingAuthenticationTokenException',
      }),
      'seen: 403, no problem, {"content-length":"42","x-amzn-errortype":"MissingAuthenticationTokenException"}',
    ],
    [
      'A gateway response',
      'a problem by another type',
      http('404 Not Found', '{}', { 'Content-Type': 'application/json' }),
      'seen: 404, no problem',
    ],
    [
      'Behind the base path',
      'a page at another place',
      http('404 Not Found', problem('https://example.com', 'route-not-found'), PROBLEM),
      'seen: 404, https://example.com/problems/route-not-found',
    ],
    ['`ANY` takes', 'no Allow', http('405 Method Not Allowed', '', PROBLEM), 'seen: 405'],
    [
      'A body marked as base64',
      'base64 that says it is gzip',
      http('200 OK', 'H4sIAAAAAAAA', { 'Content-Encoding': 'gzip' }),
      'seen: 200',
    ],
    [
      '`WWW-Authenticate`',
      'its own name',
      http('401 Unauthorized', '', { 'WWW-Authenticate': 'Basic x' }),
      'seen: 401',
    ],
    ['A usage plan', 'nobody refused', OK, '0 of 3 answers'],
    ['A usage plan', 'everybody refused', http('429 Too Many Requests', '', {}), 'seen: 429'],
    ['`.` and `..`', 'nothing', '', 'There is no answer'],
  ])('%s: %s', async (beginning, _, answer, seen) => {
    const { atOnce, ...fact } = asked(beginning);
    const fake = await startFake(() => answer);
    await expect(askFor({ ...fact, ...(atOnce && { atOnce: 3 }) }, fake)).rejects.toThrow(seen);
  });

  test('rejects an answer to HEAD that has a body', async () => {
    const answer = (body: string) =>
      http('200 OK', body, { 'Content-Type': 'application/json', 'Content-Length': '2' });
    await askFor(asked('HEAD has a method'), await startFake(() => answer('')));
    server?.close();
    const fake = await startFake(() => answer('{}'));
    await expect(askFor(asked('HEAD has a method'), fake)).rejects.toThrow('seen: 200');
  });
});

test('sends requests byte for byte, after the base URL, with the values of $ID, $X and $AUTH', async () => {
  const fake = await startFake((line) => (line.startsWith('POST') ? CREATED : NOWHERE));
  await expect(askFor(asked('The gateway ignores one slash'), fake)).rejects.toThrow(
    'GET /segments/projects/ must be 200',
  );
  await expect(askFor(asked('In a query, encoded bytes'), fake)).rejects.toThrow();
  expect(fake.lines).toEqual([
    'POST /prod/segments/projects HTTP/1.1',
    'GET /prod/segments/projects/ HTTP/1.1',
    'DELETE /prod/segments/projects/7 HTTP/1.1',
    'GET /prod/segments/projects/1?taskId=%ff HTTP/1.1',
  ]);
});

test('reads an answer in chunks', async () => {
  const chunks = '3\r\n[{"\r\n5\r\nid":1\r\n0\r\n\r\n';
  const fake = await startFake(() => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`);
  const [exchange] = asked('A body marked as base64').asks.slice(1);
  if (!exchange) throw new RangeError('There is no such exchange');
  await askFor({ ...asked('A body marked as base64'), asks: [exchange] }, fake);
});

describe('facts that throttle, against a gateway with a rate', async () => {
  const gateway = await startGateway({ env: { SEGUE_RATE: '50:100' } });
  afterAll(() => gateway.stop());

  test.each(ASKED.filter(({ needs }) => needs === 'load'))('$fact', (fact) => askFor(fact, gateway));
});

describe('planOf and factReport', () => {
  const onAws = (may: readonly Need[] = []) => ({ url: 'https://api.example.com/prod', may });
  const here = { url: 'http://127.0.0.1:8787', may: ['load', 'firewall'] } as const;
  const isAsked = (fact: Fact, circumstances: Parameters<typeof planOf>[1]) =>
    typeof planOf(fact, circumstances) !== 'string';

  test('plan every fact that requests can check and that the options allow', () => {
    expect(ALL.filter((fact) => isAsked(fact, onAws(['load', 'firewall'])))).toEqual(ASKED);
    expect(ALL.filter((fact) => isAsked(fact, onAws()))).toEqual(ASKED.filter(({ needs }) => needs === undefined));
  });

  test('leave out facts that are known to differ on this machine', () => {
    expect(planOf(asked('A request with another host'), here)).toMatchObject({
      asks: [{ headers: [['Host', 'a"b']] }],
    });
    expect(planOf(asked('A request with another host'), onAws())).toEqual(asked('A request with another host'));
    expect(planOf(asked('A transaction'), here)).toBe('not asked: on AWS alone');
  });

  test('report the result of each fact', () => {
    const of = (heading: string, fact: string) =>
      `What is assumed about API Gateway > ${heading} > ${asked(fact).fact}`;
    const report = factReport(
      new Map([
        [of('Headers', 'A request with another host'), { state: 'passed' }],
        [of('Query', 'Names'), { state: 'failed', errors: [{ message: 'seen: 500' }] }],
      ]),
      onAws(),
    );
    const said = (fact: string) =>
      report
        .slice(report.indexOf(`  ${fact}`))
        .split('\n')
        .slice(1, 3)
        .map((line) => line.trim());
    expect(said('A request with another host')[0]).toBe('passed');
    expect(said('Names')).toEqual(['failed', 'seen: 500']);
    expect(said('`.` and')[0]).toBe('failed');
    expect(said('A usage plan')[0]).toBe('not asked (use --load)');
    expect(said('An error of the authorizer')[0]).toMatch(/^by hand: /);
    for (const { fact } of ALL) expect(report).toContain(fact);
  });
});
