import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { checkBulk } from './bulk/run.ts';

it(
  'each good line of a manifest makes one project, whatever dies, and each faulty one is told with every fault',
  async () => {
    const { crashes, faultyLines } = await checkBulk(400, randomInt(2 ** 31));
    expect(crashes).toBeGreaterThan(0);
    expect(faultyLines).toBeGreaterThan(0);
  },
  MUCH_WORK_MS,
);
