import { PROBLEMS_PATH } from '../contract/paths.ts';
import { PROBLEM_TYPES, PROBLEMS } from '../contract/problems.ts';
import { PUBLIC_READ, type Route } from '../contract/routes.ts';
import { escaped, htmlPage, PAGE_HEADERS } from '../http/html.ts';
import { type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { OperationDocs } from './docs/operation-docs.ts';

export const listProblemTypesRoute = {
  ...PUBLIC_READ,
  function: 'pages',
  id: 'listProblemTypes',
  path: PROBLEMS_PATH,
  summary: 'List the problem types',
  produces: ['text/html'],
} as const satisfies Route;

/** Makes the handler of `GET /problems`. */
export function listProblemTypes(options: OperationOptions): OperationHandler {
  return operation(listProblemTypesRoute, options, async ({ baseUrl }) => ({
    status: 200,
    headers: PAGE_HEADERS,
    html: await encodeText(problemsHtml(baseUrl)),
  }));
}

/** Returns the HTML page with links to all problem types, by status. */
function problemsHtml(baseUrl: string): string {
  const byStatus = Map.groupBy(PROBLEM_TYPES, (type) => PROBLEMS[type].status);
  const sections = [...byStatus].map(
    ([status, types]) => `<h2 id="${status}">${status}</h2>
<ul>
${types.map((type) => `<li><a href="${escaped(`${baseUrl}${PROBLEMS_PATH}/${type}`)}">${escaped(PROBLEMS[type].title)}</a><small><code>${type}</code></small></li>`).join('\n')}
</ul>`,
  );
  return htmlPage({
    title: 'Problems',
    path: PROBLEMS_PATH,
    baseUrl,
    content: `<p>Every error of Segue is a problem (RFC 9457). Its <code>type</code> is the URL of a page that says when it happens and what to do.</p>
${sections.join('\n')}`,
  });
}

export const listProblemTypesDocs = (): OperationDocs => ({
  tag: 'About the API',
  description: 'Returns an HTML page with links to the pages of all problem types.',
  answers: [{ status: 200, description: 'The page.', schema: null }],
});
