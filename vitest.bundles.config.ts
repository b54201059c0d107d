import { defineConfig } from 'vitest/config';
import common from './vitest.config.ts';

/** The tests of the functions' bundles and of the example apps, which take much of two cores. */
export default defineConfig({
  ...common,
  test: { ...common.test, include: ['test/bundles/**/*.test.ts'], exclude: [] },
});
