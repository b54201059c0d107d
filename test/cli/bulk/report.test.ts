import { describe, expect, it } from 'vitest';
import { Progress, Report, type ReportedResult } from '../../../cli/bulk/report.ts';

const failed = (entry: number, failure: string, cause = ''): ReportedResult => {
  return { entry, line: entry, outcome: 'failed', failure, cause };
};

/** Reports results. @returns what it prints */
function report(results: readonly ReportedResult[]) {
  const printed = { out: '', err: '' };
  const target = {
    out: (text: string) => {
      printed.out += text;
    },
    err: (text: string) => {
      printed.err += text;
    },
  };
  const report = new Report(target, { entries: 1_000, validateOnly: false });
  for (const result of results) report.add(result);
  report.end();
  return printed;
}

describe('the report of a run', () => {
  it('sorts kinds of failures by count and then by name, in any order of the lines', () => {
    const results = [failed(1, 'b'), failed(2, 'c'), failed(3, 'a'), failed(4, 'c')];
    for (const each of [results, results.toReversed()]) {
      expect(report(each).out).toBe('0 created, 0 deleted, 0 already done, 4 failed\nc  2\na  1\nb  1\n');
    }
  });

  it('prints how many faults it leaves out, and a failure without a problem', () => {
    const cause = JSON.stringify({ detail: 'Wrong.', errors: [{ pointer: '', code: 'c', detail: 'd' }], faults: 3 });
    expect(report([failed(1, 'a', cause), failed(2, 'b', 'RequestId: …')]).err).toBe(
      'line 1: a  Wrong.\n  / c: d\n  and 2 more faults\nline 2: b  It ended without an answer.\n',
    );
  });
});

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

  it.each([
    [120, /^\[#{15}\.{15}\] 50 %: 500 of 1000 entries, 3 failed, \d+ a second$/],
    [72, /^\[#{15}\.{15}\] 50 %: 500 of 1000 entries, 3 failed$/],
    [40, /^50 %: 500 of 1000 entries, 3 failed$/],
    [20, /^50 %$/],
    [4, /^$/],
  ])('leaves out what does not fit into %i columns', (columns, line) => expect(drawn(columns)).toMatch(line));

  it.each([undefined, 0])('assumes 80 columns if the width of a terminal is %s', (columns) => {
    expect(drawn(columns)).toBe(drawn(80));
  });
});
