import { defineConfig } from 'vitest/config';
import common from './vitest.config.ts';

/** The tests of the command line as a process in a terminal, which `script` of util-linux makes. */
export default defineConfig({
  ...common,
  test: { ...common.test, include: ['test/terminal/**/*.test.ts'], exclude: [] },
});
