import { expect, it } from 'vitest';
import { MUCH_WORK_MS } from '../../support/much-work.ts';
import { checkFuzz } from './fuzz/run.ts';

it('answers a thousand hostile requests properly, and changes nothing that they may not', {
  timeout: MUCH_WORK_MS,
}, async () => {
  const { answers, created, deleted } = await checkFuzz(1_000, 1);
  expect(answers).toBeGreaterThan(500);
  expect(created).toBeGreaterThan(0);
  expect(deleted).toBeGreaterThan(0);
});
