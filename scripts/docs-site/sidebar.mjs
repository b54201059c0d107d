import { readFileSync } from 'node:fs';

const INDEX = new URL('../../docs/README.md', import.meta.url);

/** Returns the sidebar: each heading of docs/README.md with the pages that are listed under it. */
export function readSidebar() {
  const [, ...groups] = readFileSync(INDEX, 'utf8').split(/^## /m);
  return groups.map((group) => ({
    text: group.slice(0, group.indexOf('\n')),
    items: [...group.matchAll(/^- \[(.+?)\]\((.+?)\.md\)/gm)].map(([, text, page]) => ({ text, link: `/${page}` })),
  }));
}
