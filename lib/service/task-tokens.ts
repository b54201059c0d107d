/** How a report of a task token ended. `gone`: no execution waits for the token any more. */
export type Reported = 'taken' | 'gone';

/** Reports task tokens to the executions that wait for them. A token must reach no log. */
export interface TaskTokens {
  /** Ends the wait with an output. @throws if the report may not have arrived */
  succeed(token: string, output: unknown): Promise<Reported>;
  /** Ends the wait with a failure. @throws if the report may not have arrived */
  fail(token: string, failure: { readonly error: string; readonly cause: string }): Promise<Reported>;
  /** Says that the wait goes on. @throws if the report may not have arrived */
  heartbeat(token: string): Promise<Reported>;
}
