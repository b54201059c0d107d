import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { type CacheOptions, cachedSecret, type ReadSecret } from '../../../lib/credentials/cached-secret.ts';
import { anyClockSteps, WallClock } from '../../support/wall-clock.ts';
import { TestClock } from '../../support/world.ts';
import { NOW_MS, problemOf } from '../support.ts';

const Secret = z.strictObject({ key: z.string() });
const text = (key: string) => JSON.stringify({ key });
const [A, B, C] = ['a', 'b', 'c'].map((key) => ({ key }));
const DOWN = new Error('down');

/** Returns a cached secret, a clock that can be set, and a store that gives each read the next of these answers. */
function world(answers: readonly (string | Error | Promise<string>)[], options: Partial<CacheOptions> = {}) {
  const clock = new TestClock();
  let reads = 0;
  const read: ReadSecret = async () => {
    const answer = answers[reads++] ?? new Error('There is no further answer');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const secret = cachedSecret(read, (value) => Secret.parse(value), { now: clock.now, ...options });
  return { clock, secret, reads: () => reads };
}

describe('read', () => {
  it('reads once for concurrent callers, and again when the value is old', async () => {
    const { clock, secret, reads } = world([text('a'), text('b')], { maxAgeMs: 1_000 });
    expect(await Promise.all([secret.read(), secret.read()])).toEqual([A, A]);
    clock.nowMs += 999;
    expect(await secret.read()).toEqual(A);
    expect(reads()).toBe(1);
    clock.nowMs += 1;
    expect(await secret.read()).toEqual(B);
  });

  it('counts the age from the start of the read', async () => {
    let nowMs = NOW_MS;
    const texts = [text('a'), text('b')];
    const slow: ReadSecret = async () => {
      nowMs += 900;
      return texts.shift() ?? '';
    };
    const secret = cachedSecret(slow, (value) => Secret.parse(value), { now: () => nowMs, maxAgeMs: 1_000 });
    await secret.read();
    nowMs += 100;
    expect(await secret.read()).toEqual(B);
  });

  it.each<[string, string | Error]>([
    ['cannot be read', Object.assign(new Error('canary'), { $response: 'canary' })],
    ['is no JSON', 'canary'],
    ['has another shape', '{"key":5,"canary":1}'],
  ])('fails with unavailable if the secret %s, does not quote it, and reads again', async (_, answer) => {
    const { secret } = world([answer, text('a')]);
    const problem = await problemOf(() => secret.read());
    expect(problem.name).toBe('unavailable');
    expect(`${problem.message} ${problem.cause} ${JSON.stringify(problem)}`).not.toContain('canary');
    expect(await secret.read()).toEqual(A);
  });

  it('serves the last value for an hour while the store fails, and pauses between reads', async () => {
    const stale: number[] = [];
    const onStale = (ageMs: number) => stale.push(ageMs);
    const { clock, secret, reads } = world([text('a'), DOWN, DOWN, DOWN, text('b')], { onStale });
    await secret.read();
    clock.nowMs += 30_000;
    expect(await Promise.all([secret.read(), secret.read()])).toEqual([A, A]);
    clock.nowMs += 4_999;
    expect(await secret.read()).toEqual(A);
    expect(reads()).toBe(2);
    expect(stale).toEqual([30_000, 30_000]);
    clock.nowMs = NOW_MS + 3_599_999;
    expect(await secret.read()).toEqual(A);
    clock.nowMs += 1;
    expect((await problemOf(() => secret.read())).name).toBe('unavailable');
    expect(await secret.read()).toEqual(B);
  });

  it('does not serve the last value if it must be fresh or was rejected', async () => {
    const { clock, secret } = world([text('a'), DOWN, DOWN]);
    const old = await secret.read();
    clock.nowMs += 30_000;
    expect((await problemOf(() => secret.read({ mustBeFresh: true }))).name).toBe('unavailable');
    secret.forget(old);
    expect((await problemOf(() => secret.read())).name).toBe('unavailable');
  });
});

describe('a clock that is set back', () => {
  it('ends the pause after a failed read, and the limit of renewals', async () => {
    const wall = new WallClock();
    const { secret, reads } = world([text('a'), DOWN, ...Array<string>(20).fill(text('b'))], { now: wall.now });
    await secret.read();
    wall.apply({ passMs: 60_000, backMs: 0 });
    expect(await secret.read()).toEqual(A);
    wall.apply({ passMs: 0, backMs: 20_000 });
    expect(await secret.read()).toEqual(B);
    for (let times = 0; times < 20; times++) await secret.renew();
    const before = reads();
    wall.apply({ passMs: 1_000, backMs: 3_600_000 });
    await secret.renew();
    expect(reads()).toBe(before + 1);
  });

  it('never makes a value last longer than its time since its read or since the clock was set back', async () => {
    await fc.assert(
      fc.asyncProperty(anyClockSteps, fc.boolean(), async (steps, mustBeFresh) => {
        const clock = new WallClock();
        const read = async () => JSON.stringify(clock.realMs);
        const secret = cachedSecret(read, (value) => z.number().parse(value), { now: clock.now, maxAgeMs: 30_000 });
        for (const step of steps) {
          clock.apply(step);
          const readAtMs = await secret.read({ mustBeFresh });
          expect(clock.realMs - Math.max(readAtMs, clock.setBackAtMs)).toBeLessThan(30_000);
        }
      }),
    );
  });
});

describe('forget', () => {
  it('makes the next call read again, unless a newer value is cached', async () => {
    const { secret, reads } = world([text('a'), text('b')]);
    const old = await secret.read();
    secret.forget(old);
    expect(await secret.read()).toEqual(B);
    secret.forget(old);
    await secret.read();
    expect(reads()).toBe(2);
  });

  it('also forgets an equal value that was read meanwhile', async () => {
    const { clock, secret, reads } = world([text('a'), text('a'), text('b')]);
    const rejected = await secret.read();
    clock.nowMs += 30_000;
    await secret.read();
    secret.forget(rejected);
    expect(await secret.read()).toEqual(B);
    expect(reads()).toBe(3);
  });

  it('keeps later callers from a read that started before it', async () => {
    const [early, late] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const { clock, secret, reads } = world([text('a'), early.promise, late.promise]);
    const rejected = await secret.read();
    clock.nowMs += 30_000;
    const started = secret.read();
    secret.forget(rejected);
    const later = [secret.read(), secret.read()];
    early.resolve(text('a'));
    expect(await started).toEqual(A);
    later.push(secret.read());
    late.resolve(text('b'));
    expect(await Promise.all(later)).toEqual([B, B, B]);
    expect(await secret.read()).toEqual(B);
    expect(reads()).toBe(3);
  });
});

describe('renew', () => {
  it('reads once for concurrent callers, and caches the result', async () => {
    const { secret, reads } = world(['a', 'b', 'c'].map(text));
    await secret.read();
    expect(await Promise.all([secret.renew(), secret.renew()])).toEqual([B, B]);
    expect(await secret.read()).toEqual(B);
    expect(reads()).toBe(2);
    expect(await secret.renew()).toEqual(C);
  });

  it('does not return the result of a read that started before it', async () => {
    const early = Promise.withResolvers<string>();
    const { secret } = world([early.promise, text('b')]);
    const started = secret.read();
    const renewed = secret.renew();
    early.resolve(text('a'));
    expect(await Promise.all([started, renewed])).toEqual([A, B]);
    expect(await secret.read()).toEqual(B);
  });

  it('fails with unavailable if the store fails, and leaves the cached value', async () => {
    const { secret } = world([text('a'), DOWN]);
    await secret.read();
    expect((await problemOf(() => secret.renew())).name).toBe('unavailable');
    expect(await secret.read()).toEqual(A);
  });

  it('reads ten times at most while the value is used', async () => {
    const { clock, secret, reads } = world(Array.from({ length: 20 }, (_, n) => text(`${n}`)));
    await secret.read();
    for (let n = 0; n < 20; n++) await secret.renew();
    expect(reads()).toBe(11);
    clock.nowMs += 30_000;
    expect(await secret.renew()).toEqual({ key: '11' });
  });
});
