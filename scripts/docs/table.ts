/** A Markdown table. A bar in a cell would end it, so it is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** The first line of a generated page: where to edit it. */
export const MADE = '<!-- Made by `npm run docs` from lib/contract. Edit that, or scripts/docs. -->';
