/** The style of every page. It uses system fonts and colours, and follows the reader's choice of light or dark. */
const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}
h1,h2{line-height:1.25}
dt{font-weight:bold}
dd{margin:0 0 .5rem}
code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}
pre{white-space:pre-wrap;border:1px solid;padding:1rem}`;

/** The SHA-256 of the style. A test checks it. Computing it would load `node:crypto`, a quarter of a cold start. */
const STYLE_SHA256 = 'yFblV64ttoPhzSRzIWZK7Ex7PHY40YfFZKtOCHWbsqY=';

/** The policy of every page. It allows only the page's own style, so injected scripts and styles have no effect. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_SHA256}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of a result that does not depend on who requests it. Caches may keep the result for an hour. */
export const PUBLIC_HEADERS = { 'Cache-Control': 'public, max-age=3600' };
/** The headers of an HTML page that does not depend on who requests it. */
export const PAGE_HEADERS = { ...PUBLIC_HEADERS, 'Content-Security-Policy': CONTENT_SECURITY_POLICY };

/** Returns a whole HTML page. @param title plain text @param content HTML */
export function htmlPage(title: string, content: string): string {
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
${content}
</main>
</body>
</html>
`;
}

/** Converts plain text to HTML. Text in backticks becomes code. */
export function inline(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** Escapes plain text for use in HTML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
