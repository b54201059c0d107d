import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { MUCH_WORK_MS } from '../../support/much-work.ts';
import { checkFuzz } from './fuzz/run.ts';

const REQUESTS = 10_000;

test(
  'ten thousand hostile requests get proper answers, and change nothing that they may not',
  async () => {
    const { answers, created, deleted } = await checkFuzz(REQUESTS, randomInt(2 ** 31));
    expect(answers).toBeGreaterThan(REQUESTS / 2);
    expect(created).toBeGreaterThan(0);
    expect(deleted).toBeGreaterThan(0);
  },
  MUCH_WORK_MS,
);
