import { defineConfig } from 'vitest/config';

/** The tests that need a real translation engine; `npm run test:engines` starts it. */
export default defineConfig({
  // As in vitest.config.ts.
  resolve: { conditions: ['hosted', 'local', 'node', 'import', 'default'] },
  ssr: { resolve: { conditions: ['hosted', 'local', 'node', 'import', 'default'] } },
  test: {
    include: ['test/engines/**/*.test.ts'],
    // Apertium translates about a hundred sentences a second.
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
