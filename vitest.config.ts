import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest. */
const LONG = [
  'contract/upstream',
  'contract/hosted',
  'simulation/simulation',
  'infra/project-gateway',
  'docs/webhooks',
  'cli/login',
];

/** Starts the longest files first, so that no worker waits for another one at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(`${name}.test.ts`));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const IN_MEMORY = '/dev/shm';
const NEEDED_BYTES = 2 ** 31;

/** The folder for temporary files: in memory if there is room, because every commit of a store waits for its disk. */
function temporaryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize > NEEDED_BYTES ? IN_MEMORY : tmpdir();
  } catch {
    return tmpdir(); // Only Linux has it.
  }
}

export default defineConfig({
  // A test composes what it needs by itself; where it imports a function, it gets the service of one machine.
  resolve: { conditions: ['hosted', 'local', 'node', 'import', 'default'] },
  ssr: { resolve: { conditions: ['hosted', 'local', 'node', 'import', 'default'] } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['aws', 'browser', 'bundles', 'engines', 'packages', 'releases', 'terminal', 'tools'].map(
      (folder) => `test/${folder}/**`,
    ),
    env: { TMPDIR: temporaryFolder() },
    // For a machine that is slow or busy with something else: no test waits for a time to pass.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: '100%',
    // Less than half as many collections of garbage.
    execArgv: ['--max-semi-space-size=64'],
    // Modules are loaded once a worker: a file gives back what it changes of a process.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
});
