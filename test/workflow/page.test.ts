import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failureName } from '../../lib/contract/failure-names.ts';
import { PROBLEM_TYPES, PROBLEMS } from '../../lib/contract/problems.ts';
import { definitionFor } from './machine.ts';

const page = readFileSync(new URL('../../docs/workflows.md', import.meta.url), 'utf8');

describe('docs/workflows.md', () => {
  it('lists the name and the title of every failure of the catalogue, and no other', () => {
    const rows = Array.from(page.matchAll(/^\| `(Segue\.[\w.-]+)` \| (.*) \|$/gm), ([, name, title]) => [name, title]);
    expect(rows).toEqual(PROBLEM_TYPES.map((type) => [failureName(type), PROBLEMS[type].title]));
    const named = new Set(page.match(/Segue\.(?:Terminal|Retryable|Unknown)\.[a-z-]+/g));
    expect([...named].sort()).toEqual(PROBLEM_TYPES.map(failureName).sort());
  });
});

describe('the example', () => {
  it('waits for and catches only names that there are', () => {
    const names = new Set(definitionFor('acme').match(/Segue\.[\w.-]+/g));
    expect(PROBLEM_TYPES.map(failureName)).toEqual(expect.arrayContaining([...names]));
  });
});
