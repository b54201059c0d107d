import { ledger } from '#platform';
import type { BackgroundFunction } from '../../lib/background/background-function.ts';
import { withHeartbeat } from '../../lib/background/heartbeat.ts';

/** Adds heartbeats in the main table to the scheduled runs of a function. */
export function beating<Result>(run: BackgroundFunction<Result>): BackgroundFunction<Result> {
  return withHeartbeat(run, ledger, Date.now);
}
