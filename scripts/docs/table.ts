/** A Markdown table. A bar in a cell would end it, so it is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Says where a page comes from, to whoever is about to edit it. */
export const MADE = '<!-- Made by `npm run docs` from lib/contract. Edit that, or scripts/docs. -->';
