import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomFrom } from '../packages/simulator/random.ts';
import { type Mutant, mutantsOf } from './mutation/mutants.ts';
import { relatedTests } from './mutation/related-tests.ts';
import { ROOT, Workspace } from './mutation/workspace.ts';

/**
 * Tests random mutants of the code: `npm run mutate -- lib/idempotency lib/hosted [--count 60] [--seed 1]`. It samples
 * mutants of the files, at most one for each place in a file, and runs the nearest tests until one fails. It prints one
 * line for each mutant, and a table by folder. A mutant that hangs or does not compile counts as killed.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
if (positionals.length === 0) {
  console.error('Usage: npm run mutate -- <folder>... [--count 60] [--seed 1]');
  process.exit(2);
}
const NEAREST = 8;
const MAX_TESTS = 48;
/** The tests of whole requests to the hosted service, which import none of its code: they start it. */
const CONTRACT = 'test/contract/hosted.test.ts';
const TIMEOUT_MS = 120_000;

type Verdict = { readonly killed: boolean; readonly by: string };
const survived = (by: string): Verdict => ({ killed: false, by });
const killed = (by: string): Verdict => ({ killed: true, by });

function sample(): Mutant[] {
  const files = execFileSync('git', ['ls-files', ...positionals], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n');
  const code = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.data.ts'));
  const mutants = code.flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')));
  const random = randomFrom(Number(values.seed));
  const shuffled = mutants.map((mutant) => ({ mutant, at: random.next() })).sort((a, b) => a.at - b.at);
  const places = new Map(shuffled.map(({ mutant }) => [`${mutant.file}:${mutant.start}`, mutant]));
  console.log(`${mutants.length} mutants, seed ${values.seed}`);
  return [...places.values()].slice(0, Number(values.count));
}

async function judge(workspace: Workspace, file: string): Promise<Verdict> {
  const tests = testsOf(file);
  const contract = file.startsWith('lib/') ? [CONTRACT] : [];
  if (tests.length === 0) return survived('no test imports the file');
  for (const part of [tests.slice(0, NEAREST), [...tests.slice(NEAREST, MAX_TESTS), ...contract]]) {
    if (part.length === 0) break;
    const { failures, timedOut } = await workspace.runTests({ tests: part, bail: true, timeoutMs: TIMEOUT_MS });
    if (timedOut) return killed('timeout');
    if (failures[0] !== undefined) return killed(failures[0]);
    if (part.includes(tests[0] ?? '') && !(await workspace.typechecks())) return killed('tsc');
  }
  return survived(tests.length > MAX_TESTS ? `its nearest ${MAX_TESTS} test files` : 'all of its tests');
}

const testsOf = relatedTests({
  '#service': 'functions/compose/hosted.ts',
  '#engine': 'functions/compose/engine-hosted.ts',
  '#platform': 'functions/compose/local.ts',
});
const scores = new Map<string, { killed: number; of: number }>();
const workspace = new Workspace();
try {
  for (const [index, mutant] of sample().entries()) {
    const verdict = await workspace.withEdit(mutant, () => judge(workspace, mutant.file));
    const folder = dirname(mutant.file);
    const score = scores.get(folder) ?? { killed: 0, of: 0 };
    scores.set(folder, { killed: score.killed + Number(verdict.killed), of: score.of + 1 });
    const brief = (text: string) => text.replace(/\s+/g, ' ').slice(0, 60);
    const change = `${mutant.kind} | ${brief(mutant.original)} => ${brief(mutant.replacement)}`;
    console.log(
      `${index} ${verdict.killed ? 'killed' : 'SURVIVED'} ${mutant.file}:${mutant.line} ${change} | ${verdict.by}`,
    );
  }
} finally {
  workspace.remove();
}
const table = [...scores]
  .sort()
  .map(([folder, { killed, of }]) => [folder, { killed, of, score: Math.round((100 * killed) / of) }]);
console.table(Object.fromEntries(table));
