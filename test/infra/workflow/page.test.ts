import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { failureName } from '../../../lib/contract/failure-names.ts';
import { PROBLEM_TYPES } from '../../../lib/contract/problems.ts';
import { EXAMPLE } from './definitions.ts';

it.each([
  ['docs/workflows.md', readFileSync(new URL('../../../docs/workflows.md', import.meta.url), 'utf8')],
  ['the example', JSON.stringify(EXAMPLE)],
])('%s names every failure of the catalogue, and no other', (_, text) => {
  const named = new Set(text.match(/Segue\.(?:Terminal|Retryable|Unknown)\.[a-z-]+/g));
  expect([...named].sort()).toEqual(PROBLEM_TYPES.map(failureName).sort());
});
