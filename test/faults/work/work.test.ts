import { expect, it } from 'vitest';
import { MUCH_WORK_MS } from '../../support/much-work.ts';
import { checkWork } from './run.ts';

it('the work on projects keeps every guarantee while calls fail and processes stop: 100 seeds', {
  timeout: MUCH_WORK_MS,
}, async () => {
  const { projects, assigned, completed, updated } = await checkWork(100, 100);
  expect(projects).toBeGreaterThan(100);
  expect(assigned).toBeGreaterThan(100);
  expect(completed).toBeGreaterThan(20);
  expect(updated).toBeGreaterThan(50);
});
