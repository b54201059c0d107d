import type { Guard } from '../idempotency/commit.ts';
import type { Storage } from '../storage/port.ts';
import type { IdSource } from './project-ids.ts';

/** What every part of the hosted service stands on. */
export interface Foundation {
  readonly storage: Storage;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly ids: IdSource;
  /** How far off a start date may be, in milliseconds. */
  readonly startDateToleranceMs: number;
  readonly guard: Guard;
  /** A name for the record of what happened; absent where nobody listens. */
  readonly newEventId?: (() => string) | undefined;
  /** For how long whoever runs the store can bring back what was deleted, in milliseconds; absent where nobody can. */
  readonly recoverableMs?: number | undefined;
}
