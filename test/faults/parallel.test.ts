import { expect, it } from 'vitest';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { checkParallel } from './parallel.ts';

it(
  'fifty creates with one key at once make one project, whichever of two processes gets them',
  async () => {
    const { replayed, inProgress } = await checkParallel(20);
    expect(replayed).toBeGreaterThan(0);
    expect(inProgress).toBeGreaterThan(0);
  },
  MUCH_WORK_MS,
);
