import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Place } from '../../local/admission.ts';
import { SenderShares, type SenderSharesOptions } from '../../local/sender-shares.ts';

const BUDGET = 100;
const SHARE = 40;

/** Strangers whose time passes when a test says so. */
function sharesAt(options: Partial<SenderSharesOptions> = {}) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let nowMs = 0;
  const shared = { patienceMs: 1_000, progressBytes: 10, waitMs: 60_000, now: () => nowMs };
  const shares = new SenderShares({ budget: BUDGET, shareBytes: SHARE, ...shared, ...options });

  async function pass(ms: number): Promise<void> {
    nowMs += ms;
    await vi.advanceTimersByTimeAsync(ms);
    // A place in the share, and then one among all, come in turns of their own.
    for (let turn = 0; turn < 3; turn++) await setImmediate();
  }

  function ask(sender: string, bytes: number) {
    const guest: { place?: Place; refused?: unknown } = {};
    shares
      .enter(sender, bytes, () => false)
      .then(
        (place) => {
          guest.place = place;
        },
        ({ name }) => {
          guest.refused = name;
        },
      );
    return guest;
  }
  return { ask, pass };
}

const isIn = ({ place }: { place?: Place }) => place !== undefined;

test('a sender that takes all it can get waits for itself alone', async () => {
  const { ask, pass } = sharesAt();
  const greedy = Array.from({ length: 10 }, () => ask('a', 20));
  const other = ask('b', 40);
  await pass(0);
  expect(greedy.filter(isIn)).toHaveLength(2);
  expect(isIn(other)).toBe(true);
  greedy[0]?.place?.leave();
  await pass(0);
  expect(greedy.filter(isIn)).toHaveLength(3);
});

test('all senders together have a budget too', async () => {
  const { ask, pass } = sharesAt();
  const guests = ['a', 'b', 'c'].map((sender) => ask(sender, SHARE));
  await pass(0);
  expect(guests.map(isIn)).toEqual([true, true, false]);
  guests[0]?.place?.leave();
  await pass(0);
  expect(guests.map(isIn)).toEqual([true, true, true]);
});

test.each([
  ['of its own share', 'a'],
  ['of the room of all', 'c'],
])('a slow sender gives way to one that waits for room %s', async (_, waiting) => {
  const { ask, pass } = sharesAt();
  const slow = [ask('a', SHARE), ask('b', SHARE)];
  await pass(0);
  const ended = slow.map(({ place }) => {
    const end = vi.fn(() => place?.leave());
    place?.lend({ end });
    return end;
  });
  const next = ask(waiting, SHARE);
  await pass(999);
  expect(isIn(next)).toBe(false);
  await pass(1);
  expect(ended.map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
  expect(isIn(next)).toBe(true);
});

test('a sender that waits too long among all is refused, and its share is free for its next request', async () => {
  const { ask, pass } = sharesAt({ waitMs: 500 });
  const [first] = ['a', 'b'].map((sender) => ask(sender, SHARE));
  const late = ask('c', SHARE);
  await pass(400);
  const next = ask('c', SHARE);
  await pass(100);
  expect(late).toEqual({ refused: 'THROTTLED' });
  first?.place?.leave();
  await pass(0);
  expect(isIn(next)).toBe(true);
});

const Guests = fc.array(
  fc.record({
    sender: fc.constantFrom('a', 'b', 'c', 'd'),
    bytes: fc.integer({ min: 1, max: SHARE }),
    leaves: fc.nat(20),
  }),
  { maxLength: 30 },
);

test('everybody gets in, and nobody has more than a share', async () => {
  await fc.assert(
    fc.asyncProperty(Guests, async (guests) => {
      const { ask, pass } = sharesAt();
      const asked = guests.map((guest) => ({ ...guest, guest: ask(guest.sender, guest.bytes), left: false }));
      for (let time = 0; asked.some(({ left }) => !left); time++) {
        await pass(0);
        const inside = asked.filter(({ guest, left }) => isIn(guest) && !left);
        expect(inside.length).toBeGreaterThan(0);
        const taken = (of: typeof inside) => of.reduce((sum, { bytes }) => sum + bytes, 0);
        expect(taken(inside)).toBeLessThanOrEqual(BUDGET);
        for (const own of Map.groupBy(inside, ({ sender }) => sender).values()) {
          expect(taken(own)).toBeLessThanOrEqual(SHARE);
        }
        const [leaving] = inside.filter(({ leaves }) => leaves <= time);
        if (!leaving) continue;
        leaving.guest.place?.leave();
        leaving.guest.place?.leave();
        leaving.left = true;
      }
    }),
  );
});
