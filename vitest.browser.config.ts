import { defineConfig } from 'vitest/config';
import common from './vitest.config.ts';

/** The tests in a real browser; `npm run test:browser` finds it and installs their tools. */
export default defineConfig({
  ...common,
  test: {
    ...common.test,
    include: ['test/browser/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    // A page is drawn by several processes, so one browser at a time.
    maxWorkers: 1,
  },
});
