import { DESCRIPTION_PATH, PROBLEMS_PATH, REFERENCE_PATH } from '../contract/paths.ts';

/**
 * The style of every page, in the colours of the viewer of the reference. It uses system fonts, and follows the reader's
 * choice of light or dark. Some colours of the viewer have too little contrast, so `.viewer` replaces them.
 */
const STYLE = `:root{color-scheme:light dark;--text:#1b1b1b;--quiet:#595959;--ground:#fff;--raised:#f6f6f6;--line:#dfdfdf}
@media (prefers-color-scheme:dark){:root{--text:#e7e7e7;--quiet:#a4a4a4;--ground:#0f0f0f;--raised:#1a1a1a;--line:#2d2d2d}}
body{margin:0;background:var(--ground);color:var(--text);font-family:system-ui,sans-serif}
.bar{position:sticky;top:0;z-index:10;box-sizing:border-box;height:3rem;display:flex;align-items:center;gap:1.25rem;padding:0 1.25rem;background:var(--ground);border-bottom:1px solid var(--line);font:.875rem/1.5 system-ui,sans-serif}
.bar a{color:var(--quiet);text-decoration:none}
.bar a:hover,.bar a[aria-current]{color:var(--text);text-decoration:underline}
.bar a:first-child{color:var(--text);font-weight:600}
.page{max-width:44rem;margin:2rem auto;padding:0 1.25rem;font-size:1rem;line-height:1.6}
.page h1,.page h2{line-height:1.25}
.page h2{margin-top:2rem;font-size:1.25rem}
.page a{color:inherit}
.page dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.5rem}
.page dt,.page small{color:var(--quiet)}
.page small{display:block;font-size:.875rem}
.page dd{margin:0;min-width:0}
.page li{margin-bottom:.5rem}
.page code{font-family:ui-monospace,monospace;font-size:.875em;overflow-wrap:anywhere}
.page pre{white-space:pre-wrap;background:var(--raised);border:1px solid var(--line);border-radius:.5rem;padding:1rem}
.viewer{--scalar-custom-header-height:3rem}
.viewer.light-mode{--scalar-color-2:#595959;--scalar-color-3:#636363;--scalar-color-green:#05653a;--scalar-color-red:#b3261e;--scalar-color-yellow:#6b5000;--scalar-color-blue:#0b57a4;--scalar-color-orange:#8f4400;--scalar-color-purple:#6b2fb3;--scalar-color-accent:#0b57a4}
.viewer.dark-mode{--scalar-color-2:#b0b0b0;--scalar-color-3:#a4a4a4;--scalar-color-red:#ff9a92;--scalar-color-orange:#ffb27a}
.viewer .scalar-reference-intro-clients{display:none}
@media (max-width:30rem){.page dl{grid-template-columns:1fr}.page dd{margin-bottom:.5rem}.viewer .scalar-sidebar-toggle{display:none}}`;

/** The SHA-256 of the style. A test checks it. Computing it would load `node:crypto`, a quarter of a cold start. */
const STYLE_SHA256 = 'GyieFOGL8V59JIn7Bt+nC1nMILxEo/ps96fziWSJaHI=';

/** The pages that every page links to, with their paths. */
const BAR = [
  { path: REFERENCE_PATH, title: 'Segue API' },
  { path: PROBLEMS_PATH, title: 'Problems' },
  { path: DESCRIPTION_PATH, title: 'OpenAPI' },
] as const;

/** An icon that needs no request. */
const ICON =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Cpath fill=%22%23888%22 d=%22M3 1h7v14H3zm8 6h4v2h-4z%22/%3E%3C/svg%3E';

/**
 * Returns the policy of a page. It allows the page's own style and icon, so injected scripts and styles have no effect.
 * @param styles the SHA-256 of further styles
 * @param others further directives
 */
export function contentSecurityPolicy(styles: readonly string[] = [], others: readonly string[] = []): string {
  return [
    "default-src 'none'",
    `style-src ${[STYLE_SHA256, ...styles].map((hash) => `'sha256-${hash}'`).join(' ')}`,
    'img-src data:',
    ...others,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The headers of a result that does not depend on who requests it. Caches may keep the result for an hour. */
export const PUBLIC_HEADERS = { 'Cache-Control': 'public, max-age=3600' };
/** The header of a file whose name changes with its content. Caches may keep it for a year. */
export const IMMUTABLE = { 'Cache-Control': 'public, max-age=31536000, immutable' };
/** The headers of an HTML page that does not depend on who requests it. */
export const PAGE_HEADERS = { ...PUBLIC_HEADERS, 'Content-Security-Policy': contentSecurityPolicy() };

/** A whole HTML page. */
interface Page {
  /** The title, as plain text. */
  readonly title: string;
  /** The URL of the API, to which the page links. */
  readonly baseUrl: string;
  /** The path of the page, if the bar links to it. */
  readonly path?: (typeof BAR)[number]['path'];
  /** The class of the page's body. */
  readonly name?: 'viewer';
  /** The HTML below the bar. */
  readonly body: string;
}

/** Returns a page with the bar that links to the others. */
export function pageWithBar({ title, baseUrl, path, name, body }: Page): string {
  const links = BAR.map(
    (entry) =>
      `<a href="${escaped(baseUrl + entry.path)}"${entry.path === path ? ' aria-current="page"' : ''}>${entry.title}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body${name === undefined ? '' : ` class="${name}"`}>
<nav class="bar" aria-label="Pages">${links.join('')}</nav>
${body}
</body>
</html>
`;
}

/** Returns a page of text. @param content the HTML below the heading */
export function htmlPage({ content, ...page }: Omit<Page, 'body'> & { readonly content: string }): string {
  return pageWithBar({ ...page, body: `<main class="page">\n<h1>${escaped(page.title)}</h1>\n${content}\n</main>` });
}

/** Converts plain text to HTML. Text in backticks becomes code. */
export function inline(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** Escapes plain text for use in HTML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
