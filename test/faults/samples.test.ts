import { expect, it } from 'vitest';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { checkFuzz } from './hostile/fuzz/run.ts';
import { checkKills } from './kills/run.ts';

/** The seed of these small samples of `npm run faults`. */
const SEED = 1;

it('keeps every acknowledged change when it is killed', { timeout: MUCH_WORK_MS }, async () => {
  const { answered, unanswered } = await checkKills(2, SEED);
  expect(answered).toBeGreaterThan(0);
  expect(unanswered).toBeGreaterThan(0);
});

it('answers hostile requests properly, and changes nothing that they may not', { timeout: MUCH_WORK_MS }, async () => {
  const { answers, created, deleted, changed } = await checkFuzz(300, SEED);
  expect(answers).toBeGreaterThan(150);
  expect(created).toBeGreaterThan(0);
  expect(deleted).toBeGreaterThan(0);
  expect(changed).toBeGreaterThan(0);
});
