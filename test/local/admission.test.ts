import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Admission, type AdmissionOptions, type Place } from '../../local/admission.ts';

const BUDGET = 100;

/** An admission whose time passes when a test says so. */
function admissionAt(options: Partial<AdmissionOptions> = {}) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let nowMs = 0;
  const shared = { budget: BUDGET, patienceMs: 1_000, progressBytes: 10, waitMs: 60_000, now: () => nowMs };
  const admission = new Admission({ ...shared, ...options });
  async function pass(ms: number): Promise<void> {
    nowMs += ms;
    await vi.advanceTimersByTimeAsync(ms);
    await setImmediate(); // Who was let in by then comes in a turn of its own.
  }

  /** Asks for room; its place, or why it got none, is there once it is known. */
  function ask(bytes: number, isGone: () => boolean = () => false) {
    const guest: { place?: Place; refused?: unknown } = {};
    admission.enter(bytes, isGone).then(
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

test('who has room goes in, who has none waits for it, and nobody passes who waits', async () => {
  const { ask, pass } = admissionAt();
  const guests = [60, 30, 50, 10, 40].map((bytes) => ask(bytes));
  await pass(0);
  expect(guests.map(isIn)).toEqual([true, true, false, false, false]);
  guests[0]?.place?.leave();
  await pass(0);
  expect(guests.map(isIn)).toEqual([true, true, true, true, false]);
});

test('what is larger than everything goes alone', async () => {
  const { ask, pass } = admissionAt();
  const [small, huge, next] = [ask(1), ask(10 * BUDGET), ask(1)];
  await pass(0);
  expect([small, huge, next].map(isIn)).toEqual([true, false, false]);
  small.place?.leave();
  await pass(0);
  expect([huge, next].map(isIn)).toEqual([true, false]);
  huge.place?.leave();
  await pass(0);
  expect(isIn(next)).toBe(true);
});

test('who takes less makes room, and who takes more is not held up', async () => {
  const { ask, pass } = admissionAt();
  const first = ask(90);
  const second = ask(60);
  await pass(0);
  first.place?.resize(40);
  await pass(0);
  expect(isIn(second)).toBe(true);
  second.place?.resize(200);
  const third = ask(1);
  await pass(0);
  expect(isIn(third)).toBe(false);
  second.place?.leave();
  second.place?.leave();
  await pass(0);
  expect(isIn(third)).toBe(true);
});

test('a client that went away while it waited is passed over', async () => {
  const { ask, pass } = admissionAt();
  let isGone = false;
  const first = ask(BUDGET);
  const second = ask(BUDGET, () => isGone);
  const third = ask(BUDGET);
  await pass(0);
  isGone = true;
  first.place?.leave();
  await pass(0);
  expect(second).toEqual({ refused: 'BAD_REQUEST_BODY' });
  expect(isIn(third)).toBe(true);
});

test('who waits too long is refused, and makes way for the next', async () => {
  const { ask, pass } = admissionAt({ waitMs: 500 });
  ask(60);
  const large = ask(60);
  await pass(400);
  const small = ask(40);
  await pass(99);
  expect([large, small].map(isIn)).toEqual([false, false]);
  await pass(1);
  expect(large).toEqual({ refused: 'THROTTLED' });
  expect(isIn(small)).toBe(true);
});

/** A place that waits for its client, and leaves when it is ended. */
function lend({ place }: { place?: Place }, progress?: () => number) {
  const end = vi.fn(() => place?.leave());
  place?.lend({ end, ...(progress && { progress }) });
  return end;
}

test('a slow client is left alone until others wait, and then for a while', async () => {
  const { ask, pass } = admissionAt();
  const [first, second] = [ask(50), ask(50)];
  await pass(0);
  const ended = [lend(first), lend(second)];
  await pass(10_000);
  expect(ended.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  const waiting = ask(50);
  await pass(0);
  expect(ended.map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
  expect(isIn(waiting)).toBe(true);
});

test('a client has its time though others wait already', async () => {
  const { ask, pass } = admissionAt();
  const first = ask(BUDGET);
  const waiting = ask(1);
  await pass(0);
  const end = lend(first);
  await pass(999);
  expect(end).not.toHaveBeenCalled();
  await pass(1);
  expect(end).toHaveBeenCalledOnce();
  expect(isIn(waiting)).toBe(true);
});

test('a client that goes on is left alone, and so is a request that waits for nobody', async () => {
  const { ask, pass } = admissionAt();
  const [first, second] = [ask(50), ask(50)];
  await pass(0);
  let bytes = 0;
  const end = lend(first, () => bytes);
  const reclaimed = lend(second);
  second.place?.reclaim();
  ask(50);
  for (let times = 0; times < 5; times++) {
    bytes += 10;
    await pass(1_000);
  }
  expect(end).not.toHaveBeenCalled();
  await pass(1_000);
  expect(end).toHaveBeenCalledOnce();
  expect(reclaimed).not.toHaveBeenCalled();
});

const Guests = fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 2 * BUDGET }), leaves: fc.nat(30) }), {
  maxLength: 40,
});

test('everybody gets in, in order, and never too many at once', async () => {
  await fc.assert(
    fc.asyncProperty(Guests, async (guests) => {
      const { ask, pass } = admissionAt();
      const asked = guests.map(({ bytes, leaves }) => ({ bytes, leaves, guest: ask(bytes), left: false }));
      for (let time = 0; asked.some(({ left }) => !left); time++) {
        await pass(0);
        const inside = asked.filter(({ guest, left }) => isIn(guest) && !left);
        const taken = inside.reduce((sum, { bytes }) => sum + bytes, 0);
        expect(taken <= BUDGET || inside.length === 1).toBe(true);
        expect(inside.length).toBeGreaterThan(0);
        expect(asked.findIndex(({ guest }) => !isIn(guest))).toBe(
          asked.some(({ guest }) => !isIn(guest)) ? asked.filter(({ guest }) => isIn(guest)).length : -1,
        );
        const [leaving] = inside.filter(({ leaves }) => leaves <= time);
        if (!leaving) continue;
        leaving.guest.place?.leave();
        leaving.left = true;
      }
    }),
  );
});
