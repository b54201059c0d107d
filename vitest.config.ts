import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration, type TestUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest. */
const LONG = [
  'contract/upstream',
  'contract/hosted',
  'simulation/simulation',
  'infra/project-gateway',
  'docs/webhooks',
  'cli/test/login',
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

/** The tests of `npm run test:long`: of faults, and those that need more than some seconds for large inputs. */
const LONG_TESTS = [
  'test/faults/**/*.test.ts',
  'test/contract/upstream.test.ts',
  'test/contract/workflow.test.ts',
  'packages/cli/test/definitions.test.ts',
  'packages/client/test/gateway.test.ts',
  'packages/files/test/growth.test.ts',
  'packages/files/test/round-trip.test.ts',
  'test/content-systems/whole-way.test.ts',
  'test/lib/destinations/npm-start.test.ts',
  'test/lib/hosted/put/put-model.test.ts',
  'test/lib/hosted/translation/content-reader.test.ts',
  'test/lib/hosted/translation/linear.test.ts',
  'test/lib/hosted/work/long-contents.test.ts',
  'test/lib/webhooks/mapping/sandbox.test.ts',
  'test/lib/workflow/waits/waits.test.ts',
];

/** The tests of the console in a browser. Those in the folder `unit` need none. */
const CONSOLE_TESTS = 'packages/console/test/*.test.ts';

/** The folders in `test/` that `npm test` and `npm run test:long` leave out. Each is a project with its name. */
const OTHERS: Readonly<Record<string, Partial<TestUserConfig>>> = {
  // Emulators of AWS.
  aws: { globalSetup: 'test/aws/setup.ts' },
  // A real browser. A page is drawn by several processes, so one browser at a time.
  browser: { globalSetup: 'test/browser/setup.ts', include: [CONSOLE_TESTS], maxWorkers: 1 },
  // The bundles of the functions and the example apps, which take much of two cores.
  bundles: {},
  // A real translation engine. Apertium translates about a hundred sentences a second.
  engines: { globalSetup: 'test/engines/setup.ts', testTimeout: 120_000 },
  // The packages as users install them.
  packages: { globalSetup: 'test/packages/setup.ts' },
  // The records of other releases.
  releases: {},
  // The command line as a process in a terminal, which `script` of util-linux makes.
  terminal: {},
  // Tools of API users.
  interop: { globalSetup: 'test/interop/setup.ts' },
};

// A test composes what it needs by itself; where it imports a function, it gets the service of one machine.
const conditions = ['hosted', 'local', 'node', 'import', 'default'];

const COMMON: TestUserConfig = {
  env: { TMPDIR: temporaryFolder() },
  // For a machine that is slow or busy with something else: no test waits for a time to pass.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  maxWorkers: '100%',
  // Less than half as many collections of garbage.
  execArgv: ['--max-semi-space-size=64'],
  // Modules are loaded once a worker: a file gives back what it changes of a process.
  isolate: false,
};

function project(name: string, test: TestUserConfig): TestProjectInlineConfiguration {
  return { resolve: { conditions }, ssr: { resolve: { conditions } }, test: { ...COMMON, ...test, name } };
}

const others = Object.entries(OTHERS);
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', {
        include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
        exclude: [...LONG_TESTS, CONSOLE_TESTS, ...others.map(([name]) => `test/${name}/**`)],
      }),
      project('long', { include: LONG_TESTS }),
      ...others.map(([name, test]) =>
        project(name, {
          ...test,
          include: [`test/${name}/**/*.test.ts`, ...(test.include ?? [])],
          exclude: ['**/node_modules/**'],
        }),
      ),
    ],
  },
});
