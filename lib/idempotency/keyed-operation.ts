import type * as z from 'zod/mini';
import type { CallContext, OperationResult } from '../service/port.ts';
import type { ItemStore } from '../storage/port.ts';

/** A record that names its project, or says that the request came too late to do anything. */
export type OfProject = { readonly projectId: number } | { readonly outcome: 'outdated' };

/**
 * An operation that changes something, as far as a retry with its idempotency key needs to know it. `requests/` has those
 * that both services have; the others are beside their work.
 */
export interface RecordedOperation<Recorded extends OfProject> {
  /** The name of the operation in the records of its requests. */
  readonly name: string;
  /** The schema of what is recorded for a retry. It contains ids, versions or a receipt, never content. */
  readonly recorded: z.ZodMiniType<Recorded>;
  /**
   * The detail of the problem if the project was deleted since, so that a late retry never creates or changes it again.
   * Absent if the result does not need the project.
   */
  readonly deleted?: string;
}

/** An operation that changes something, with all that its requests need. */
export interface KeyedOperation<Input, Recorded extends OfProject, Answer> extends RecordedOperation<Recorded> {
  /** Returns the part of a request that two requests under one key must have in common. */
  identity(input: Input): unknown;
  /** Names a request with another identity, for the problem that a key was used for two. */
  readonly another: string;
  /** What that problem adds; absent if nothing. */
  readonly retryHint?: string;
  /** Makes the answer to a retry: the result in its current state. */
  replay(recorded: Recorded, call: CallContext): Promise<Answer>;
  /** Returns the answer as the state of the operation shows it. */
  shown(answer: Answer): OperationResult | Promise<OperationResult>;
  /**
   * Returns JSON pointers to the fields that differ between a request and the result of the first one under its key.
   * Absent if they cannot be compared, because the record has no content.
   */
  differences?(input: Input, answer: Answer): readonly string[] | Promise<readonly string[]>;
}

/** Any operation of a service. Only its own record may be passed to its `replay`. */
export type AnyKeyedOperation = KeyedOperation<never, OfProject, unknown>;

/** The dependencies of requests with an idempotency key. */
export interface IdempotencyDeps {
  readonly storage: ItemStore;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** The operations of the service that change something. */
  readonly operations: readonly RecordedOperation<OfProject>[];
  /** Whether every request claims its record first, so that nobody works on a record whose claim has ended. */
  readonly alwaysClaims?: boolean;
}

/** Returns the operation that a record of a request names. */
export function operationNamed<O extends RecordedOperation<OfProject>>(operations: readonly O[], name: string): O {
  const operation = operations.find((each) => each.name === name);
  if (!operation) throw new TypeError(`The service has no operation ${name}, which the record of a request names`);
  return operation;
}
