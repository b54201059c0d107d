import { failureFields, type Log, type LogLine, logToStandardError } from '../service/log.ts';

/** What a Lambda context is asked for. */
export interface ScheduledContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

export interface ScheduledOptions {
  readonly now: () => number;
  readonly log?: Log;
}

/** What a function calls that works by itself, whatever its event says. */
export type Scheduled = (event: unknown, context: ScheduledContext) => Promise<void>;

/**
 * Makes a function that a schedule calls: one line of its log says what came of it.
 * @param work gets how many milliseconds are left; what it counts goes into the line
 */
export function scheduled(
  operation: string,
  work: (remainingMs: () => number) => Promise<Partial<LogLine>>,
  { now, log = logToStandardError }: ScheduledOptions,
): Scheduled {
  return async (_event, context) => {
    const began = now();
    const base = { operation, requestId: context.awsRequestId };
    try {
      const counts = await work(() => context.getRemainingTimeInMillis());
      log({ ...base, durationMs: now() - began, ...counts });
    } catch (error) {
      log({ ...base, durationMs: now() - began, ...failureFields(error) });
      throw error;
    }
  };
}
