import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idSource } from '../../../lib/hosted/deps.ts';
import { segments } from '../../support/projects.ts';
import { openSqlite } from '../storage/folder.ts';
import { callOf, checked, heldNow, NOW_MS } from '../support.ts';
import { hosted, projectIn } from './fixture.ts';

const call = callOf();
/** The clocks of machines: right, wrong, and set back meanwhile. */
const clock = fc.oneof(fc.constant(NOW_MS), fc.integer({ min: 0, max: Date.UTC(2059, 11, 31) }));
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('ids', () => {
  it('are positive, below 2^53 and ascending, each given once, whatever the clock says', () => {
    const takes = fc.array(fc.tuple(clock, random, fc.integer({ min: 1, max: 50_151 })), { minLength: 1 });
    fc.assert(
      fc.property(takes, (list) => {
        let [nowMs, chance] = [0, 0];
        const take = idSource(
          () => nowMs,
          () => chance,
        );
        let free = 1;
        for (const [at, luck, count] of list) {
          [nowMs, chance] = [at, luck];
          const first = take(count);
          expect(first).toBeGreaterThanOrEqual(free);
          free = first + count;
          expect(Number.isSafeInteger(free)).toBe(true);
        }
      }),
    );
  });

  it('of a project are those of its target languages and segments too, each another', async () => {
    const service = hosted();
    const project = await projectIn(await service.create(checked({ segments: segments(5) }), call));
    const ids = [project.id, ...project.targetLanguages.map(({ id }) => id), ...project.segments.map(({ id }) => id)];
    expect(ids).toEqual(Array.from({ length: 7 }, (_, n) => project.id + n));
  });

  it('that another service took are taken anew', async () => {
    const storage = openSqlite(heldNow);
    const same = { storage, now: () => NOW_MS, random: () => 0.25 };
    const [one, other] = [hosted(same), hosted(same)];
    const first = await one.create(checked({ customId: 'a' }), call);
    const second = await other.create(checked({ customId: 'b' }), call);
    expect(second.id).toBeGreaterThan(first.id);
    expect((await other.get({ customId: 'a' }, undefined, call)).id).toBe(first.id);
    expect((await one.get({ customId: 'b' }, undefined, call)).id).toBe(second.id);
  });

  it('may be the same for two companies, who see nothing of it', async () => {
    const storage = openSqlite(heldNow);
    const same = { storage, now: () => NOW_MS, random: () => 0.25 };
    const mine = await hosted(same).create(checked({ name: 'Mine' }), callOf('one'));
    const yours = await hosted(same).create(checked({ name: 'Yours' }), callOf('two'));
    expect(yours.id).toBe(mine.id);
    expect((await projectIn(await hosted(same).get({ id: mine.id }, undefined, callOf('one')))).name).toBe('Mine');
  });
});
