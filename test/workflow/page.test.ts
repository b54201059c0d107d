import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROBLEMS, type ProblemType } from '../../lib/contract/problems.ts';
import { failureName } from '../../lib/doors/workflow/failure.ts';
import { definitionFor } from './machine.ts';

const page = readFileSync(new URL('../../docs/workflows.md', import.meta.url), 'utf8');
const isType = (name: string): name is ProblemType => Object.hasOwn(PROBLEMS, name);
const types = Object.keys(PROBLEMS).filter(isType);

describe('docs/workflows.md', () => {
  it('lists the name and the title of every failure of the catalogue, and no other', () => {
    const rows = Array.from(page.matchAll(/^\| `(Segue\.[\w.-]+)` \| (.*) \|$/gm), ([, name, title]) => [name, title]);
    expect(rows).toEqual(types.map((type) => [failureName(type), PROBLEMS[type].title]));
    const named = new Set(page.match(/Segue\.(?:Terminal|Retryable|Unknown)\.[a-z-]+/g));
    expect([...named].sort()).toEqual(types.map(failureName).sort());
  });
});

describe('the example', () => {
  it('waits for and catches only names that there are', () => {
    const names = new Set(definitionFor('acme').match(/Segue\.[\w.-]+/g));
    expect(types.map(failureName)).toEqual(expect.arrayContaining([...names]));
  });
});
