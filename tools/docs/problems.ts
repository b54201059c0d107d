import { FAULT_CODES } from '../../lib/contract/faults.ts';
import { problemPage } from '../../lib/contract/problem-page.ts';
import { PROBLEM_TYPES, PROBLEMS, type ProblemType } from '../../lib/contract/problems.ts';
import { ROUTES } from '../../lib/operations/routes.ts';
import { fill } from './fill.ts';
import { MADE, table } from './table.ts';

/** The URL of the problem pages in the examples. */
const PROBLEMS_URL = 'http://127.0.0.1:8787/problems';

/** Returns the page `docs/problems.md`, with the problem types and the fault codes. */
export function problemsPage(): string {
  const types = PROBLEM_TYPES.map((type) => {
    const { status, title, retryable, outcome } = PROBLEMS[type];
    return [String(status), `[\`${type}\`](problems/${type}.md)`, retryable ? 'yes' : 'no', `\`${outcome}\``, title];
  });
  const codes = Object.entries(FAULT_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return fill('docs/problems.md', {
    example: json(problemPage('invalid-project', PROBLEMS_URL, ROUTES).example),
    types: table(['status', 'type', 'retryable', 'outcome', 'title'], types),
    codes: table(['code', 'meaning'], codes),
  });
}

/** Returns the page `docs/problems/<type>.md`. Its content is the same as on the API's own page of the type. */
export function problemTypePage(type: ProblemType): string {
  const page = problemPage(type, PROBLEMS_URL, ROUTES);
  return `${[
    MADE,
    `# ${page.title}`,
    table(
      ['type', 'status', 'try again?', 'outcome'],
      [[`\`${type}\``, String(page.status), page.retry, page.outcome]],
    ),
    '## When it happens',
    page.cause,
    '## What to do',
    page.remedy,
    '## Returned by',
    page.answeredBy.map((text) => `- ${text}`).join('\n'),
    '## Example',
    json(page.example),
    'All types are in [Problems](../problems.md).',
  ].join('\n\n')}\n`;
}

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
