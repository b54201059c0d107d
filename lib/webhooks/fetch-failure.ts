import { Problem } from '../contract/problem.ts';

/**
 * Whether another attempt may get the entry. `missing`: for a short time only, because a content system may publish a page
 * some seconds after it sent the message.
 */
export type FetchRetry = 'never' | 'missing' | 'always';

/** How long a delivery is retried while the content system says that the entry does not exist, in milliseconds. */
export const MISSING_MS = 600_000;

/** The problem of an entry that could not be fetched. The text names at most a host that the operator allowed. */
export class FetchFailure extends Problem {
  readonly retry: FetchRetry;

  constructor(detail: string, retry: FetchRetry = 'never', retryAfterSeconds?: number) {
    super('fetch-failed', { detail, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
    this.retry = retry;
  }

  /** @param openMs how long the delivery has been open, in milliseconds */
  mayHelp(openMs: number): boolean {
    return this.retry === 'always' || (this.retry === 'missing' && openMs < MISSING_MS);
  }
}
