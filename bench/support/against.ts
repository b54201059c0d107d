import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compareRuns, comparisonTable, figuresIn, type Pair } from './compare.ts';
import { temporaryFolder } from './floor.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The folders with a lock file. Their packages are shared if both commits lock the same. */
const LOCKED = ['.', 'bench/fastify', 'bench/cold-start'];

/** The options of a comparison. */
export const AGAINST = { against: { type: 'string' }, pairs: { type: 'string', default: '3' } } as const;

/** The values of the options. */
interface Against {
  /** The commit to compare with. */
  readonly against: string;
  /** How often each commit is measured, a whole number from 1. */
  readonly pairs: string;
  /** Whether the exit code is 1 if a figure is worse. */
  readonly strict: boolean;
}

/**
 * Runs a benchmark of another commit and of this folder in turn, and prints all figures as a Markdown table. Each side
 * runs its own benchmark on its own code.
 * @param script the script of package.json, such as `bench`
 * @param args the arguments for both sides
 */
export async function printComparison(script: string, args: readonly string[], options: Against): Promise<void> {
  const count = Number(options.pairs);
  const revision = ['rev-parse', '--short', `${options.against}^{commit}`];
  const commit = execFileSync('git', revision, { cwd: ROOT, encoding: 'utf8' }).trim();
  using folder = temporaryFolder();
  checkOut(commit, folder.path);
  const run = async (root: string) => {
    const command = ['run', '--silent', script, '--', ...args];
    const { stdout } = await promisify(execFile)('npm', command, { cwd: root, maxBuffer: Number.MAX_SAFE_INTEGER });
    return figuresIn(stdout);
  };
  const pairs: Pair[] = [];
  for (let n = 0; n < count; n++) {
    pairs.push({ other: await run(folder.path), own: await run(ROOT) });
    console.error(`Measured pair ${n + 1} of ${count}.`);
  }
  const comparisons = compareRuns(pairs);
  console.log(comparisonTable(commit, comparisons));
  if (options.strict && comparisons.some(({ verdict }) => verdict === 'worse')) process.exitCode = 1;
}

/** Writes the files of a commit into a folder, with installed packages. */
function checkOut(commit: string, folder: string): void {
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: Number.MAX_SAFE_INTEGER });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  if (!hasSameLock('.', folder)) execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
  else symlinkSync(join(ROOT, 'dist'), join(folder, 'dist'));
  for (const each of LOCKED) {
    const packages = join(each, 'node_modules');
    if (hasSameLock(each, folder) && existsSync(join(ROOT, packages))) {
      symlinkSync(join(ROOT, packages), join(folder, packages));
    }
  }
}

/** Whether both commits lock the same packages in a folder. */
function hasSameLock(each: string, folder: string): boolean {
  const [own, other] = [ROOT, folder].map((root) => {
    const path = join(root, each, 'package-lock.json');
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  });
  return own !== undefined && own === other;
}
