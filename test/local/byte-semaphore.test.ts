import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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

  /** Asks for a lease, which has it or the name of its error once that is known. */
  function ask(bytes: number, sender?: string, isGone: () => boolean = () => false) {
    const asked: { lease?: ByteLease; error?: unknown } = {};
    semaphore.acquire({ bytes, isGone, ...(sender !== undefined && { sender }) }).then(
      (lease) => {
        asked.lease = lease;
      },
      ({ name }) => {
        asked.error = name;
      },
    );
    return asked;
  }
  return { semaphore, ask, pass };
}

const isHeld = ({ lease }: { lease?: ByteLease }) => lease !== undefined;

describe('a byte semaphore', () => {
  it('grants leases in order, and lets no request pass one that waits', async () => {
    const { semaphore, ask, pass } = world();
    const asked = [60, 30, 50, 10, 40].map((bytes) => ask(bytes));
    await pass(0);
    expect(asked.map(isHeld)).toEqual([true, true, false, false, false]);
    expect(semaphore.isContended).toBe(true);
    asked[0]?.lease?.release();
    await pass(0);
    expect(asked.map(isHeld)).toEqual([true, true, true, true, false]);
    asked[1]?.lease?.release();
    await pass(0);
    expect(semaphore.isContended).toBe(false);
  });

  it('grants a lease above the capacity alone', async () => {
    const { ask, pass } = world();
    const [small, huge, next] = [ask(1), ask(10 * CAPACITY), ask(1)];
    await pass(0);
    expect([small, huge, next].map(isHeld)).toEqual([true, false, false]);
    small.lease?.release();
    await pass(0);
    expect([huge, next].map(isHeld)).toEqual([true, false]);
    huge.lease?.release();
    await pass(0);
    expect(isHeld(next)).toBe(true);
  });

  it('frees the bytes of a lease that shrinks, and waits for none if it grows', async () => {
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

  it('lets a greedy sender wait for its own share, and other senders pass', async () => {
    const { ask, pass } = world({ senderCapacity: SHARE });
    const greedy = Array.from({ length: 10 }, () => ask(20, 'a'));
    const [other, third] = [ask(40, 'b'), ask(40, 'c')];
    await pass(0);
    expect(greedy.filter(isHeld)).toHaveLength(2);
    expect([other, third].map(isHeld)).toEqual([true, false]);
    other.lease?.release();
    await pass(0);
    expect(isHeld(third)).toBe(true);
    greedy[0]?.lease?.release();
    await pass(0);
    expect(greedy.filter(isHeld)).toHaveLength(3);
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
    const sum = (leases: readonly { readonly bytes: number }[]) =>
      leases.reduce((total, { bytes }) => total + bytes, 0);
    await fc.assert(
      fc.asyncProperty(Requests, async (requests) => {
        const { ask, pass } = world({ senderCapacity: SHARE });
        const asked = requests.map((request) => ({ ...request, of: ask(request.bytes, request.sender), left: false }));
        for (let time = 0; asked.some(({ left }) => !left); time++) {
          await pass(0);
          const held = asked.filter(({ of, left }) => isHeld(of) && !left);
          expect(held.length).toBeGreaterThan(0);
          expect(sum(held) <= CAPACITY || held.length === 1).toBe(true);
          for (const own of Map.groupBy(asked, ({ sender }) => sender).values()) {
            const ownHeld = own.filter(({ of, left }) => isHeld(of) && !left);
            expect(sum(ownHeld) <= SHARE || ownHeld.length === 1).toBe(true);
            const granted = own.map(({ of }) => isHeld(of));
            expect(granted).toEqual(granted.toSorted().reverse());
          }
          const leaving = held.find(({ leaves }) => leaves <= time);
          if (!leaving) continue;
          leaving.of.lease?.release();
          leaving.left = true;
        }
      }),
    );
  });
});
