import { defineConfig } from 'vitest/config';
import common from './vitest.config.ts';

/** The tests of the packages as users install them; `npm run test:packages` installs their linters. */
export default defineConfig({
  ...common,
  test: { ...common.test, include: ['test/packages/**/*.test.ts'], exclude: ['**/node_modules/**'] },
});
