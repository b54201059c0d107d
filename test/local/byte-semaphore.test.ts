import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type ByteLease, ByteSemaphore, type ByteSemaphoreOptions } from '../../local/byte-semaphore.ts';

const CAPACITY = 100;
const SHARE = 50;

/** A semaphore on a clock that tests move. */
function world(options: Partial<ByteSemaphoreOptions> = {}) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const semaphore = new ByteSemaphore({ capacity: CAPACITY, waitMs: 60_000, ...options });
  async function pass(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms);
    // Each waiter is granted in a turn of its own.
    for (let turn = 0; turn < 50; turn++) await setImmediate();
  }

  /** Requests a lease: `lease` or the name of the error is set once it is granted or refused. */
  function ask(bytes: number, sender = 'a', isGone: () => boolean = () => false) {
    const asked: { lease?: ByteLease; error?: unknown } = {};
    semaphore.acquire({ bytes, isGone, sender }).then(
      (lease) => void Object.assign(asked, { lease }),
      ({ name }) => void Object.assign(asked, { error: name }),
    );
    return asked;
  }
  return { semaphore, ask, pass };
}

const isHeld = ({ lease }: { lease?: ByteLease }) => lease !== undefined;

it('grants leases in order, one above the capacity alone', async () => {
  const { semaphore, ask, pass } = world();
  const asked = [60, 30, 50, 10, 10 * CAPACITY, 1].map((bytes) => ask(bytes));
  const held = async (count: number) => {
    await pass(0);
    expect(asked.map(isHeld)).toEqual(asked.map((_, index) => index < count));
    expect(semaphore.isContended).toBe(count < asked.length);
  };
  await held(2);
  asked[0]?.lease?.release();
  await held(4);
  for (const { lease } of asked.slice(1, 4)) lease?.release();
  await held(5);
  asked[4]?.lease?.release();
  await held(6);
});

it('frees the bytes of a lease that shrinks, and does not wait if it grows', async () => {
  const { ask, pass } = world();
  const [first, second] = [ask(90), ask(60)];
  await pass(0);
  first.lease?.resize(40);
  await pass(0);
  expect(isHeld(second)).toBe(true);
  second.lease?.resize(200);
  const third = ask(1);
  await pass(0);
  expect(isHeld(third)).toBe(false);
  second.lease?.release();
  second.lease?.release();
  await pass(0);
  expect(isHeld(third)).toBe(true);
});

it('passes over a client that has gone away', async () => {
  const { ask, pass } = world();
  let isGone = false;
  const [first, second, third] = [ask(CAPACITY), ask(CAPACITY, 'a', () => isGone), ask(CAPACITY)];
  await pass(0);
  isGone = true;
  first.lease?.release();
  await pass(0);
  expect(second).toEqual({ error: 'BAD_REQUEST_BODY' });
  expect(isHeld(third)).toBe(true);
});

it('refuses a request that waits too long, and grants the next', async () => {
  const { ask, pass } = world({ waitMs: 500 });
  const [, large] = [ask(60), ask(60)];
  await pass(400);
  const small = ask(40);
  await pass(99);
  expect([large, small].map(isHeld)).toEqual([false, false]);
  await pass(1);
  expect(large).toEqual({ error: 'THROTTLED' });
  expect(isHeld(small)).toBe(true);
});

it('lets other senders pass one that waits for its own share', async () => {
  const { ask, pass } = world({ senderCapacity: SHARE });
  const greedy = Array.from({ length: 10 }, () => ask(20, 'a'));
  const [other, third] = [ask(40, 'b'), ask(40, 'c')];
  await pass(0);
  expect(greedy.filter(isHeld)).toHaveLength(2);
  expect([other, third].map(isHeld)).toEqual([true, false]);
  other.lease?.release();
  await pass(0);
  expect(isHeld(third)).toBe(true);
});

it('grants every request in the order of its sender, within all bounds', async () => {
  const Requests = fc.array(
    fc.record({
      bytes: fc.integer({ min: 1, max: 2 * CAPACITY }),
      sender: fc.constantFrom('a', 'b', 'c'),
      leaves: fc.nat(20),
    }),
    { maxLength: 30 },
  );
  const isWithin = (leases: readonly { readonly bytes: number }[], capacity: number) =>
    leases.length === 1 || leases.reduce((total, { bytes }) => total + bytes, 0) <= capacity;
  await fc.assert(
    fc.asyncProperty(Requests, async (requests) => {
      const { ask, pass } = world({ senderCapacity: SHARE });
      const asked = requests.map((request) => ({ ...request, of: ask(request.bytes, request.sender), left: false }));
      for (let time = 0; asked.some(({ left }) => !left); time++) {
        await pass(0);
        const held = asked.filter(({ of, left }) => isHeld(of) && !left);
        expect(held.length).toBeGreaterThan(0);
        expect(isWithin(held, CAPACITY)).toBe(true);
        for (const own of Map.groupBy(asked, ({ sender }) => sender).values()) {
          const ownHeld = own.filter(({ of, left }) => isHeld(of) && !left);
          expect(ownHeld.length === 0 || isWithin(ownHeld, SHARE)).toBe(true);
          const granted = own.map(({ of }) => isHeld(of));
          expect(granted).toEqual(granted.toSorted().reverse());
        }
        const leaving = held.find(({ leaves }) => leaves <= time);
        leaving?.of.lease?.release();
        if (leaving) leaving.left = true;
      }
    }),
    { numRuns: 30 },
  );
});
