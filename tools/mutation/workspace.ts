import { execFile, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';

export const ROOT = join(import.meta.dirname, '../..');
const NOT_COPIED = new Set(['.git', 'node_modules', 'cdk.out', '.segue', '.emulators']);

const Report = z.object({
  testResults: z.array(z.object({ assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })) })),
});

/** A change at one place in a file. `replacement` takes the place of the text from `start` to `end`. */
export interface Edit {
  /** The path of the file, relative to the repository. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** The tests to run. */
export interface TestRun {
  readonly tests: readonly string[];
  /** A regular expression for the names of the tests. If absent, all tests of the files run. */
  readonly named?: string | undefined;
  /** Whether the run stops at the first failure. */
  readonly bail?: boolean;
  readonly timeoutMs?: number;
}

/**
 * The result of a test run, with the full names of the tests. If a run ends without a report, the whole run counts as
 * failed.
 */
export interface TestResult {
  readonly passes: readonly string[];
  readonly failures: readonly string[];
  readonly timedOut: boolean;
}

/** A copy of the repository, in which code is changed and tests run. */
export class Workspace {
  readonly #folder = mkdtempSync(join(tmpdir(), 'segue-mutation-'));

  constructor() {
    cpSync(ROOT, this.#folder, { recursive: true, filter: (path) => !NOT_COPIED.has(basename(path)) });
    this.#linkPackages();
  }

  /** Links the installed packages. The links of packages in this repository lead to their copies. */
  #linkPackages(): void {
    const installed = join(ROOT, 'node_modules');
    const links = join(this.#folder, 'node_modules');
    mkdirSync(links);
    for (const name of readdirSync(installed)) {
      const path = join(installed, name);
      symlinkSync(lstatSync(path).isSymbolicLink() ? readlinkSync(path) : path, join(links, name));
    }
  }

  /** Makes an edit in the copy, runs `work`, and undoes the edit. */
  async withEdit<T>({ file, start, end, replacement }: Edit, work: () => Promise<T>): Promise<T> {
    const path = join(this.#folder, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.slice(0, start) + replacement + text.slice(end));
    try {
      return await work();
    } finally {
      writeFileSync(path, text);
    }
  }

  async runTests({ tests, named, bail = false, timeoutMs }: TestRun): Promise<TestResult> {
    const report = join(this.#folder, 'report.json');
    rmSync(report, { force: true });
    const options = [...(named === undefined ? [] : ['--testNamePattern', named]), ...(bail ? ['--bail=1'] : [])];
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const { code, timedOut } = await this.#run(
      [vitest, 'run', ...tests, ...options, '--reporter=json', `--outputFile=${report}`],
      timeoutMs,
    );
    const results = existsSync(report) ? Report.parse(JSON.parse(readFileSync(report, 'utf8'))).testResults : [];
    const namesOf = (wanted: string) =>
      results
        .flatMap(({ assertionResults }) => assertionResults)
        .flatMap(({ status, fullName }) => (status === wanted ? [fullName] : []));
    const [passes, failures] = [namesOf('passed'), namesOf('failed')];
    const isWhole = code === 0 || timedOut || failures.length > 0;
    return { passes, failures: isWhole ? failures : ['the run as a whole'], timedOut };
  }

  /** Whether the TypeScript compiler accepts the code of the copy. */
  async typechecks(): Promise<boolean> {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    return promisify(execFile)(process.execPath, [tsc, '-p', 'tsconfig.json'], { cwd: this.#folder }).then(
      () => true,
      () => false,
    );
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Runs Node in its own process group. If a test hangs, the test is killed together with the processes that it
   * started.
   */
  #run(args: readonly string[], timeoutMs?: number): Promise<{ code: number | null; timedOut: boolean }> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, args, { cwd: this.#folder, detached: true, stdio: 'ignore' });
      let timedOut = false;
      const kill = () => {
        timedOut = true;
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(kill, timeoutMs);
      child.on('close', (code) => {
        clearTimeout(timer);
        resolve({ code, timedOut });
      });
    });
  }
}
