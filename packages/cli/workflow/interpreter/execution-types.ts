/** A call of a function by a task state. */
export interface TaskCall {
  readonly state: string;
  /** The name or ARN of the function. */
  readonly function: string;
  readonly payload: unknown;
}

/** An event of an execution, in the order in which they happen. */
export type ExecutionEvent =
  | { readonly type: 'entered'; readonly state: string; readonly input: unknown }
  | { readonly type: 'exited'; readonly state: string; readonly output: unknown }
  | { readonly type: 'failed'; readonly state: string; readonly error: string; readonly cause: string }
  /** The state runs again after a failure. */
  | { readonly type: 'retried'; readonly state: string }
  /** The failure of the state leads to another state. */
  | { readonly type: 'caught'; readonly state: string };
