import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PLANTED_BUGS } from '../../tools/mutation/planted-bugs.data.ts';

const ROOT = join(import.meta.dirname, '../..');

it.each(PLANTED_BUGS)('$name: occurs once in the code, and its tests exist', ({ file, find, tests }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(find)).toHaveLength(2);
  for (const test of tests) expect(readFileSync(join(ROOT, test), 'utf8')).not.toBe('');
});
