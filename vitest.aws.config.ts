import { defineConfig } from 'vitest/config';

/** The tests that need emulators of AWS; `npm run test:aws` starts them. */
export default defineConfig({
  // As in vitest.config.ts.
  resolve: { conditions: ['hosted', 'local', 'node', 'import', 'default'] },
  ssr: { resolve: { conditions: ['hosted', 'local', 'node', 'import', 'default'] } },
  test: {
    include: ['test/aws/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // As in vitest.config.ts.
    maxWorkers: '100%',
    isolate: false,
  },
});
