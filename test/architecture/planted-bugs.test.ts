import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PLANTED_BUGS } from '../../scripts/planted-bugs/list.ts';

const ROOT = join(import.meta.dirname, '../..');

it.each(PLANTED_BUGS)('$name has its one place in the code, and tests that are there', ({ file, find, tests }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(find)).toHaveLength(2);
  for (const test of tests) expect(readFileSync(join(ROOT, test), 'utf8')).not.toBe('');
});
