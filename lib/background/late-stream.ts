import type { AlertCode } from '../contract/alerts.ts';
import { logToStandardError } from '../service/log.ts';
import type { BackgroundFunction, BackgroundOptions } from './background-function.ts';
import { lagOf } from './stream.ts';

/** How long a record of a stream may wait for its function, in milliseconds. */
const MAX_LAG_MS = 600_000;

/**
 * Adds an alert to each call of a function whose stream records have waited too long. The alert is logged before the
 * call, so also if the call fails.
 */
export function alertIfLate<Result, Context extends { readonly awsRequestId: string }>(
  operation: string,
  alert: AlertCode,
  run: BackgroundFunction<Result, Context>,
  { now, log = logToStandardError }: BackgroundOptions,
): BackgroundFunction<Result, Context> {
  return (event, context) => {
    const lagMs = lagOf(event, now());
    if (lagMs >= MAX_LAG_MS) log({ operation, requestId: context.awsRequestId, alert, durationMs: 0, lagMs });
    return run(event, context);
  };
}
