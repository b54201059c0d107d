import type { Call } from '../service/port.ts';
import type { Asked } from './refusal.ts';
import type { Answer } from './transport.ts';

/** A request to the service, apart from what all of them share. */
export interface Request extends Asked {
  readonly path: string;
  /** What is sent as JSON; the checked value, never the bytes that were received. */
  readonly sent?: object;
  /** Whether an absence is to prove something: then no answer to an earlier request may be taken for this one's. */
  readonly isProof?: boolean;
}

/**
 * Asks the service for a company, and gives its answer whatever its status.
 * @throws {NoAnswer}
 * @throws {Problem} `unavailable` where there are no credentials
 */
export type Ask = (request: Request, call: Call) => Promise<Answer>;
