import { FAULT_CODES } from '../../lib/contract/fault.ts';
import { PROBLEMS, type ProblemEntry } from '../../lib/contract/problems.ts';
import { MADE, table } from './table.ts';

const OUTCOMES: Record<ProblemEntry['outcome'], string> = {
  'not-applied': 'nothing was done',
  applied: 'it was done',
  unknown: 'it cannot be told',
};

/** `docs/problems.md`: a section for each problem type, and the codes of faults. */
export function problemsPage(): string {
  const sections = Object.entries(PROBLEMS).map(([type, { status, title, retryable, outcome, explanation }]) =>
    [
      `## ${type}`,
      `**${status}** · ${title} · ${retryable ? 'try again' : 'do not try again'} · outcome \`${outcome}\`: ${OUTCOMES[outcome]}`,
      explanation,
    ].join('\n\n'),
  );
  const codes = Object.entries(FAULT_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return `${[
    MADE,
    '# Problems',
    INTRODUCTION,
    ...sections,
    '## Codes of faults',
    'Each entry of `errors` has one. They are stable and made for programs; `detail` is for people and may change.',
    table(['code', 'meaning'], codes),
  ].join('\n\n')}\n`;
}

const INTRODUCTION = `Every failure is answered as \`application/problem+json\` ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)):

\`\`\`json
{
  "type": "http://127.0.0.1:8787/problems/invalid-project",
  "title": "The project breaks rules of the contract",
  "status": 400,
  "detail": "The project breaks a rule of the contract, and nothing was written.",
  "instance": "5e3a5c0e-7a53-4f4f-8b39-3c5f0f5a8d0e",
  "errors": [
    {
      "pointer": "/targetLanguages/0/targetLanguageCode",
      "code": "unknown-language",
      "detail": "The catalogue has no language with this code. The nearest known codes are de, de-DE, de-AT.",
      "allowed": ["de", "de-DE", "de-AT"]
    }
  ],
  "retryable": false,
  "outcome": "not-applied"
}
\`\`\`

- \`type\` ends with the name of the problem; \`instance\` is the request id, as \`X-Request-Id\` has it.
- \`errors\` lists every fault that was found at once, the first 100. \`pointer\` is a JSON pointer into the body, or
  \`/query/<name>\`, or \`/headers/<name>\`.
- \`retryable\` says whether the very same request may succeed later, \`retryAfterSeconds\` when.
- \`outcome\` says what became of the request: \`not-applied\`, \`applied\` or \`unknown\`.

One problem needs a word: **\`team-without-translator\` is a 500 that must not be retried.** The service's contract
answers a team with a proofreader and no translator so; it is a fault of the request.`;
