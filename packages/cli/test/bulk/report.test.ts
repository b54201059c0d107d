import { describe, expect, it } from 'vitest';
import { Report, type ReportedResult } from '../../bulk/report.ts';
import { ProgressLine } from '../../progress-line.ts';

const failed = (entry: number, failure: string, cause = ''): ReportedResult => {
  return { entry, line: entry, outcome: 'failed', failure, cause };
};

/**
 * Reports results.
 * @returns the printed text
 */
function report(results: readonly ReportedResult[], text?: string) {
  const printed: { out: string; err: string; value?: unknown } = { out: '', err: '' };
  const target = {
    progress: new ProgressLine(undefined),
    print: (value: unknown, text: string) => {
      printed.out += text;
      printed.value = value;
    },
    err: (text: string) => {
      printed.err += text;
    },
  };
  const report = new Report(target, { path: 'm.jsonl', entries: 1_000, validateOnly: false });
  for (const result of results) report.add(result, text);
  report.end();
  return printed;
}

describe('the report of a run', () => {
  it('sorts kinds of failures by count and then by name, in any order of the lines', () => {
    const results = [failed(1, 'b'), failed(2, 'c'), failed(3, 'a'), failed(4, 'c')];
    for (const each of [results, results.toReversed()]) {
      expect(report(each)).toMatchObject({
        out: '0 created, 0 deleted, 0 already done, 4 failed\nc  2\na  1\nb  1\n',
        value: { outcomes: {}, alreadyDone: 0, failed: 4, failures: { a: 1, b: 1, c: 2 } },
      });
    }
  });

  it('points to the faults of a put in its line', () => {
    const errors = [{ pointer: '/name', code: 'wrong-type', detail: 'd' }];
    const failure = failed(1, 'Segue.Terminal.invalid-project', JSON.stringify({ detail: 'Wrong.', errors }));
    expect(report([failure], '{"put":{"name":5}}').err).toMatch(/m\.jsonl:1:16: \/name wrong-type: d/);
    expect(report([failure], '{"create":{"name":5}}').err).toMatch(/m\.jsonl:1:19: \/name wrong-type: d/);
  });

  it('counts puts by what they did', () => {
    const put = (outcome: 'created' | 'updated' | 'unchanged' | 'outdated', entry: number): ReportedResult => {
      return { entry, line: entry, outcome, replayed: false };
    };
    const results = [put('created', 1), put('updated', 2), put('unchanged', 3), put('outdated', 4)];
    expect(report(results).out).toBe(
      '1 created, 1 updated, 1 unchanged, 1 outdated, 0 deleted, 0 already done, 0 failed\n',
    );
  });

  it('prints how many faults it leaves out, and a failure without a problem', () => {
    const cause = JSON.stringify({ detail: 'Wrong.', errors: [{ pointer: '', code: 'c', detail: 'd' }], faults: 3 });
    expect(report([failed(1, 'a', cause), failed(2, 'b', 'RequestId: …')]).err).toBe(
      'line 1: a  Wrong.\n  the command c: d\n  and 2 more faults\nline 2: b  The line ended without an answer.\n',
    );
  });
});

it.each([
  [undefined, '50 %: 500 of 1000 entries, 3 failed'],
  [0, '50 %: 500 of 1000 entries, 3 failed'],
  [20, '50 %: 500 of 1000 e'],
])('a terminal of %s columns shows the progress on one line that never wraps', (columns, line) => {
  let text = '';
  const terminal = {
    columns,
    write(written: string) {
      text += written;
    },
  };
  const report = new Report(
    { print: () => {}, err: () => {}, progress: new ProgressLine(terminal) },
    { path: 'm.jsonl', entries: 1_000, validateOnly: false },
  );
  report.showProgress({ ended: 500, failed: 3 });
  expect(text).toBe(`\r\x1b[K${line}`);
});
