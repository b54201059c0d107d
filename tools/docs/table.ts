/** Returns a Markdown table. Bars in cells are escaped, because a bar would end the cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** The first line of a generated page. It says where to edit the page's content. */
export const MADE = '<!-- Made by `npm run docs` from lib/contract. Edit that, or tools/docs. -->';
