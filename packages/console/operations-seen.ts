import type { SegueClient } from '../client/index.ts';

/** An operation that a user has looked at. */
export interface SeenOperation {
  readonly id: string;
  /** What it did, in words. */
  readonly outcome: string;
}

const SEEN = new WeakMap<SegueClient, readonly SeenOperation[]>();
/** How many operations a session remembers. */
const KEPT = 20;

/** Remembers an operation for the session. */
export function rememberOperation(client: SegueClient, operation: SeenOperation): void {
  const others = seenOperations(client).filter(({ id }) => id !== operation.id);
  SEEN.set(client, [operation, ...others].slice(0, KEPT));
}

/** Returns the operations that the session has seen, the last one first. */
export function seenOperations(client: SegueClient): readonly SeenOperation[] {
  return SEEN.get(client) ?? [];
}
