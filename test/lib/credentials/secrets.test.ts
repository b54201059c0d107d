import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { cachedSecret, fixedSecret, type SecretReader } from '../../../lib/credentials/secrets.ts';
import { anyClockSteps, WallClock } from '../../support/wall-clock.ts';
import { NOW_MS, problemOf } from '../support.ts';

const Secret = z.strictObject({ key: z.string() });
const parse = (value: unknown) => Secret.parse(value);

/** A secret that is kept elsewhere and changes: each reading gives the next text, or fails with the next error. */
function changing(...answers: (string | Error)[]) {
  let reads = 0;
  const reader: SecretReader = {
    async read() {
      const answer = answers[reads++] ?? new Error('There is no more');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { reader, reads: () => reads };
}

describe('a cached secret', () => {
  it('is read once for callers at the same time, and again once it is old', async () => {
    let now = NOW_MS;
    const { reader, reads } = changing('{"key":"a"}', '{"key":"b"}');
    const secret = cachedSecret(reader, parse, { now: () => now, maxAgeMs: 1_000 });
    expect(await Promise.all([secret.read(), secret.read()])).toEqual([{ key: 'a' }, { key: 'a' }]);
    now += 999;
    expect(await secret.read()).toEqual({ key: 'a' });
    expect(reads()).toBe(1);
    now += 1;
    expect(await secret.read()).toEqual({ key: 'b' });
  });

  it.each([true, false])(
    'is read again at once after the clock was set back (must be fresh: %s)',
    async (mustBeFresh) => {
      const clock = new WallClock();
      const { reader } = changing('{"key":"a"}', '{"key":"b"}', '{"key":"c"}');
      const secret = cachedSecret(reader, parse, { now: clock.now });
      await secret.read({ mustBeFresh });
      clock.apply({ passMs: 1_000, backMs: 3_600_000 });
      expect(await secret.read({ mustBeFresh })).toEqual({ key: 'b' });
      clock.apply({ passMs: 30_000, backMs: 0 });
      expect(await secret.read({ mustBeFresh })).toEqual({ key: 'c' });
    },
  );

  it('that cannot be read is tried again after the clock was set back, and renewed again', async () => {
    const clock = new WallClock();
    const { reader, reads } = changing('{"key":"a"}', new Error('Gone'), ...Array<string>(20).fill('{"key":"b"}'));
    const secret = cachedSecret(reader, parse, { now: clock.now });
    await secret.read();
    clock.apply({ passMs: 60_000, backMs: 0 });
    expect(await secret.read()).toEqual({ key: 'a' });
    clock.apply({ passMs: 0, backMs: 20_000 });
    expect(await secret.read()).toEqual({ key: 'b' });
    for (let times = 0; times < 20; times++) await secret.renew();
    const renewed = reads();
    clock.apply({ passMs: 1_000, backMs: 3_600_000 });
    await secret.renew();
    expect(reads()).toBe(renewed + 1);
  });

  it('is never used for longer than its time, from its reading or the last time that the clock was set back', async () => {
    await fc.assert(
      fc.asyncProperty(anyClockSteps, fc.boolean(), async (steps, mustBeFresh) => {
        const clock = new WallClock();
        const reader = { read: async () => JSON.stringify(clock.realMs) };
        const secret = cachedSecret(reader, (value) => z.number().parse(value), { now: clock.now, maxAgeMs: 30_000 });
        for (const step of steps) {
          clock.apply(step);
          const readAtMs = await secret.read({ mustBeFresh });
          expect(clock.realMs - Math.max(readAtMs, clock.setBackAtMs)).toBeLessThan(30_000);
        }
      }),
    );
  });

  it('is as old as the question for it, not as the answer', async () => {
    let now = NOW_MS;
    const texts = ['{"key":"a"}', '{"key":"b"}'];
    const reader: SecretReader = {
      async read() {
        now += 900;
        return texts.shift() ?? '';
      },
    };
    const secret = cachedSecret(reader, parse, { now: () => now, maxAgeMs: 1_000 });
    await secret.read();
    now += 100;
    expect(await secret.read()).toEqual({ key: 'b' });
  });

  it('is read again where it was refused, but not where a newer one took its place', async () => {
    const { reader, reads } = changing('{"key":"a"}', '{"key":"b"}');
    const secret = cachedSecret(reader, parse, { now: () => NOW_MS });
    const old = await secret.read();
    secret.forget(old);
    expect(await secret.read()).toEqual({ key: 'b' });
    secret.forget(old);
    await secret.read();
    expect(reads()).toBe(2);
  });

  it('is read again where it was refused, also where it was read again meanwhile and is the same', async () => {
    let now = NOW_MS;
    const { reader, reads } = changing('{"key":"a"}', '{"key":"a"}', '{"key":"b"}');
    const secret = cachedSecret(reader, parse, { now: () => now });
    const refused = await secret.read();
    now += 30_000;
    await secret.read();
    secret.forget(refused);
    expect(await secret.read()).toEqual({ key: 'b' });
    expect(reads()).toBe(3);
  });

  it('is not what a reading gives that began before it was refused, for all who ask after that', async () => {
    let now = NOW_MS;
    const [early, late] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    const texts = [Promise.resolve('{"key":"a"}'), early.promise, late.promise];
    const reader: SecretReader = { read: async () => (await texts.shift()) ?? '' };
    const secret = cachedSecret(reader, parse, { now: () => now });
    const refused = await secret.read();
    now += 30_000;
    const begun = secret.read();
    secret.forget(refused);
    const asked = [secret.read(), secret.read()];
    early.resolve('{"key":"a"}');
    expect(await begun).toEqual({ key: 'a' });
    asked.push(secret.read());
    late.resolve('{"key":"b"}');
    expect(await Promise.all(asked)).toEqual([{ key: 'b' }, { key: 'b' }, { key: 'b' }]);
    expect(await secret.read()).toEqual({ key: 'b' });
    expect(texts).toEqual([]);
  });

  it('is renewed for whoever misses something in it, by one reading for all who ask at the same time', async () => {
    const { reader, reads } = changing('{"key":"a"}', '{"key":"b"}', '{"key":"c"}');
    const secret = cachedSecret(reader, parse, { now: () => NOW_MS });
    await secret.read();
    expect(await Promise.all([secret.renew(), secret.renew()])).toEqual([{ key: 'b' }, { key: 'b' }]);
    expect(await secret.read()).toEqual({ key: 'b' });
    expect(reads()).toBe(2);
    expect(await secret.renew()).toEqual({ key: 'c' });
  });

  it('is not renewed by a reading that has begun before', async () => {
    const early = Promise.withResolvers<string>();
    const texts = [early.promise, Promise.resolve('{"key":"b"}')];
    const secret = cachedSecret({ read: async () => (await texts.shift()) ?? '' }, parse, { now: () => NOW_MS });
    const begun = secret.read();
    const renewed = secret.renew();
    early.resolve('{"key":"a"}');
    expect(await Promise.all([begun, renewed])).toEqual([{ key: 'a' }, { key: 'b' }]);
    expect(await secret.read()).toEqual({ key: 'b' });
  });

  it('that cannot be renewed is unavailable for whoever misses something, and stays for all others', async () => {
    const secret = cachedSecret(changing('{"key":"a"}', new Error('down')).reader, parse, { now: () => NOW_MS });
    await secret.read();
    expect((await problemOf(() => secret.renew())).name).toBe('unavailable');
    expect(await secret.read()).toEqual({ key: 'a' });
  });

  it('is renewed ten times while it is used and no more, and again when that time is over', async () => {
    let now = NOW_MS;
    const { reader, reads } = changing(...Array.from({ length: 20 }, (_, n) => `{"key":"${n}"}`));
    const secret = cachedSecret(reader, parse, { now: () => now });
    await secret.read();
    for (let n = 0; n < 20; n++) await secret.renew();
    expect(reads()).toBe(11);
    now += 30_000;
    expect(await secret.renew()).toEqual({ key: '11' });
  });

  it.each<[string, string | Error]>([
    ['cannot be read', Object.assign(new Error('canary'), { $response: 'canary' })],
    ['is no JSON', 'canary'],
    ['has another shape', '{"key":5,"canary":1}'],
  ])('that %s is the problem unavailable, tells nothing of itself, and is tried again', async (_, answer) => {
    const secret = cachedSecret(changing(answer, '{"key":"a"}').reader, parse, { now: () => NOW_MS });
    const problem = await problemOf(() => secret.read());
    expect(problem.name).toBe('unavailable');
    expect(`${problem.message} ${problem.cause} ${JSON.stringify(problem)}`).not.toContain('canary');
    expect(await secret.read()).toEqual({ key: 'a' });
  });

  it('that cannot be read for a while is the last one, for an hour, and is not asked for at every request', async () => {
    let now = NOW_MS;
    const down = new Error('down');
    const { reader, reads } = changing('{"key":"a"}', down, down, down, '{"key":"b"}');
    const stale: number[] = [];
    const secret = cachedSecret(reader, parse, { now: () => now, onStale: (ageMs) => stale.push(ageMs) });
    await secret.read();
    now += 30_000;
    expect(await Promise.all([secret.read(), secret.read()])).toEqual([{ key: 'a' }, { key: 'a' }]);
    now += 4_999;
    expect(await secret.read()).toEqual({ key: 'a' });
    expect(reads()).toBe(2);
    expect(stale).toEqual([30_000, 30_000]);
    now = NOW_MS + 3_599_999;
    expect(await secret.read()).toEqual({ key: 'a' });
    now += 1;
    expect((await problemOf(() => secret.read())).name).toBe('unavailable');
    expect(await secret.read()).toEqual({ key: 'b' });
  });

  it('that cannot be read is not the last one where it must be fresh, or was refused', async () => {
    let now = NOW_MS;
    const down = new Error('down');
    const secret = cachedSecret(changing('{"key":"a"}', down, down).reader, parse, { now: () => now });
    const old = await secret.read();
    now += 30_000;
    expect((await problemOf(() => secret.read({ mustBeFresh: true }))).name).toBe('unavailable');
    secret.forget(old);
    expect((await problemOf(() => secret.read())).name).toBe('unavailable');
  });

  it('may be a setting of this machine', async () => {
    expect(await cachedSecret(fixedSecret('{"key":"a"}'), parse, { now: () => NOW_MS }).read()).toEqual({ key: 'a' });
  });
});
