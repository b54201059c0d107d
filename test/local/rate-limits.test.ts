import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { tokenBuckets } from '../../lib/credentials/rate-limit.ts';
import { startGateway } from '../support/gateway.ts';
import { smallProject } from '../support/projects.ts';
import { AUTHORIZATION, startFixture } from './world.ts';

it('with SEGUE_RATE what is too much is 429, does nothing, and leaves the key free', async () => {
  const gateway = await startGateway({ env: { SEGUE_RATE: '1:3' } });
  onTestFinished(() => void gateway.stop());
  const body = JSON.stringify(smallProject());
  const create = async (key: string) => {
    const headers = {
      Authorization: gateway.authorization,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    };
    const answer = await fetch(`${gateway.url}/segments/projects`, { method: 'POST', headers, body });
    return { key, answer };
  };

  const all = await Promise.all(Array.from({ length: 20 }, (_, n) => create(`key-${n}`)));
  const refused = all.filter(({ answer }) => answer.status === 429);
  expect(all.filter(({ answer }) => answer.status === 201).length).toBe(all.length - refused.length);
  expect(all.length - refused.length).toBeGreaterThanOrEqual(3);
  expect(refused.length).toBeGreaterThan(0);
  for (const { answer } of refused) {
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toMatchObject({
      type: `${gateway.url}/problems/rate-limited`,
      detail: 'The company exceeds its request rate.',
      instance: answer.headers.get('x-request-id'),
      retryable: true,
      retryAfterSeconds: 1,
      outcome: 'not-applied',
    });
  }

  for (;;) {
    const { answer } = await create(refused[0]?.key ?? '');
    if (answer.status === 429) continue;
    expect(answer.status).toBe(201);
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    break;
  }
});

it('a request is counted once its company is known, and refused before its body is read', async () => {
  const now = () => 0;
  const { url, calls } = await startFixture({ now, rate: tokenBuckets({ perSecond: 1, burst: 1, now }).take });
  const create = (headers: Record<string, string>) =>
    fetch(`${url}/segments/projects`, { method: 'POST', headers, body: 'x' });
  for (const path of ['/health', '/health', '/nowhere']) await fetch(url + path);
  expect((await create({})).status).toBe(401);
  expect((await create(AUTHORIZATION)).status).toBe(200);
  // In a coding that is refused as soon as the body is looked at.
  expect((await create({ ...AUTHORIZATION, 'Content-Encoding': 'br' })).status).toBe(429);
  expect(calls.map(({ operation }) => operation)).toEqual(['health', 'health', 'createProject']);
});

/** Sends so many at once, and counts the answers by their status. */
async function statuses(count: number, send: (n: number) => Promise<Response>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let sent = 0; sent < count; sent += 25) {
    const answers = await Promise.all(Array.from({ length: 25 }, (_, n) => send(sent + n)));
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

it('sign-ins, refreshes and other requests count against one rate; wrong keys against that of their address', async () => {
  const gateway = await startGateway({ env: { SEGUE_RATE: '5:5' } });
  onTestFinished(() => void gateway.stop());
  const { url, authorization } = gateway;
  const began = performance.now();
  const post = (path: string, headers: Record<string, string>, body?: object) =>
    fetch(url + path, {
      method: 'POST',
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const signIn = (header = authorization) => post('/authentication/token', { Authorization: header });
  const list = (header = authorization) => fetch(`${url}/segments/projects`, { headers: { Authorization: header } });
  /** Waits for the rate as its answers say. */
  const within = async (send: () => Promise<Response>) => {
    for (;;) {
      const answer = await send();
      if (answer.status !== 429) return answer;
    }
  };

  const tokens = Tokens.parse(await (await signIn()).json());
  const signIns = await statuses(300, () => signIn());
  const mostWithin = 5 + (5 * (performance.now() - began)) / 1_000;
  expect(signIns['200']).toBeLessThanOrEqual(mostWithin);
  expect((signIns['200'] ?? 0) + (signIns['429'] ?? 0)).toBe(300);
  // One bucket for all: other requests find it empty too.
  const mixed = await statuses(75, (n) => (n % 2 ? signIn() : list()));
  expect(mixed['429']).toBeGreaterThan(0);

  const wrong = (n: number) => `Basic ${Buffer.from(`sandbox:wrong-key-${n}`).toString('base64')}`;
  const wrongKeys = await statuses(300, (n) => (n % 2 ? signIn(wrong(n)) : list(wrong(n))));
  expect(wrongKeys['401']).toBeGreaterThanOrEqual(100);
  expect(wrongKeys['429']).toBeGreaterThan(0);
  expect((wrongKeys['401'] ?? 0) + (wrongKeys['429'] ?? 0)).toBe(300);

  // Credentials that were good before go on from the same address, and so do tokens that were not seen before.
  expect((await within(() => list())).status).toBe(200);
  expect((await within(() => signIn())).status).toBe(200);
  const next = await within(() => post('/authentication/RefreshToken', {}, { token: tokens.RefreshToken }));
  expect(next.status).toBe(200);
  const { AccessToken } = Tokens.parse(await next.json());
  expect((await within(() => list(`Bearer ${AccessToken}`))).status).toBe(200);
});

const Tokens = z.object({ AccessToken: z.string(), RefreshToken: z.string() });
