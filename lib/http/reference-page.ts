import { DESCRIPTION_PATH, REFERENCE_PATH } from '../contract/paths.ts';
import { contentSecurityPolicy, escaped, pageWithBar } from './html.ts';

/** The SHA-256 of an empty style. The viewer adds empty style elements; its styles are set by script. */
const EMPTY_STYLE_SHA256 = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';

/** The policy of the reference page. It also allows scripts from this API and requests to it. */
export const REFERENCE_POLICY = contentSecurityPolicy(
  [EMPTY_STYLE_SHA256],
  ["script-src 'self'", "connect-src 'self'"],
);

/** Returns the page that shows the API description. @param viewer the name of the viewer's file */
export function referenceHtml(viewer: string, baseUrl: string): string {
  return pageWithBar({
    title: 'Segue API',
    path: REFERENCE_PATH,
    name: 'viewer',
    baseUrl,
    body: `<div id="reference"></div>
<noscript><main class="page"><p>This page needs JavaScript. The same description, for programs: <a href="${escaped(baseUrl + DESCRIPTION_PATH)}">openapi.json</a>.</p></main></noscript>
<script src="docs/${escaped(viewer)}" defer></script>`,
  });
}
