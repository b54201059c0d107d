import { ProblemTypeAnswer } from '../contract/answers.ts';
import { PROBLEMS_PATH } from '../contract/paths.ts';
import { Problem } from '../contract/problem.ts';
import { type ProblemPage, problemPage } from '../contract/problem-page.ts';
import { isProblemType, PROBLEMS } from '../contract/problems.ts';
import { PUBLIC_READ, type Route } from '../contract/routes.ts';
import { escaped, htmlPage, inline, PAGE_HEADERS, PUBLIC_HEADERS } from '../http/html.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { encodeText } from '../service/encoded-text.ts';
import * as example from './docs/examples.ts';
import type { OperationDocs } from './docs/operation-docs.ts';

/** The header for caches: the page depends on `Accept` and `Accept-Encoding`. */
const VARY = { Vary: 'Accept, Accept-Encoding' };

export const getProblemTypeRoute = {
  ...PUBLIC_READ,
  function: 'pages',
  id: 'getProblemType',
  path: `${PROBLEMS_PATH}/{type}`,
  summary: 'Explain a problem type',
  produces: ['text/html', 'application/json'],
  problems: ['route-not-found', 'unexpected-body'],
} as const satisfies Route;

/** Makes the handler of `GET /problems/{type}`. @param routes the routes of all operations */
export function getProblemType(routes: readonly Route[], options: OperationOptions): OperationHandler {
  return operation(getProblemTypeRoute, options, async ({ segment, baseUrl, answerType }) => {
    const type = segment('type');
    if (!isProblemType(type)) {
      throw new Problem('route-not-found', { detail: 'No problem type has this name: GET /problems lists all types.' });
    }
    const page = problemPage(type, baseUrl + PROBLEMS_PATH, routes);
    return answerType === 'text/html'
      ? { status: 200, headers: { ...PAGE_HEADERS, ...VARY }, html: await encodeText(problemHtml(page, baseUrl)) }
      : {
          status: 200,
          headers: { ...PUBLIC_HEADERS, ...VARY },
          json: await encodeText(JSON.stringify(answerOf(page))),
        };
  });
}

function answerOf({ type, uri, title, status, cause, remedy }: ProblemPage): ProblemTypeAnswer {
  const { retryable, outcome } = PROBLEMS[type];
  return { type: uri, title, status, retryable, outcome, explanation: `${cause} ${remedy}` };
}

/** Returns the HTML page of a problem type. @param baseUrl the URL of the API */
export function problemHtml({ uri, title, status, ...page }: ProblemPage, baseUrl: string): string {
  return htmlPage({
    title,
    baseUrl,
    content: `<dl>
<dt>Type</dt>
<dd><code>${escaped(uri)}</code></dd>
<dt>Status</dt>
<dd>${status}</dd>
<dt>Try again?</dt>
<dd>${inline(page.retry)}</dd>
<dt>Outcome</dt>
<dd>${inline(page.outcome)}</dd>
</dl>
<h2>When it happens</h2>
<p>${inline(page.cause)}</p>
<h2>What to do</h2>
<p>${inline(page.remedy)}</p>
<h2>Returned by</h2>
<ul>
${page.answeredBy.map((text) => `<li>${inline(text)}</li>`).join('\n')}
</ul>
<h2>Example</h2>
<pre><code>${escaped(JSON.stringify(page.example, null, 2))}</code></pre>
<p><a href="${escaped(baseUrl + PROBLEMS_PATH)}">All problem types</a></p>`,
  });
}

export const getProblemTypeDocs = (): OperationDocs => ({
  tag: 'About the API',
  description: 'Returns the page that the `type` of a problem links to: as HTML, or as JSON if `Accept` prefers it.',
  forAgents:
    'Explains a problem: when it happens, and what to do. Pass the `type` of the problem: its whole URL, or the last part, such as `plan-outdated`.',
  answers: [
    {
      status: 200,
      description: 'The explanation of the problem type.',
      schema: ProblemTypeAnswer,
      condition: 'as JSON',
      example: answerOf(problemPage('project-not-found', example.PROBLEMS_URL, [])),
    },
  ],
  schemas: { ProblemType: ProblemTypeAnswer },
  clientTypes: { ProblemType: 'ProblemTypeInfo' },
});
