import { defineConfig } from 'vitepress';
import { readSidebar } from '../sidebar.mjs';

/** The site of docs/. Pages and pictures come from there, and nothing from the network. */
export default defineConfig({
  title: 'Segue',
  description: 'The serverless front door to a multilingual project service',
  lang: 'en',
  // A copy of docs/, because Vite looks for Vue beside each page.
  srcDir: 'pages',
  outDir: '../../dist/site',
  cacheDir: 'node_modules/.cache/vitepress',
  rewrites: { 'README.md': 'index.md' },
  // The pictures follow the system's theme, so the pages do too.
  appearance: 'force-auto',
  markdown: { anchor: { slugify: gitHubAnchor }, config: keepBraces },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: readSidebar(),
    outline: [2, 3],
  },
});

/** Returns the anchor that GitHub gives to a heading, so that one link works in both places. */
function gitHubAnchor(title) {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s+/g, '-');
}

/** Keeps Vue from running code such as `{{name}}` in a sentence, as VitePress does for blocks of code. */
function keepBraces({ renderer }) {
  const render = renderer.rules.code_inline;
  renderer.rules.code_inline = (tokens, index, ...others) => {
    tokens[index].attrSet('v-pre', '');
    return render(tokens, index, ...others);
  };
}
