import { failureFields, type Log, type LogLine, logToStandardError } from '../service/log.ts';

/** The part of a Lambda context that is read. */
export interface BackgroundContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

export interface BackgroundOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log?: Log | undefined;
}

/** The handler of a function that a schedule, a stream or another service calls. */
export type BackgroundFunction<Result = void, Context = BackgroundContext> = (
  event: unknown,
  context: Context,
) => Promise<Result>;

/** The result of one run. */
export interface RunReport<Result> {
  readonly result: Result;
  /** Counts for the log line. */
  readonly counts?: Partial<LogLine>;
  /** Why the first of the things that the run left undone failed. */
  readonly failure?: unknown;
}

/**
 * Makes a background function that writes one log line for each run.
 * @param run may throw: the error is logged, and the caller of the function gets it
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
      const { result, counts, failure } = await run(event, context);
      write({ ...counts, ...(failure !== undefined && failureFields(failure)) });
      return result;
    } catch (error) {
      write(failureFields(error));
      throw error;
    }
  };
}
