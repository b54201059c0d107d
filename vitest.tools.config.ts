import { defineConfig } from 'vitest/config';
import common from './vitest.config.ts';

/** The tests with tools of API users; `npm run test:tools` installs them. */
export default defineConfig({
  ...common,
  test: { ...common.test, include: ['test/tools/**/*.test.ts'], exclude: ['**/node_modules/**'] },
});
