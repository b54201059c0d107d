import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BreakerState,
  CLOSED,
  enter,
  FAILURES_TO_OPEN,
  type HealthSign,
  leave,
  OPEN_MS,
} from '../../../lib/upstream/circuit-breaker.ts';
import { anyClockSteps, WallClock } from '../../support/wall-clock.ts';

type Pass = 'ordinary' | 'probe';

/** A breaker on its clock, with what was let through and has not ended yet. */
interface Real {
  state: BreakerState;
  nowMs: number;
  readonly out: Pass[];
}

/** What must be so, kept apart from how the breaker does it. */
interface Model {
  /** Failures in a row while requests are let through. */
  failures: number;
  /** Nothing may be let through before. */
  shutUntilMs: number;
  isShut: boolean;
  isProbing: boolean;
}

type Command = fc.Command<Model, Real>;

const wait = (ms: number): Command => ({
  check: () => true,
  run(_, real) {
    real.nowMs += ms;
  },
  toString: () => `wait(${ms})`,
});

const come: Command = {
  check: () => true,
  run(model, real) {
    const entry = enter(real.state, real.nowMs);
    real.state = entry.state;
    if (!model.isShut) expect(entry.pass).toBe('ordinary');
    else if (model.isProbing || real.nowMs < model.shutUntilMs) expect(entry.pass).toBe('none');
    else {
      expect(entry.pass).toBe('probe');
      model.isProbing = true;
    }
    if (entry.pass === 'none') {
      const leftMs = model.isProbing ? 1 : model.shutUntilMs - real.nowMs;
      expect(entry.retryAfterSeconds).toBe(Math.ceil(leftMs / 1_000));
      expect(entry.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    } else real.out.push(entry.pass);
  },
  toString: () => 'come',
};

/** One of those under way ends; for how long it says that nothing is taken counts from the moment it does. */
const end = (which: number, said: 'working' | 'failing' | number): Command => ({
  check: () => true,
  run(model, real) {
    const [pass] = real.out.splice(which % Math.max(real.out.length, 1), 1);
    if (!pass) return;
    const sign: HealthSign = typeof said === 'number' ? { forMs: said } : said;
    real.state = leave(real.state, pass, sign, real.nowMs);
    const isJudged = !model.isShut || (pass === 'probe' && model.isProbing);
    if (typeof sign === 'object') {
      const untilMs = real.nowMs + sign.forMs;
      if (isJudged) shut(model, untilMs);
      else if (!model.isProbing) model.shutUntilMs = Math.max(model.shutUntilMs, untilMs);
    } else if (isJudged) {
      if (sign === 'working') Object.assign(model, { failures: 0, isShut: false, isProbing: false });
      else if (model.isShut || ++model.failures >= FAILURES_TO_OPEN) shut(model, real.nowMs + OPEN_MS);
    }
  },
  toString: () => `end(${which}, ${said})`,
});

function shut(model: Model, untilMs: number): void {
  Object.assign(model, { failures: 0, isShut: true, isProbing: false, shutUntilMs: untilMs });
}

const commands = fc.commands(
  [
    fc.constant(come),
    fc.integer({ min: 0, max: 2 * OPEN_MS }).map(wait),
    fc
      .record({
        which: fc.nat(20),
        said: fc.oneof(
          { weight: 6, arbitrary: fc.constant('failing' as const) },
          { weight: 1, arbitrary: fc.constant('working' as const) },
          { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_600_000 }) },
        ),
      })
      .map(({ which, said }) => end(which, said)),
  ],
  { maxCommands: 200, size: 'max' },
);

const fresh = (): Real => ({ state: CLOSED, nowMs: 1_000_000, out: [] });

describe('a breaker', () => {
  it('lets nothing through while it is open, and one request once the time is over', () => {
    fc.assert(
      fc.property(commands, (sequence) => {
        const model = { failures: 0, shutUntilMs: 0, isShut: false, isProbing: false };
        fc.modelRun(() => ({ model, real: fresh() }), sequence);
      }),
      { numRuns: 500 },
    );
  });

  it('always lets requests through again, once those under way have ended and the service works', () => {
    fc.assert(
      fc.property(commands, (sequence) => {
        const real = fresh();
        const model = { failures: 0, shutUntilMs: 0, isShut: false, isProbing: false };
        fc.modelRun(() => ({ model, real }), sequence);
        for (const pass of real.out) real.state = leave(real.state, pass, 'failing', real.nowMs);
        const later = real.nowMs + 3_600_000;
        const entry = enter(real.state, later);
        expect(entry.pass).not.toBe('none');
        if (entry.pass !== 'none') expect(leave(entry.state, entry.pass, 'working', later)).toEqual(CLOSED);
      }),
      { numRuns: 500 },
    );
  });

  it('opens with the last of so many failures in a row, and not with one less', () => {
    const stateAfter = (signs: readonly HealthSign[]) =>
      signs.reduce((state, sign) => leave(state, 'ordinary', sign, 0), CLOSED);
    const failures = (count: number) => Array<HealthSign>(count).fill('failing');
    expect(stateAfter(failures(FAILURES_TO_OPEN - 1)).kind).toBe('closed');
    expect(stateAfter(failures(FAILURES_TO_OPEN))).toEqual({ kind: 'open', sinceMs: 0, forMs: OPEN_MS });
    expect(stateAfter([...failures(FAILURES_TO_OPEN - 1), 'working', ...failures(1)]).kind).toBe('closed');
  });

  it('lets a request find out after the clock was set back', () => {
    const open: BreakerState = { kind: 'open', sinceMs: 3_600_000, forMs: 5_000 };
    expect(enter(open, 3_599_999).pass).toBe('probe');
    expect(leave(open, 'ordinary', { forMs: 1_000 }, 0)).toEqual({ kind: 'open', sinceMs: 0, forMs: 1_000 });
  });

  it('is never open for longer than was said, from then or the last time that the clock was set back', () => {
    fc.assert(
      fc.property(anyClockSteps, (steps) => {
        const clock = new WallClock();
        let state = leave(CLOSED, 'ordinary', { forMs: 60_000 }, clock.now());
        let openedAtMs = clock.realMs;
        for (const step of steps) {
          clock.apply(step);
          const entry = enter(state, clock.now());
          if (entry.pass === 'none') {
            expect(clock.realMs - Math.max(openedAtMs, clock.setBackAtMs)).toBeLessThan(60_000);
            continue;
          }
          state = leave(entry.state, entry.pass, { forMs: 60_000 }, clock.now());
          openedAtMs = clock.realMs;
        }
      }),
    );
  });

  it('says how long it stays open, in whole seconds and never too few', () => {
    const open: BreakerState = { kind: 'open', sinceMs: 0, forMs: 5_000 };
    const said = [0, 1, 3_999, 4_000, 4_999]
      .map((nowMs) => enter(open, nowMs))
      .map((entry) => entry.pass === 'none' && entry.retryAfterSeconds);
    expect(said).toEqual([5, 5, 2, 1, 1]);
    expect(enter(open, 5_000).pass).toBe('probe');
  });
});
