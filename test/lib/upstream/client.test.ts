import { describe, expect, it } from 'vitest';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import { NoAnswer, type TransportResponse } from '../../../lib/service/http-client/exchange.ts';
import { FAILURES_TO_OPEN, OPEN_MS } from '../../../lib/upstream/circuit-breaker.ts';
import { CREATE, DELETE, READ, type UpstreamRequest } from '../../../lib/upstream/requests.ts';
import { problemOf } from '../support.ts';
import { answer, inTurn, virtualClient } from './virtual-client.ts';

const create: UpstreamRequest = { operation: CREATE, path: '/segments/projects', sent: { name: 'A' } };
const remove: UpstreamRequest = { operation: DELETE, path: '/segments/projects/1' };
const read: UpstreamRequest = { operation: READ, path: '/segments/projects/1' };
const OK: Readonly<Record<string, TransportResponse>> = { GET: answer(200), POST: answer(201), DELETE: answer(204) };

const unsent = new NoAnswer(false, 'ECONNREFUSED');
const reset = new NoAnswer(true, 'ECONNRESET');
const lost: TransportResponse = { status: 200, headers: {}, body: 'lost' };

const WRITES = [
  ['create', create],
  ['delete', remove],
] as const;
const ALL = [...WRITES, ['read', read]] as const;

const NOT_DONE = [
  ['a refused connection', unsent],
  ['429', answer(429)],
  ['503', answer(503)],
] as const;
const PERHAPS_DONE: readonly (readonly [what: string, end: TransportResponse | NoAnswer])[] = [
  ['a reset', reset],
  ['a timeout', new NoAnswer(true, 'DEADLINE')],
  ['408', answer(408)],
  ['500', answer(500)],
  ['502', answer(502)],
  ['504', answer(504)],
];
const FINAL: readonly (readonly [status: number, type: ProblemType])[] = [
  [400, 'upstream-refused'],
  [401, 'upstream-unavailable'],
  [403, 'upstream-unavailable'],
  [422, 'upstream-refused'],
];

describe.each(ALL)('%s is sent again', (_, request) => {
  it.each(NOT_DONE)('after %s', async (_, end) => {
    const world = virtualClient({ act: inTurn(end, end, ({ method }) => OK[method] ?? answer(500)) });
    await world.client(request, world.call());
    expect(world.exchanges).toHaveLength(3);
    const [first, ...again] = world.exchanges.map(({ method, path, headers, body }) => ({
      method,
      path,
      headers,
      body,
    }));
    expect(again).toEqual([first, first]);
  });

  it.each(NOT_DONE)('at most three times after %s', async (_, end) => {
    const world = virtualClient({ act: () => end });
    expect(await problemOf(world.client(request, world.call()))).toMatchObject({
      name: 'upstream-unavailable',
      occurrence: { retryAfterSeconds: 5 },
    });
    expect(world.exchanges).toHaveLength(3);
  });

  it.each(FINAL)('never after %i', async (status, type) => {
    const world = virtualClient({ act: () => answer(status) });
    expect((await problemOf(world.client(request, world.call()))).name).toBe(type);
    expect(world.exchanges).toHaveLength(1);
  });
});

describe.each(PERHAPS_DONE)('after %s', (what, end) => {
  it.each(WRITES)('%s is never sent again', async (_, request) => {
    const world = virtualClient({ act: inTurn(end, ({ method }) => OK[method] ?? answer(500)) });
    const { name, occurrence } = await problemOf(world.client(request, world.call()));
    // Only after the deadline may the service still be working on the request.
    expect([name, occurrence.isRunning]).toEqual(['outcome-unknown', what === 'a timeout' ? true : undefined]);
    expect(world.exchanges).toHaveLength(1);
  });

  it('a read is sent again', async () => {
    const world = virtualClient({ act: inTurn(end, end, answer(200)) });
    expect((await world.client(read, world.call())).status).toBe(200);
  });
});

it('a read whose response broke off is sent again', async () => {
  const world = virtualClient({ act: inTurn(lost, answer(200)) });
  expect((await world.client(read, world.call())).body).not.toBe('lost');
});

describe('the pauses', () => {
  it('grow, with jitter', async () => {
    const draws = [0.5, 0.25];
    const world = virtualClient({ act: () => unsent, random: () => draws.shift() ?? 0 });
    await problemOf(world.client(create, world.call()));
    expect(world.pausesMs).toEqual([100, 100]);
  });

  it.each([
    ['seconds', '3'],
    ['a date', 'Fri, 20 Nov 2026 12:00:03 GMT'],
  ])('follow Retry-After in %s', async (_, header) => {
    const world = virtualClient({ act: inTurn(answer(429, undefined, { 'retry-after': header }), answer(201)) });
    await world.client(create, world.call());
    expect(world.pausesMs).toEqual([3_000]);
  });

  it('are left to the caller if they would take half of the time', async () => {
    const world = virtualClient({ act: () => answer(503, undefined, { 'retry-after': '14' }) });
    const problem = await problemOf(world.client(create, world.call()));
    expect(problem).toMatchObject({ name: 'upstream-unavailable', occurrence: { retryAfterSeconds: 14 } });
    expect(world.pausesMs).toEqual([]);
  });

  it('end with the deadline', async () => {
    const world = virtualClient({ act: inTurn(unsent) });
    const over = { remainingMs: () => 0 };
    expect((await problemOf(world.client(read, world.call({ deadline: over })))).name).toBe('upstream-unavailable');
    expect(world.exchanges).toHaveLength(0);
    expect(world.pausesMs).toEqual([]);
  });
});

describe('the time of an attempt', () => {
  it('is half of the remaining time for a read', async () => {
    const given: number[] = [];
    const world = virtualClient({
      act({ deadline }) {
        given.push(deadline.remainingMs());
        world.wait(deadline.remainingMs());
        return new NoAnswer(true, 'DEADLINE');
      },
    });
    const call = world.call();
    expect((await problemOf(world.client(read, call))).name).toBe('upstream-unavailable');
    expect(given).toEqual([14_000, 7_000, 3_500]);
    expect(call.deadline.remainingMs()).toBe(3_500);
  });

  it('is all the remaining time for a change', async () => {
    const given: number[] = [];
    const world = virtualClient({
      act({ deadline }) {
        given.push(deadline.remainingMs());
        return answer(201);
      },
    });
    await world.client(create, world.call());
    expect(given).toEqual([28_000]);
  });
});

describe('a service that fails again and again', () => {
  /** Returns a client whose breaker is open. */
  async function open(...ends: readonly (TransportResponse | NoAnswer)[]) {
    const world = virtualClient({ act: inTurn(...ends) });
    while (world.exchanges.length < FAILURES_TO_OPEN) await world.client(read, world.call()).catch(() => {});
    return world;
  }

  const FAILING = PERHAPS_DONE.filter(([what]) => what !== '408');
  it.each([...FAILING, ['an answer that breaks off', lost] as const])(
    'gets no requests for a while: %s',
    async (_, end) => {
      const world = await open(end);
      const pauses = world.pausesMs.length;
      world.wait(1_500);
      for (const [, request] of ALL) {
        expect(await problemOf(world.client(request, world.call()))).toMatchObject({
          name: 'upstream-unavailable',
          occurrence: { retryAfterSeconds: 4 },
        });
      }
      expect(world.exchanges).toHaveLength(FAILURES_TO_OPEN);
      expect(world.pausesMs).toHaveLength(pauses);
    },
  );

  it('is probed by one request, then gets all requests', async () => {
    const world = await open(...Array<NoAnswer>(FAILURES_TO_OPEN).fill(unsent), answer(200));
    world.wait(OPEN_MS);
    await Promise.all([world.client(read, world.call()), world.client(read, world.call())]);
    expect(world.exchanges).toHaveLength(FAILURES_TO_OPEN + 2);
    // The second request waited for the probe.
    expect(world.pausesMs.at(-1)).toBe(1_000);
  });

  it('gets no requests until the end of its Retry-After', async () => {
    const world = virtualClient({ act: inTurn(answer(429, undefined, { 'retry-after': '60' }), answer(200)) });
    await problemOf(world.client(create, world.call()));
    world.wait(10_500);
    expect(await problemOf(world.client(read, world.call()))).toMatchObject({
      name: 'upstream-unavailable',
      occurrence: { retryAfterSeconds: 50 },
    });
    expect(world.exchanges).toHaveLength(1);
    world.wait(49_500);
    await world.client(read, world.call());
  });

  it('is judged by account', async () => {
    const accounts = { companyId: 'shared', apiKey: 'k', companies: { own: { companyId: 'apart', apiKey: 'k' } } };
    const world = virtualClient({
      act: inTurn(answer(429, undefined, { 'retry-after': '60' }), answer(200)),
      secret: () => accounts,
    });
    await problemOf(world.client(read, world.call()));
    expect((await problemOf(world.client(read, world.call({ companyId: 'other' })))).name).toBe('upstream-unavailable');
    await world.client(read, world.call({ companyId: 'own' }));
    expect(world.exchanges).toHaveLength(2);
  });

  it.each([
    ['a refusal', answer(404)],
    ['a 429 that does not say for how long', answer(429)],
  ])('is not one that answers: %s', async (_, end) => {
    const world = virtualClient({ act: () => end });
    for (let n = 0; n < 2 * FAILURES_TO_OPEN; n++) await problemOf(world.client(create, world.call()));
    expect(world.exchanges.length).toBeGreaterThanOrEqual(2 * FAILURES_TO_OPEN);
  });
});
