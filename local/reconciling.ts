import { setTimeout } from 'node:timers/promises';
import { failureFields, type Log, logToStandardError } from '../lib/service/log.ts';
import type { UpstreamService } from '../lib/upstream/service.ts';

export interface ReconcilingOptions {
  readonly reconcile: UpstreamService['reconcile'];
  readonly stop: AbortSignal;
  /** Between the end of a run and the next, in milliseconds. */
  readonly pauseMs?: number;
  readonly log?: Log;
}

/**
 * Finishes what requests left open, as long as the gateway runs: what those of this process did, and what one that was
 * killed did. A run is logged if it finished something, gave something up or failed.
 */
export async function keepReconciling(options: ReconcilingOptions): Promise<void> {
  const { reconcile, stop, pauseMs = 5_000, log = logToStandardError } = options;
  while (!stop.aborted) {
    const began = Date.now();
    const base = { operation: 'reconciler', requestId: 'none' };
    try {
      const { failure, ...counts } = await reconcile(() => !stop.aborted);
      const failed = failure !== undefined && failureFields(failure);
      if (failed || counts.settled + counts.givenUp > 0)
        log({ ...base, durationMs: Date.now() - began, ...counts, ...failed });
    } catch (error) {
      log({ ...base, durationMs: Date.now() - began, ...failureFields(error) });
    }
    await setTimeout(pauseMs, undefined, { signal: stop }).catch(() => {});
  }
}
