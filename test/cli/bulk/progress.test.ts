import { describe, expect, it } from 'vitest';
import { Progress } from '../../../cli/bulk/progress.ts';

/** What a terminal of some width shows when so many entries have ended. */
function drawn(columns: number | undefined, ended = 500, entries = 1_000): string {
  let text = '';
  const terminal = {
    columns,
    write(written: string) {
      text += written;
    },
  };
  new Progress({ err: () => {}, terminal }, entries).show({ ended, failed: 3 });
  return text.replace('\r\x1b[K', '');
}

describe('the progress line', () => {
  it('never reaches the last cell of a terminal, which would wrap it, however narrow', () => {
    for (let columns = 1; columns <= 200; columns++) expect(drawn(columns).length).toBeLessThan(columns);
  });

  it('has one cell for each character', () => expect(drawn(200)).toMatch(/^[ -~]+$/));

  it.each([
    [120, /^\[#{15}\.{15}\] 50 %: 500 of 1000 entries, 3 failed, \d+ a second$/],
    [72, /^\[#{15}\.{15}\] 50 %: 500 of 1000 entries, 3 failed$/],
    [40, /^50 %: 500 of 1000 entries, 3 failed$/],
    [20, /^50 %$/],
    [4, /^$/],
  ])('leaves out what does not fit into %i columns', (columns, line) => expect(drawn(columns)).toMatch(line));

  it.each([undefined, 0])('takes a terminal that does not tell its width, %s, to have 80 columns', (columns) => {
    expect(drawn(columns)).toBe(drawn(80));
  });

  it('follows a terminal that changes its width', () => {
    const lines: string[] = [];
    const terminal = { columns: 120, write: (text: string) => lines.push(text) };
    const progress = new Progress({ err: () => {}, terminal }, 2);
    progress.show({ ended: 2, failed: 0 });
    terminal.columns = 20;
    progress.show({ ended: 2, failed: 0 });
    expect(lines.map((line) => line.length > 20)).toEqual([true, false]);
  });
});
