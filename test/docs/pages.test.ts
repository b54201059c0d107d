import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES, PROBLEMS_FOLDER } from '../../tools/docs.ts';
import { blocks, ROOT, read } from './world.ts';

describe('generated pages', () => {
  it.each(Object.entries(PAGES))('%s is up to date with `npm run docs`', (path, page) => {
    expect(read(path)).toBe(page());
  });

  it('has a page for each problem type, and no other', () => {
    const pages = Object.keys(PAGES).filter((path) => path.startsWith(`${PROBLEMS_FOLDER}/`));
    expect(readdirSync(join(ROOT, PROBLEMS_FOLDER)).map((name) => `${PROBLEMS_FOLDER}/${name}`)).toEqual(pages.sort());
  });
});

const MARKDOWN = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  '.github/SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

it.each(MARKDOWN)('the links of %s lead to existing targets', (path) => {
  const links = [...read(path).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  for (const [, file = '', anchor] of links) {
    const target = file === '' ? path : join(dirname(path), file);
    expect(existsSync(join(ROOT, target)), `${path} links to ${target}`).toBe(true);
    if (anchor !== undefined) expect(headings(read(target))).toContain(anchor);
  }
});

function headings(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s+/g, '-'),
  );
}

it('docs/README.md, from which the site takes its sidebar, lists every page once', () => {
  const listed = Array.from(read('docs/README.md').matchAll(/^- \[.+?\]\((.+?)\): /gm), ([, page]) => page);
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(listed.sort()).toEqual(pages.sort());
});

it.each(readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.svg')))(
  'docs/%s has a title, a description, and colours for dark pages',
  (name) => {
    expect(read(`docs/${name}`)).toMatch(/<title id="title">.+<desc id="description">.+prefers-color-scheme: dark/s);
  },
);

it.each(MARKDOWN)('the answers to commands of %s that follow each other are on lines of their own', (path) => {
  for (const block of blocks(read(path), 'sh')) {
    for (const command of block.split(/^curl /m).slice(1, -1)) expect(command).toMatch(/-w '\\n'/);
  }
});

describe('docs/settings.md', () => {
  it('lists every setting that the code reads, and no other', () => {
    const inCode = ['local', 'functions', 'infra'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .flatMap((name) => read(join(folder, name)).match(/\bSEGUE_[A-Z_]+\b/g) ?? []),
    );
    const inPage = read('docs/settings.md').match(/\bSEGUE_[A-Z_]+\b/g);
    expect([...new Set(inPage)].sort()).toEqual([...new Set(inCode)].sort());
  });
});
