import { setTimeout } from 'node:timers/promises';
import { deadlineAt } from '../lib/service/deadline.ts';
import { failureFields, type Log, logToStandardError } from '../lib/service/log.ts';
import type { DeliveryWork } from '../lib/webhooks/work.ts';

export interface DeliveringOptions {
  readonly work: Pick<DeliveryWork, 'due'>;
  readonly stop: AbortSignal;
  /** Between the end of a run and the next, in milliseconds. */
  readonly pauseMs?: number;
  readonly log?: Log;
}

/** How long a run may take, in milliseconds. */
const RUN_MS = 50_000;

/**
 * Works on what webhooks brought, as long as the gateway runs: what came to this process, and what one left that was
 * killed. A run is logged where a delivery has ended or been put off, or the run failed.
 */
export async function keepDelivering(options: DeliveringOptions): Promise<void> {
  const { work, stop, pauseMs = 500, log = logToStandardError } = options;
  while (!stop.aborted) {
    const began = Date.now();
    const base = { operation: 'deliveries', requestId: 'none' };
    const deadline = deadlineAt(began + RUN_MS, Date.now);
    const remainingMs = () => (stop.aborted ? 0 : deadline.remainingMs());
    try {
      const worked = await work.due({ remainingMs });
      const { done, postponed, dead } = worked;
      if (done + postponed + dead > 0) log({ ...base, durationMs: Date.now() - began, ...worked });
    } catch (error) {
      log({ ...base, durationMs: Date.now() - began, ...failureFields(error) });
    }
    await setTimeout(pauseMs, undefined, { signal: stop }).catch(() => {});
  }
}
