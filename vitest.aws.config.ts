import { defineConfig } from 'vitest/config';

/** The tests that need emulators of AWS; `npm run test:aws` starts them. */
export default defineConfig({
  test: {
    include: ['test/aws/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // As in vitest.config.ts.
    maxWorkers: '100%',
    isolate: false,
  },
});
