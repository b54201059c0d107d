/** Texts that do harm where a page takes them as HTML. */
export const HOSTILE = Array.from({ length: 25 }, (_, n) => [
  `<script>window.harmed=${n}</script>`,
  `<img src=x onerror="window.harmed=${n}">`,
  `<svg onload=window.harmed=${n}>`,
  `"><iframe srcdoc="<script>parent.harmed=${n}</script>">`,
  `<a href="javascript:window.harmed=${n}">a</a>`,
  `{{constructor.constructor('window.harmed=${n}')()}}`,
  `</textarea><style>*{display:none}</style>${n}`,
  `&lt;b onmouseover=window.harmed=${n}&gt; \u202e &amp;`,
]).flat();
