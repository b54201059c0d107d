import { AsyncLocalStorage } from 'node:async_hooks';

/** What somebody asked a process for: whatever the process then commits or sends, and whatever comes of that, has this cause. */
export interface Cause {
  readonly company: string | undefined;
  readonly startedMs: number;
  /** Whether the process only finishes what others left open. */
  readonly isReconciliation: boolean;
  /** The operation under whose record it worked; absent until it did. */
  operationId?: string;
  /** When it first wrote that record, in milliseconds of the world's clock. */
  claimedMs?: number;
}

/** The cause of what is being done. */
export const causes = new AsyncLocalStorage<Cause>();
