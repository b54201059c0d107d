import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createThrottle, type Rate } from '../../local/throttle.ts';
import { startGateway } from '../support/gateway.ts';
import { smallProject } from '../support/projects.ts';
import { AUTHORIZATION, startFixture } from './fixture.ts';

/** A throttle with a clock that is moved by hand. */
function throttleAt(rate: Rate) {
  const clock = { ms: Date.UTC(2026, 10, 20) };
  return { clock, mayAsk: createThrottle({ ...rate, now: () => clock.ms }) };
}

test('a burst goes through at once, then one request each time that a token has come', () => {
  const { clock, mayAsk } = throttleAt({ perSecond: 4, burst: 3 });
  expect([1, 2, 3, 4].map(() => mayAsk('acme'))).toEqual([true, true, true, false]);
  clock.ms += 249;
  expect(mayAsk('acme')).toBe(false);
  clock.ms += 1;
  expect([1, 2].map(() => mayAsk('acme'))).toEqual([true, false]);
  clock.ms += 60_000;
  expect([1, 2, 3, 4].map(() => mayAsk('acme'))).toEqual([true, true, true, false]);
});

test('companies have a bucket each', () => {
  const { mayAsk } = throttleAt({ perSecond: 1, burst: 1 });
  expect(['acme', 'acme', 'other', 'other'].map(mayAsk)).toEqual([true, false, true, false]);
});

test('a clock that is set back shuts nobody out', () => {
  const { clock, mayAsk } = throttleAt({ perSecond: 1, burst: 1 });
  mayAsk('acme');
  clock.ms -= 3_600_000;
  expect(mayAsk('acme')).toBe(false);
  clock.ms += 1_000;
  expect(mayAsk('acme')).toBe(true);
});

const Rates = fc.record({ perSecond: fc.integer({ min: 1, max: 2_000 }), burst: fc.integer({ min: 1, max: 20 }) });
/** Requests: whose, and how long after the one before. */
const Requests = fc.array(
  fc.record({ company: fc.constantFrom('a', 'b', 'c'), afterMs: fc.oneof(fc.nat(3), fc.nat(2_000)) }),
  { maxLength: 60 },
);

test('a company gets no more than the burst and the rate in any stretch of time, and no less', () => {
  fc.assert(
    fc.property(Rates, Requests, (rate, requests) => {
      const { clock, mayAsk } = throttleAt(rate);
      const allowedAtMs = new Map<string, number[]>();
      for (const { company, afterMs } of requests) {
        clock.ms += afterMs;
        const before = allowedAtMs.get(company) ?? [];
        const mostIn = (fromMs: number) => rate.burst + (rate.perSecond * (clock.ms - fromMs)) / 1_000;
        const hasRoom = before.every((fromMs, index) => before.length - index + 1 <= mostIn(fromMs));
        expect(mayAsk(company)).toBe(hasRoom);
        if (hasRoom) allowedAtMs.set(company, [...before, clock.ms]);
      }
    }),
  );
});

test('with SEGUE_RATE what is too much is 429, does nothing, and leaves the key free', async () => {
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

test('a request is counted once its company is known, and refused before its body is read', async () => {
  const now = () => 0;
  const { url, calls } = await startFixture({ now, rate: { perSecond: 1, burst: 1 } });
  const create = (headers: Record<string, string>) =>
    fetch(`${url}/segments/projects`, { method: 'POST', headers, body: 'x' });
  for (const path of ['/health', '/health', '/nowhere']) await fetch(url + path);
  expect((await create({})).status).toBe(401);
  expect((await create(AUTHORIZATION)).status).toBe(200);
  // In a coding that is refused as soon as the body is looked at.
  expect((await create({ ...AUTHORIZATION, 'Content-Encoding': 'br' })).status).toBe(429);
  expect(calls.map(({ operation }) => operation)).toEqual(['health', 'health', 'createProject']);
});
