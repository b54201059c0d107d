import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { remember } from '../../lib/service/recent.ts';
import { ByteSemaphore } from '../../local/byte-semaphore.ts';

const CAPACITY = 100;

/** Returns a semaphore on a clock that tests move. */
function world({ waitMs = 60_000, maxOfShare = CAPACITY } = {}) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const semaphore = new ByteSemaphore(CAPACITY, maxOfShare, waitMs);
  async function pass(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms);
    // Each waiter is granted in a turn of its own.
    for (let turn = 0; turn < 50; turn++) await setImmediate();
  }

  /** Requests bytes: `state` becomes `held` or the name of the error. */
  function ask(bytes: number, client = new PassThrough(), share = 'acme') {
    const asked = { bytes, state: 'waits' };
    semaphore.acquire(bytes, share, client).then(
      () => void Object.assign(asked, { state: 'held' }),
      ({ name }) => void Object.assign(asked, { state: name }),
    );
    return asked;
  }
  return { semaphore, ask, pass };
}

it('frees bytes that a holder no longer needs, and does not wait if it needs more', async () => {
  const { semaphore, ask, pass } = world();
  const [, second] = [ask(90), ask(60)];
  await pass(0);
  expect([second.state, semaphore.isContended('acme')]).toEqual(['waits', true]);
  semaphore.release(50, 'acme');
  await pass(0);
  expect([second.state, semaphore.isContended('acme')]).toEqual(['held', false]);
  semaphore.release(-140, 'acme');
  const third = ask(1);
  await pass(0);
  expect(third.state).toBe('waits');
  semaphore.release(200, 'acme');
  await pass(0);
  expect(third.state).toBe('held');
});

it('refuses a request that waits too long, and grants the next', async () => {
  const { ask, pass } = world({ waitMs: 500 });
  const [, large] = [ask(60), ask(60)];
  await pass(400);
  const small = ask(40);
  await pass(99);
  expect([large.state, small.state]).toEqual(['waits', 'waits']);
  await pass(1);
  expect([large.state, small.state]).toEqual(['THROTTLED', 'held']);
});

it('forgets a request whose client has gone away, and grants the next', async () => {
  const { semaphore, ask, pass } = world();
  const [first, later, gone] = [new PassThrough(), new PassThrough(), new PassThrough().destroy()];
  const holder = ask(60, first);
  const asked = [ask(60, later), ask(60, gone), ask(40)];
  await pass(0);
  expect(asked.map(({ state }) => state)).toEqual(['waits', 'BAD_REQUEST_BODY', 'waits']);
  later.destroy();
  await pass(0);
  expect(asked.map(({ state }) => state)).toEqual(['BAD_REQUEST_BODY', 'BAD_REQUEST_BODY', 'held']);
  expect([holder.state, first.listenerCount('close')]).toEqual(['held', 0]);
  const next = ask(61, first);
  semaphore.release(60, 'acme');
  expect(first.listenerCount('close')).toBe(1);
  await pass(0);
  expect([next.state, first.listenerCount('close')]).toEqual(['waits', 1]);
  semaphore.release(40, 'acme');
  first.destroy();
  await pass(0);
  // Granted just before it went away: its bytes are free again.
  expect(next.state).toBe('BAD_REQUEST_BODY');
  const all = ask(CAPACITY);
  await pass(0);
  expect(all.state).toBe('held');
});

it('grants companies in turn, and the requests of each in order', async () => {
  const { semaphore, ask, pass } = world();
  const client = () => new PassThrough();
  const holder = ask(CAPACITY, client(), 'large');
  const large = Array.from({ length: 4 }, () => ask(CAPACITY, client(), 'large'));
  const small = ask(CAPACITY, client(), 'small');
  const other = ask(CAPACITY, client(), 'other');
  const order: number[] = [];
  const all = [...large, small, other];
  await pass(0);
  for (let held = holder, share = 'large'; order.length < all.length; ) {
    semaphore.release(held.bytes, share);
    await pass(0);
    const next = all.findIndex((asked, index) => asked.state === 'held' && !order.includes(index));
    order.push(next);
    held = all[next] ?? holder;
    share = held === small ? 'small' : held === other ? 'other' : 'large';
  }
  expect(order).toEqual([0, 4, 5, 1, 2, 3]);
});

it('leaves bytes for other companies, and counts only those of its own as contended', async () => {
  const { semaphore, ask, pass } = world({ maxOfShare: 75 });
  const client = () => new PassThrough();
  const large = Array.from({ length: 5 }, () => ask(25, client(), 'large'));
  await pass(0);
  expect(large.map(({ state }) => state)).toEqual(['held', 'held', 'held', 'waits', 'waits']);
  const small = ask(25, client(), 'small');
  await pass(0);
  expect([small.state, semaphore.isContended('large'), semaphore.isContended('small')]).toEqual(['held', true, false]);
  const other = ask(80, client(), 'other');
  await pass(0);
  expect([other.state, semaphore.isContended('small')]).toEqual(['waits', true]);
  // One more of the large company, whose turn it is; then the other one, although it needs more bytes.
  for (let count = 0; count < 4; count++) {
    semaphore.release(25, count < 3 ? 'large' : 'small');
    await pass(0);
  }
  expect([other.state, ...large.slice(3).map(({ state }) => state)]).toEqual(['waits', 'held', 'waits']);
  semaphore.release(25, 'large');
  await pass(0);
  expect([other.state, large[4]?.state]).toEqual(['held', 'waits']);
});

it('grants every request in order, within its capacity, and one above the capacity alone', async () => {
  const Requests = fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 2 * CAPACITY }), leaves: fc.nat(20) }), {
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(Requests, async (requests) => {
      const { semaphore, ask, pass } = world();
      const asked = requests.map(({ bytes, leaves }) => ({ of: ask(bytes), leaves, left: false }));
      for (let time = 0; asked.some(({ left }) => !left); time++) {
        await pass(0);
        const granted = asked.map(({ of }) => of.state === 'held');
        expect(granted).toEqual(granted.toSorted().reverse());
        const held = asked.filter(({ of, left }) => of.state === 'held' && !left);
        expect(held.length).toBeGreaterThan(0);
        const total = held.reduce((sum, { of }) => sum + of.bytes, 0);
        expect(held.length === 1 || total <= CAPACITY).toBe(true);
        const leaving = held.find(({ leaves }) => leaves <= time);
        if (!leaving) continue;
        leaving.left = true;
        semaphore.release(leaving.of.bytes, 'acme');
      }
    }),
    { numRuns: 30 },
  );
});

it('remembers a bounded number of entries, the newest ones', () => {
  const map = new Map<number, number>();
  for (let n = 0; n < 10_000; n++) remember(map, n, n);
  remember(map, 0, -1);
  remember(map, 10_000, 0);
  expect([map.size, map.get(0), map.has(1), map.has(2)]).toEqual([10_000, -1, false, true]);
});
