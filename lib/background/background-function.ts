import type { AlertCode } from '../contract/alerts.ts';
import { type Deadline, deadlineBefore } from '../service/deadline.ts';
import { failureFields, type Log, type LogLine, logToStandardError } from '../service/log.ts';

/** The part of a Lambda context that background functions use. */
export interface BackgroundContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

export interface BackgroundOptions {
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly log?: Log | undefined;
}

/** The handler of a Lambda function that a schedule, a stream or another AWS service calls. */
export type BackgroundFunction<Result = void, Context = BackgroundContext> = (
  event: unknown,
  context: Context,
) => Promise<Result>;

/** The response to a batch from a DynamoDB stream or a queue. Of a stream, Lambda resends the first failed record and all later records. */
export interface StreamResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** The result of one run of a background function. */
export interface RunReport<Result> {
  readonly result: Result;
  /** Counts to add to the log line of the run. */
  readonly counts?: Partial<LogLine>;
  /** What an operator must know. Each alert gets a log line of its own. */
  readonly alerts?: readonly AlertCode[];
  /** The error of the first item that the run could not finish. */
  readonly failure?: unknown;
}

/**
 * Creates a background function that writes one log line for each run, and one for each alert.
 * @param run does the work; an error that it throws is logged and thrown again
 */
export function backgroundFunction<Result, Context extends Pick<BackgroundContext, 'awsRequestId'>>(
  operation: string,
  run: (event: unknown, context: Context) => Promise<RunReport<Result>>,
  { now, log = logToStandardError }: BackgroundOptions,
): BackgroundFunction<Result, Context> {
  return async (event, context) => {
    const startedAtMs = now();
    const write = (fields: Partial<LogLine>) =>
      log({ operation, requestId: context.awsRequestId, durationMs: now() - startedAtMs, ...fields });
    try {
      const { result, counts, alerts = [], failure } = await run(event, context);
      write({ ...counts, ...(failure !== undefined && failureFields(failure)) });
      for (const alert of alerts) write({ alert });
      return result;
    } catch (error) {
      write({ alert: 'run-failed', ...failureFields(error) });
      throw error;
    }
  };
}

/** Returns the deadline of a run. It leaves time for what the run does at its end. */
export function runDeadline(
  context: BackgroundContext,
  { now }: BackgroundOptions,
  margin: 'report' | 'result' = 'report',
): Deadline {
  return deadlineBefore(context.getRemainingTimeInMillis(), now, margin);
}

/** Whether an event comes from a DynamoDB stream or a queue, and not from a schedule. */
export function hasRecords(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'Records' in event;
}
