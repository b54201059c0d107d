import fc from 'fast-check';

/** A clock that can be set back, and the time that has really passed. */
export class WallClock {
  realMs = 0;
  /** The real time of the last setting back, in milliseconds. */
  setBackAtMs = 0;
  #offsetMs = Date.UTC(2026, 10, 20, 9, 30);
  readonly now = (): number => this.realMs + this.#offsetMs;

  apply({ passMs, backMs }: ClockStep): void {
    this.realMs += passMs;
    if (backMs === 0) return;
    this.#offsetMs -= backMs;
    this.setBackAtMs = this.realMs;
  }
}

/** A step of the clock: some time passes, and then the clock is set back. */
export interface ClockStep {
  readonly passMs: number;
  readonly backMs: number;
}

/** Steps of a clock: time passes, and sometimes the clock is set back by up to two hours. */
export const anyClockSteps: fc.Arbitrary<readonly ClockStep[]> = fc.array(
  fc.record({
    passMs: fc.oneof(fc.nat(2_000), fc.nat(100_000)),
    backMs: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.oneof(fc.nat(60_000), fc.nat(7_200_000)) },
    ),
  }),
  { maxLength: 40 },
);
