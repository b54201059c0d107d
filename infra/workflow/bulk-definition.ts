import { RETENTIONS } from '../../lib/contract/retentions.ts';
import { REPEATABLE } from './retried-errors.ts';

/** The values in the definition of a bulk state machine. */
export interface BulkParts {
  /** The partition in the ARNs of AWS, such as `aws`. */
  readonly partition: string;
  readonly companyId: string;
  /** The ARN of the function that indexes the manifest. */
  readonly prepareBulk: string;
  /** The ARN of the function that runs one line. */
  readonly bulkLine: string;
  /** The name of the bucket for manifests, indexes and results. */
  readonly bucket: string;
  readonly concurrency: number;
  readonly toleratedFailurePercentage: number;
}

/**
 * The retries of a failed task. On average, their pauses together are longer than a line's lease. They are shorter than
 * the time limit of an express execution.
 */
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

/** The label of the map state. The ARNs of the map's executions contain it. */
export const LINES = 'Lines';

/** Returns the prefix of a company's results in the bucket. */
export function resultsPrefix(companyId: string): string {
  return `results/${companyId}`;
}

/**
 * Returns the prefix of a company's indexes in the bucket. An index is a CSV file with the position of each entry of a
 * manifest.
 */
export function indexPrefix(companyId: string): string {
  return `index/${companyId}`;
}

/**
 * Returns the definition of a bulk state machine, in the Amazon States Language. Only locations and counts flow through
 * the states, so that an execution's history holds no content.
 */
export function bulkDefinition(parts: BulkParts) {
  const { partition, companyId, prepareBulk, bucket, concurrency, toleratedFailurePercentage } = parts;
  return {
    Comment: 'Runs each line of a manifest exactly once',
    StartAt: 'Prepare',
    // Without its manifest, a run cannot continue.
    TimeoutSeconds: RETENTIONS.manifest.days * 86_400,
    States: {
      Prepare: {
        Type: 'Task',
        Resource: prepareBulk,
        Parameters: { companyId, 'executionId.$': '$$.Execution.Id', 'object.$': '$' },
        TimeoutSeconds: 960,
        Retry: RETRY,
        Next: 'IsCheck',
      },
      IsCheck: {
        Type: 'Choice',
        Choices: [{ Variable: '$.validateOnly', BooleanEquals: true, Next: 'TolerateAll' }],
        Default: 'TolerateSome',
      },
      // A run that only checks reports every fault of the manifest.
      TolerateAll: tolerate(100),
      TolerateSome: tolerate(toleratedFailurePercentage),
      [LINES]: {
        Type: 'Map',
        Label: LINES,
        ItemReader: {
          Resource: `arn:${partition}:states:::s3:getObject`,
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
        ToleratedFailurePercentagePath: '$.tolerated',
        ItemProcessor: lineProcessor(parts),
        ResultWriter: {
          Resource: `arn:${partition}:states:::s3:putObject`,
          Parameters: { Bucket: bucket, Prefix: resultsPrefix(companyId) },
        },
        End: true,
      },
    },
  };
}

function tolerate(percent: number) {
  return { Type: 'Pass', Result: percent, ResultPath: '$.tolerated', Next: LINES };
}

/**
 * Returns the states that run one line. If the line can never succeed, its task returns a result with every fault, and
 * the state `LineFailed` fails. The failure counts towards the tolerated percentage.
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
