import { expect, it, onTestFinished } from 'vitest';
import { tokenBuckets } from '../../lib/credentials/rate-limit.ts';
import { startGateway } from '../support/gateway.ts';
import { smallProject } from '../support/projects.ts';
import { AUTHORIZATION, startFixture } from './world.ts';

it('counts a request once its company is known, and refuses it before its body is read', async () => {
  const now = () => 0;
  const { url, calls } = await startFixture({ now, rate: tokenBuckets({ perSecond: 1, burst: 1, now }).take });
  const create = (headers: Record<string, string>) =>
    fetch(`${url}/segments/projects`, { method: 'POST', headers, body: 'x' });
  for (const path of ['/health', '/health', '/nowhere']) await fetch(url + path);
  expect((await create({})).status).toBe(401);
  expect((await create(AUTHORIZATION)).status).toBe(200);
  // This coding is refused when the body is read.
  expect((await create({ ...AUTHORIZATION, 'Content-Encoding': 'br' })).status).toBe(429);
  expect(calls.map(({ operation }) => operation)).toEqual(['health', 'health', 'createProject']);
});

it('has one rate for a company and its sign-ins, and one for wrong keys from an address', async () => {
  const gateway = await startGateway({ env: { SEGUE_RATE: '2:5', SEGUE_WRONG_CREDENTIALS: '1:3' } });
  onTestFinished(async () => void (await gateway.stop()));
  const { url, authorization } = gateway;
  const post = (path: string, headers: Record<string, string>, body?: object) =>
    fetch(url + path, {
      method: 'POST',
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const signIn = (header = authorization) => post('/authentication/token', { Authorization: header });
  const list = (header: string) => fetch(`${url}/segments/projects`, { headers: { Authorization: header } });
  const project = smallProject();
  const create = (key: string) =>
    post('/segments/projects', { Authorization: authorization, 'Idempotency-Key': key }, project);
  /** Sends many requests at once, and returns their responses by status. */
  const byStatus = async (count: number, send: (n: number) => Promise<Response>) =>
    Map.groupBy(await Promise.all(Array.from({ length: count }, (_, n) => send(n))), ({ status }) => status);
  /** Repeats a request while the rate refuses it. */
  const within = async (send: () => Promise<Response>) => {
    for (;;) {
      const response = await send();
      if (response.status !== 429) return response;
    }
  };

  const signIns = await byStatus(50, () => signIn());
  expect([...signIns.keys()].sort()).toEqual([200, 429]);
  // The bucket is empty for other requests too.
  const [refused] = (await byStatus(50, (n) => create(`key-${n % 2}`))).get(429) ?? [];
  expect(refused?.headers.get('retry-after')).toBe('1');
  expect(await refused?.json()).toMatchObject({
    type: `${url}/problems/rate-limited`,
    detail: 'The company exceeds its request rate. Wait for the time in Retry-After, then send the request again.',
    instance: refused?.headers.get('x-request-id'),
    retryable: true,
    retryAfterSeconds: 1,
    outcome: 'not-applied',
  });
  // A refused request leaves its key free. On a busy machine, some of these are within the rate.
  await byStatus(10, () => create('free'));
  expect((await within(() => create('free'))).status).toBe(201);

  const wrong = (n: number) => `Basic ${Buffer.from(`sandbox:wrong-key-${n}`).toString('base64')}`;
  const wrongKeys = await byStatus(50, (n) => (n % 2 ? signIn(wrong(n)) : list(wrong(n))));
  expect([...wrongKeys.keys()].sort()).toEqual([401, 429]);
});
