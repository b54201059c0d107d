import { FAULT_CODES } from '../../lib/contract/faults.ts';
import { problemPage } from '../../lib/contract/problem-page.ts';
import { PROBLEM_TYPES, PROBLEMS, type ProblemType } from '../../lib/contract/problems.ts';
import { MADE, table } from './table.ts';

/** Where the pages are that the examples name. */
const PROBLEMS_URL = 'http://127.0.0.1:8787/problems';

/** `docs/problems.md`: the problem types, and the codes of faults. */
export function problemsPage(): string {
  const types = PROBLEM_TYPES.map((type) => {
    const { status, title, retryable, outcome } = PROBLEMS[type];
    return [String(status), `[\`${type}\`](problems/${type}.md)`, retryable ? 'yes' : 'no', `\`${outcome}\``, title];
  });
  const codes = Object.entries(FAULT_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return `${[
    MADE,
    '# Problems',
    INTRODUCTION,
    '## Types',
    TYPES,
    table(['status', 'type', 'retryable', 'outcome', 'title'], types),
    '## Codes of faults',
    'Each entry of `errors` has one. They are stable and made for programs; `detail` is for people and may change.',
    table(['code', 'meaning'], codes),
  ].join('\n\n')}\n`;
}

/** `docs/problems/<type>.md`: the same as the API's own page of the type. */
export function problemTypePage(type: ProblemType): string {
  const page = problemPage(type, PROBLEMS_URL);
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
    '## Who answers so',
    page.answeredBy.map((text) => `- ${text}`).join('\n'),
    '## Example',
    json(page.example),
    'All types are in [Problems](../problems.md).',
  ].join('\n\n')}\n`;
}

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

const INTRODUCTION = `Every failure is answered as \`application/problem+json\` ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)):

${json(problemPage('invalid-project', PROBLEMS_URL).example)}

- \`type\` ends with the name of the problem, and is the URL of its page; \`instance\` is the request id, as \`X-Request-Id\` has it.
- \`errors\` lists every fault that was found at once, the first 100. \`pointer\` is a JSON pointer into the body, or
  \`/query/<name>\`, or \`/headers/<name>\`.
- \`retryable\` says whether the very same request may succeed later, \`retryAfterSeconds\` when.
- \`outcome\` says what became of the request: \`not-applied\`, \`applied\` or \`unknown\`.

One problem needs a word: **\`team-without-translator\` is a 500 that must not be retried.** The service's contract
answers a team with a proofreader and no translator so; it is a fault of the request.`;

const TYPES = `Each has a page that says when it happens and what to do about it. The API has the same pages: \`GET\` on a problem's \`type\`,
without credentials, gives HTML, or with \`Accept: application/json\` JSON.`;
