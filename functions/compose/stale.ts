import { failureFields, logToStandardError } from '../../lib/service/log.ts';

/** Logs that an old secret serves in place of one that cannot be read; an alarm counts these lines. */
export function toldStale(operation: string) {
  return (ageMs: number, cause: unknown): void =>
    logToStandardError({ operation, requestId: 'none', durationMs: ageMs, ...failureFields(cause) });
}
