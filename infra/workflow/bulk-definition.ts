import { REPEATABLE } from './retried-errors.ts';

/** The parts of a bulk state machine. */
export interface BulkParts {
  readonly companyId: string;
  /** The functions' ARNs. */
  readonly prepareBulk: string;
  readonly bulkLine: string;
  /** The name of the bucket of manifests. */
  readonly bucket: string;
  readonly concurrency: number;
  readonly toleratedFailurePercentage: number;
}

/** The retries last longer than the lease of a line, and less than the limit of an express execution. */
const RETRY = [
  {
    ErrorEquals: REPEATABLE,
    IntervalSeconds: 2,
    MaxAttempts: 9,
    BackoffRate: 2,
    MaxDelaySeconds: 30,
    JitterStrategy: 'FULL',
  },
];

/** The label of the map, which is part of the names of its executions. */
export const LINES = 'Lines';

/** The prefix of a company's results. */
export function resultsPrefix(companyId: string): string {
  return `results/${companyId}`;
}

/** The prefix of the indexes of a company's manifests. */
export function indexPrefix(companyId: string): string {
  return `index/${companyId}`;
}

/**
 * The definition of a bulk state machine, in the Amazon States Language. Only locations and counts flow through it, which
 * keeps content out of the execution's history.
 */
export function bulkDefinition(parts: BulkParts) {
  const { companyId, prepareBulk, bucket, concurrency, toleratedFailurePercentage } = parts;
  return {
    Comment: 'Runs each line of a manifest exactly once',
    StartAt: 'Prepare',
    States: {
      Prepare: {
        Type: 'Task',
        Resource: prepareBulk,
        Parameters: { companyId, 'object.$': '$' },
        TimeoutSeconds: 960,
        Retry: RETRY,
        Next: LINES,
      },
      [LINES]: {
        Type: 'Map',
        Label: LINES,
        ItemReader: {
          Resource: 'arn:aws:states:::s3:getObject',
          ReaderConfig: { InputType: 'CSV', CSVHeaderLocation: 'FIRST_ROW' },
          Parameters: { Bucket: bucket, 'Key.$': '$.index' },
        },
        ItemSelector: {
          companyId,
          'executionId.$': '$$.Execution.Id',
          'file.$': '$.file',
          'run.$': '$.run',
          'validateOnly.$': '$.validateOnly',
          'entry.$': '$$.Map.Item.Value',
        },
        MaxConcurrency: concurrency,
        ToleratedFailurePercentage: toleratedFailurePercentage,
        ItemProcessor: lineProcessor(parts),
        ResultWriter: {
          Resource: 'arn:aws:states:::s3:putObject',
          Parameters: { Bucket: bucket, Prefix: resultsPrefix(companyId) },
        },
        End: true,
      },
    },
  };
}

/**
 * The states of one line. If a line can never succeed, the task returns a result with every fault, and `LineFailed` fails.
 * That failure counts towards the tolerated percentage.
 */
function lineProcessor({ bulkLine }: BulkParts) {
  return {
    ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'EXPRESS' },
    StartAt: 'CarryOut',
    States: {
      CarryOut: { Type: 'Task', Resource: bulkLine, TimeoutSeconds: 70, Retry: RETRY, Next: 'IsDone' },
      IsDone: {
        Type: 'Choice',
        Choices: [{ Variable: '$.outcome', StringEquals: 'failed', Next: 'LineFailed' }],
        Default: 'LineDone',
      },
      LineFailed: { Type: 'Fail', ErrorPath: '$.failure', CausePath: '$.cause' },
      LineDone: { Type: 'Succeed' },
    },
  };
}
