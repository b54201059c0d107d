import { NO_ANSWER, NOT_APPLIED } from '../../infra/workflow/retried-errors.ts';
import { failureName, isTerminal, PROBLEM_TYPES, PROBLEMS } from '../../lib/contract/problems.ts';
import { fill } from './fill.ts';
import { table } from './table.ts';

/** Returns the page `docs/workflows.md`. */
export function workflowsPage(): string {
  return fill('docs/workflows.md', { failures: table(['Name', 'Title', 'In a construct'], failures()) });
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
