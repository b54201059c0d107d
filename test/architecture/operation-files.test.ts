import { expect, it } from 'vitest';
import { codeOf, sourceFiles } from './source-files.ts';

/** Files that people write: no tests, generated files and pure data. */
const isWritten = ({ path, text }: { path: string; text: string }) =>
  !/^(?:test|bench|docs|examples)\/|\.test\.ts$|\.data\.ts$/.test(path) && !text.startsWith('// Made by');

const written = sourceFiles().filter(isWritten);

/**
 * The files that name an operation or its values. Whoever adds an operation like it has to write in each of them, so a
 * new one needs a reason.
 */
it.each([
  ['plan a deletion', /plan-?deletion|deletion-?plan|planned-?deletion|planToken/i, 5],
  // A put has a plan, a task of workflows, a command, a page of the console, and both services.
  ['put a project', /put-?project|plan-?put|put-?plan|put-?token/i, 31],
  // The console writes one, and the example of its screenshots several.
  ['write translations', /write-?translations|written-?translation|translations-?request/i, 10],
])('few files name the operation: %s', (_, names, most) => {
  const naming = written.filter((file) => names.test(codeOf(file))).map(({ path }) => path);
  expect(naming.length, naming.join('\n')).toBeLessThanOrEqual(most);
});
