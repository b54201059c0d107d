import { DESCRIPTION_PATH, PROBLEMS_PATH, REFERENCE_PATH } from '../contract/paths.ts';
import { TOKENS } from './design-tokens.data.ts';

/**
 * The style of every page. It uses system fonts, and follows the reader's choice of light or dark. Some colours of the
 * viewer of the reference have too little contrast, so `.viewer` replaces them, and the grounds with those of the tokens.
 */
const STYLE = `${TOKENS}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:var(--body)/1.5 var(--sans)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.bar{position:sticky;inset-block-start:0;z-index:10;height:var(--bar);display:flex;align-items:center;gap:var(--s5);padding-inline:var(--s5);background:var(--surface);border-block-end:1px solid var(--line);font:var(--small)/1.5 var(--sans);overflow-x:auto;white-space:nowrap}
.bar a{display:flex;align-items:center;height:100%;border-block:2px solid transparent;color:var(--quiet);text-decoration:none}
.bar a:hover{color:var(--text)}
.bar a[aria-current]{border-block-end-color:var(--accent);color:var(--text);font-weight:600}
.bar a:first-child{color:var(--text);font-size:var(--body);font-weight:600}
.bar a:first-child:before{width:.875rem;height:.875rem;margin-inline-end:var(--s2);border-radius:.25rem;background:linear-gradient(90deg,var(--accent) 62%,transparent 62% 74%,var(--accent) 74%);content:""}
.page{max-width:48rem;margin-inline:auto;padding:var(--s5) var(--s5) var(--s6);overflow-wrap:anywhere}
.page h1{margin:0 0 var(--s4);font-size:var(--title);line-height:1.25;text-wrap:balance}
.page h2{margin:var(--s6) 0 var(--s3);font-size:var(--large);line-height:1.25}
.page p{margin:0 0 var(--s4)}
.page a{color:var(--accent);text-underline-offset:.15em}
.page a:hover{color:var(--accent-strong)}
.page dl,.page ul,.page pre{margin:0 0 var(--s4);border:1px solid var(--line);border-radius:var(--radius);background:var(--surface)}
.page dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:var(--s2) var(--s5);padding:var(--s3) var(--s4)}
.page dt,.page small{color:var(--quiet);font-size:var(--small)}
.page dd{margin:0;min-width:0}
.page ul{padding:0;list-style:none}
.page li{padding:var(--s2) var(--s4)}
.page li:has(small){display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 var(--s4)}
.page li+li{border-block-start:1px solid var(--line)}
.page :is(code,pre){font-family:var(--mono);font-size:.875em}
.page pre{padding:var(--s4);white-space:pre-wrap}
.page pre code{font-size:1em}
.viewer{--scalar-custom-header-height:3rem}
.viewer.light-mode{--scalar-background-1:#fff;--scalar-background-2:#f5f6f8;--scalar-background-3:#eceff3;--scalar-border-color:#dce0e6;--scalar-color-1:#1a222d;--scalar-color-2:#545f6e;--scalar-color-3:#5b6674;--scalar-color-green:#05653a;--scalar-color-red:#ab231c;--scalar-color-yellow:#6b5000;--scalar-color-blue:#0b57a4;--scalar-color-orange:#8f4400;--scalar-color-purple:#6b2fb3;--scalar-color-accent:#1d5bb8}
.viewer.dark-mode{--scalar-background-1:#101317;--scalar-background-2:#181c22;--scalar-background-3:#232932;--scalar-border-color:#2c333d;--scalar-color-1:#e6e9ee;--scalar-color-2:#b0b8c4;--scalar-color-3:#a5aebb;--scalar-color-red:#ff9c94;--scalar-color-orange:#ffb27a;--scalar-color-accent:#8db6ff}
.viewer .scalar-reference-intro-clients{display:none}
@media (max-width:30rem){.bar{gap:var(--s4);padding-inline:var(--s4)}.page{padding-inline:var(--s4)}.page dl{grid-template-columns:1fr;gap:0}.page dd{margin-block-end:var(--s2)}.viewer .scalar-sidebar-toggle{display:none}}`;

/** The SHA-256 of the style. A test checks it. Computing it would load `node:crypto`, a quarter of a cold start. */
const STYLE_SHA256 = '6Tfp2rbs3HAU+O9dQazGtWCzF66k39lURW3bqgva9Rk=';

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
