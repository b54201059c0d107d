import { PLANTED_BUGS } from './planted-bugs/list.ts';
import { Trial } from './planted-bugs/trial.ts';

/**
 * `node scripts/planted-bugs.ts [part of a name or of a file's path]...`: plants each bug of the list alone in a copy of
 * the repository, and expects at least one test to fail that does not fail without it. Ends with 1 where a bug is not found.
 */
const parts = process.argv.slice(2);
const bugs = PLANTED_BUGS.filter(
  ({ name, file }) => parts.length === 0 || parts.some((part) => name.includes(part) || file.includes(part)),
);
const trial = new Trial();
try {
  const faulty = new Set(await trial.failures({ tests: [...new Set(bugs.flatMap(({ tests }) => tests))] }));
  for (const name of faulty) console.log(`fails without any bug: ${name}`);
  let missed = 0;
  for (const [index, bug] of bugs.entries()) {
    const failures = await trial.failuresWith(bug);
    const [found, ...others] = failures?.filter((name) => !faulty.has(name)) ?? [];
    if (found === undefined) missed++;
    const by = failures ? (found ?? 'NOT FOUND') : 'NO PLACE';
    const more = others.length > 0 ? ` (+${others.length})` : '';
    console.log(`${String(index + 1).padStart(2)}  ${bug.name.padEnd(76)}  ${by.slice(0, 100)}${more}`);
  }
  console.log(`${bugs.length - missed} of ${bugs.length} found`);
  process.exitCode = missed === 0 ? 0 : 1;
} finally {
  trial.remove();
}
