import type { ProblemPage } from '../../contract/problem-page.ts';

/** System fonts and colours, so that it is light or dark as the reader has it. */
const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}
h1,h2{line-height:1.25}
dt{font-weight:bold}
dd{margin:0 0 .5rem}
code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}
pre{white-space:pre-wrap;border:1px solid;padding:1rem}`;

/** Of the style. A test holds it to that: computing it would load `node:crypto`, a quarter of this function's start. */
const STYLE_SHA256 = 'yFblV64ttoPhzSRzIWZK7Ex7PHY40YfFZKtOCHWbsqY=';

/** The page has nothing but its own style: whatever else could ever get into it does nothing. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_SHA256}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page of a problem type, for people. */
export function problemHtml({ uri, title, status, ...page }: ProblemPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<dl>
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
<pre><code>${escaped(JSON.stringify(page.example, null, 2))}</code></pre>
</main>
</body>
</html>
`;
}

/** A text in which backticks are around what is code. */
function inline(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
