import { readFileSync } from 'node:fs';
import { NO_ANSWER, NOT_APPLIED } from '../../infra/workflow/error-names.ts';
import { failureName, isTerminal, PROBLEM_TYPES, PROBLEMS } from '../../lib/contract/problems.ts';
import { table } from './table.ts';

const BEGIN = '<!-- What follows is made by `npm run docs` from lib/contract and infra/workflow. -->';
const END = '<!-- Until here. -->';

/** `docs/workflows.md`, in which the table of failures is made and all else is written. */
export function workflowsPage(): string {
  const written = readFileSync(new URL('../../docs/workflows.md', import.meta.url), 'utf8');
  const [before, rest = ''] = written.split(BEGIN);
  const [, after] = rest.split(END);
  if (after === undefined) throw new RangeError('docs/workflows.md has no place for the table of failures');
  return [before, BEGIN, `\n\n${table(['Name', 'Title', 'In a construct'], failures())}\n\n`, END, after].join('');
}

function failures(): string[][] {
  const problems = PROBLEM_TYPES.map((type) => {
    const name = failureName(type);
    return [`\`${name}\``, PROBLEMS[type].title, isTerminal(type) ? GIVES_UP : routeOf(name)];
  });
  const ofLambda = NOT_APPLIED.filter((name) => name.startsWith('Lambda.'));
  return [
    ...problems,
    ...ofLambda.map((name) => [`\`${name}\``, 'Lambda did not start the function', routeOf(name)]),
    ...NO_ANSWER.map((name) => [`\`${name}\``, 'The function gave no answer', routeOf(name)]),
  ];
}

const GIVES_UP = '`Terminal`, or a state of its own';

function routeOf(name: string): string {
  return NOT_APPLIED.includes(name) ? 'tried again, then `Retryable`' : 'found out, else `Unknown`';
}
