import { AGAIN } from './error-names.ts';

/** The parts of a state machine for manifests. */
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

/** Retries longer than a begun line stays locked, and no longer than an express execution may take. */
const RETRY = [
  {
    ErrorEquals: AGAIN,
    IntervalSeconds: 2,
    MaxAttempts: 9,
    BackoffRate: 2,
    MaxDelaySeconds: 30,
    JitterStrategy: 'FULL',
  },
];

/** The label of the map, which is in the names of its executions. */
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
 * A state machine that carries out a manifest, in the Amazon States Language. Only locations and counts flow through it, so
 * that no content is in the history of an execution.
 */
export function bulkDefinition(parts: BulkParts) {
  const { companyId, prepareBulk, bucket, concurrency, toleratedFailurePercentage } = parts;
  return {
    Comment: 'Carries out the commands of a manifest, each once',
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
 * The states of one line. For a line that can never succeed, the task returns a result and `LineFailed` fails: a result has
 * room for every fault, and the failure counts for the tolerated percentage.
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
