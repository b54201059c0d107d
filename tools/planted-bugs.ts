import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLANTED_BUGS } from './mutation/planted-bugs.data.ts';
import { ROOT, Workspace } from './mutation/workspace.ts';

/**
 * Plants bugs one by one in a copy of the repository: `npm run planted-bugs [-- <part of a name or path>...]`. For each
 * bug, a test must fail that passes without the bug. The program exits with 1 if a bug is not found, or if none of its
 * tests passes without the bug.
 */

const parts = process.argv.slice(2);
const bugs = PLANTED_BUGS.filter(
  ({ name, file }) => parts.length === 0 || parts.some((part) => name.includes(part) || file.includes(part)),
);
if (bugs.length === 0) {
  console.error('No planted bug has this part of a name or path.');
  process.exit(2);
}
const workspace = new Workspace();
try {
  const before = await workspace.runTests({ tests: [...new Set(bugs.flatMap(({ tests }) => tests))] });
  for (const name of before.failures) console.log(`fails without any bug: ${name}`);
  let missed = 0;
  for (const [index, { name, file, find, replace, ...run }] of bugs.entries()) {
    const start = readFileSync(join(ROOT, file), 'utf8').indexOf(find);
    const edit = { file, start, end: start + find.length, replacement: replace };
    const finders = before.passes.filter((test) => new RegExp(run.named ?? '').test(test));
    const { failures } = await workspace.withEdit(edit, () => workspace.runTests(run));
    const found = failures.find((failure) => finders.includes(failure));
    if (found === undefined) missed++;
    const result = found ?? (finders.length === 0 ? `NO TEST IS NAMED ${run.named}` : 'NOT FOUND');
    console.log(`${String(index + 1).padStart(2)}  ${name.padEnd(76)}  ${result.slice(0, 100)}`);
  }
  console.log(`${bugs.length - missed} of ${bugs.length} found`);
  process.exitCode = missed === 0 ? 0 : 1;
} finally {
  workspace.remove();
}
