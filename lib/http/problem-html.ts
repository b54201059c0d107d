import type { ProblemPage } from '../contract/problem-page.ts';
import { escaped, htmlPage, inline } from './html.ts';

/** The page of a problem type, for people. */
export function problemHtml({ uri, title, status, ...page }: ProblemPage): string {
  return htmlPage(
    title,
    `<dl>
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
<h2>Who answers so</h2>
<ul>
${page.answeredBy.map((text) => `<li>${inline(text)}</li>`).join('\n')}
</ul>
<h2>Example</h2>
<pre><code>${escaped(JSON.stringify(page.example, null, 2))}</code></pre>`,
  );
}
