/** System fonts and colours: light or dark, as the reader prefers. */
const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem}
h1,h2{line-height:1.25}
dt{font-weight:bold}
dd{margin:0 0 .5rem}
code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}
pre{white-space:pre-wrap;border:1px solid;padding:1rem}`;

/** The hash of the style, checked by a test. Computing it here would load `node:crypto`, a quarter of the cold start. */
const STYLE_SHA256 = 'yFblV64ttoPhzSRzIWZK7Ex7PHY40YfFZKtOCHWbsqY=';

/** Allows only the page's own style, so that injected content has no effect. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_SHA256}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** For results that are the same for every client and may be cached. */
export const PUBLIC_HEADERS = { 'Cache-Control': 'public, max-age=3600' };
/** The same for an HTML page. */
export const PAGE_HEADERS = { ...PUBLIC_HEADERS, 'Content-Security-Policy': CONTENT_SECURITY_POLICY };

/** A whole page. `content` is HTML. */
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

/** A text with code in backticks, as HTML. */
export function inline(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
