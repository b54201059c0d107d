import { readFileSync } from 'node:fs';

const INDEX = new URL('../../docs/README.md', import.meta.url);

/**
 * Returns the sidebar: each heading of docs/README.md that has pages, with its pages and the headings below it. Only the
 * first group is open.
 */
export function readSidebar() {
  const [, ...groups] = readFileSync(INDEX, 'utf8').split(/^## /m);
  return groups.map((group, index) => {
    const [first, ...others] = group.split(/^### /m).map(groupOf);
    return { ...first, items: [...first.items, ...others], collapsed: index > 0 };
  });
}

function groupOf(section) {
  const items = [...section.matchAll(/^- \[(.+?)\]\((.+?)\.md\)/gm)];
  return {
    text: section.slice(0, section.indexOf('\n')),
    items: items.map(([, text, page]) => ({ text, link: `/${page}` })),
    collapsed: true,
  };
}
