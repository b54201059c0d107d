import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { checkKills } from './kills/run.ts';

it(
  'what was acknowledged outlives a kill, and what was deleted does not come back',
  async () => {
    const { answered, unanswered } = await checkKills(20, randomInt(2 ** 31));
    expect(answered).toBeGreaterThan(0);
    expect(unanswered).toBeGreaterThan(0);
  },
  MUCH_WORK_MS,
);
