import { defineConfig } from 'vitest/config';
import common from './vitest.config.ts';

/** The tests with records of other releases. */
export default defineConfig({
  ...common,
  test: { ...common.test, include: ['test/releases/**/*.test.ts'], exclude: [] },
});
