import type { FactGroup } from './fact.ts';

export const BULK: FactGroup = {
  heading: 'What bulk runs take for true',
  shows: 'How it shows',
  facts: [
    {
      fact: 'A distributed map reads a CSV file of S3 with `CSVHeaderLocation: FIRST_ROW` row by row, each an object of texts in `$$.Map.Item.Value`.',
      sure: 'docs, seen in an emulator',
      where:
        '`infra/workflow/bulk-definition.ts`: the index that `prepareBulk` writes. It has the number of each line among equal lines.',
      byHand:
        '`npx --no-install segue bulk <manifest> --stack <name> --company <id>` with three lines: each is told by its number',
    },
    {
      fact: 'If more lines fail than `ToleratedFailurePercentagePath` allows, a distributed map starts no further lines, and ends with `States.ExceedToleratedFailureThreshold`.',
      sure: 'docs',
      where: '`packages/cli/bulk/run-on-stack.ts` tells this apart from a run that failed as a whole.',
      byHand:
        'the same with three faulty lines of four, for a machine that tolerates 5 %: exit code 1, and what was left is said',
    },
    {
      fact: 'With the log level `ERROR`, Step Functions logs the events `ExecutionFailed` and `ExecutionTimedOut` of a machine as JSON with `type` and `execution_arn`. The ARN of a line has `express` where that of a run has `execution`, or a slash in the name of the machine.',
      sure: 'docs; the ARN of a line is assumed',
      where: 'The alert `bulk-failed`: `infra/monitoring/alert-lines.ts`.',
      byHand:
        'the same: `aws logs filter-log-events` on the log of bulk runs, with the pattern of the filter, finds one line of the run, and none of its lines',
    },
    {
      fact: 'The result writer leaves `manifest.json`, whose `ResultFiles` has lists of `SUCCEEDED` and `FAILED`; an entry of these has `Input`, `Output` or `Error` and `Cause` as text.',
      sure: 'docs',
      where: '`packages/cli/bulk/stack-results.ts`',
      byHand: 'the same with `--results results.jsonl` and one faulty line: it has every fault of that line',
    },
    {
      fact: 'A state `Fail` takes its error and cause by `ErrorPath` and `CausePath`, and keeps 32,768 characters of a cause.',
      sure: 'docs, seen in an interpreter',
      where: '`infra/workflow/bulk-definition.ts`; `lib/workflow/bulk/run-line.ts` keeps below it.',
      byHand: 'a line with a hundred faults: its cause is whole JSON',
    },
    {
      fact: 'A redrive runs the lines again that failed or did not start, also as express children, with the same input.',
      sure: 'docs',
      where:
        'A line’s key consists of the run’s name, its content and its number among equal lines. So running it again repeats nothing.',
      byHand: '`aws stepfunctions redrive-execution` after a run that failed: no project twice',
    },
    {
      fact: '`GetObject` with `Range` and `If-Match` answers 412 `PreconditionFailed` after the object was replaced.',
      sure: 'docs, seen in an emulator',
      where: '`lib/workflow/bulk/manifests-in-s3.ts`: Segue refuses a manifest that changes during the run.',
      byHand:
        'another manifest under the same key while the machine runs: the lines left fail as `Segue.Terminal.invalid-parameter`',
    },
  ],
};
