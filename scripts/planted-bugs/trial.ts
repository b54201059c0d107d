import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as z from 'zod/mini';
import type { PlantedBug } from './bug.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What the tests need no copy of. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'cdk.out', 'dist', '.segue', '.emulators']);

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/** A copy of the repository in which bugs can be planted. */
export class Trial {
  readonly #folder = mkdtempSync(join(tmpdir(), 'segue-bugs-'));

  constructor() {
    cpSync(ROOT, this.#folder, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
    symlinkSync(join(ROOT, 'node_modules'), join(this.#folder, 'node_modules'));
  }

  /**
   * Plants a bug, runs its tests, and takes it out again.
   * @returns the names of the tests that failed; `undefined` where the code has no place for it any more
   */
  async failuresWith({ file, find, replace, ...tests }: PlantedBug): Promise<string[] | undefined> {
    const path = join(this.#folder, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(find).length !== 2) return undefined;
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
    try {
      return await this.failures(tests);
    } finally {
      writeFileSync(path, text);
    }
  }

  /** The names of the tests that fail. A file that cannot even be loaded has none. */
  async failures({ tests, named }: Pick<PlantedBug, 'tests' | 'named'>): Promise<string[]> {
    const report = join(this.#folder, 'report.json');
    rmSync(report, { force: true });
    const chosen = named === undefined ? [] : ['--testNamePattern', named];
    await this.#vitest(['run', ...tests, ...chosen, '--reporter=json', `--outputFile=${report}`]);
    const { testResults } = Report.parse(JSON.parse(readFileSync(report, 'utf8')));
    return testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .flatMap(({ status, fullName }) => (status === 'failed' ? [fullName] : []));
  }

  /** Its end is looked for in the report: it is no success where tests fail, as they should. */
  #vitest(args: readonly string[]): Promise<void> {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    return new Promise((resolve) => {
      execFile(process.execPath, [vitest, ...args], { cwd: this.#folder }, () => resolve());
    });
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
