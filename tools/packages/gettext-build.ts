import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * `gettext-parser` decides by 24 KB of classes of characters where a line may break. Segue writes whole lines
 * (`foldLength: 0`), whatever the classes are.
 */
export const withoutLineBreaks: Plugin = {
  name: 'without-line-breaks',
  setup({ onLoad }) {
    onLoad({ filter: /\/gettext-parser\/lib\/unicode-data\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(/^(export const LBP_\w+_DATA = )'.*'/gm, "$1''"),
    }));
  },
};

/** The replacement of a package that `gettext-parser` imports and that does nothing here. */
export const WITHOUT_ENCODING = { encoding: './packages/files/gettext/no-encoding.ts' };
