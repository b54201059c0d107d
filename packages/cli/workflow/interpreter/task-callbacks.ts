import { StateError } from './state-error.ts';

/** Takes the reports of those who hold task tokens, as Step Functions does with `SendTaskSuccess` and its like. */
export interface TaskCallbacks {
  /** @returns whether a state waits for the token */
  succeed(token: string, output: unknown): boolean;
  fail(token: string, error: string, cause: string): boolean;
  heartbeat(token: string): boolean;
  /** Whether a state of the execution has or had the token. */
  isOwn(token: string): boolean;
}

/** How long a state waits for its token, in milliseconds. */
export interface TokenLimits {
  /** The longest time between two reports; no limit unless given. */
  readonly heartbeatMs?: number | undefined;
  /** The longest time in all; no limit unless given. */
  readonly timeoutMs?: number | undefined;
}

/** A wait for a token. Dispose of it when its state has ended. */
interface TokenWait extends Disposable {
  /** The reported output. @throws {StateError} the reported failure, `States.HeartbeatTimeout` or `States.Timeout` */
  readonly result: Promise<unknown>;
}

/** The callbacks of an execution. */
export class ExecutionCallbacks implements TaskCallbacks {
  readonly #own = new Set<string>();
  readonly #waits = new Map<string, { settle: PromiseWithResolvers<unknown>; beat: () => void }>();

  /** Begins to wait. A report may come before the function of the state has ended. */
  wait(token: string, { heartbeatMs, timeoutMs }: TokenLimits): TokenWait {
    const settle = Promise.withResolvers<unknown>();
    // The state may end otherwise, and never look at the result.
    settle.promise.catch(() => {});
    const expire = (name: string, cause: string) => () => settle.reject(new StateError(name, cause));
    let heartbeat: NodeJS.Timeout | undefined;
    const beat = () => {
      clearTimeout(heartbeat);
      if (heartbeatMs === undefined) return;
      heartbeat = later(expire('States.HeartbeatTimeout', 'Nobody reported the task token in time.'), heartbeatMs);
    };
    const timeout =
      timeoutMs === undefined ? undefined : later(expire('States.Timeout', 'The task took too long.'), timeoutMs);
    beat();
    this.#own.add(token);
    this.#waits.set(token, { settle, beat });
    return {
      result: settle.promise,
      [Symbol.dispose]: () => {
        clearTimeout(heartbeat);
        clearTimeout(timeout);
        this.#waits.delete(token);
      },
    };
  }

  succeed(token: string, output: unknown): boolean {
    return this.#report(token, ({ settle }) => settle.resolve(output));
  }

  fail(token: string, error: string, cause: string): boolean {
    return this.#report(token, ({ settle }) => settle.reject(new StateError(error, cause)));
  }

  heartbeat(token: string): boolean {
    return this.#report(token, ({ beat }) => beat());
  }

  isOwn(token: string): boolean {
    return this.#own.has(token);
  }

  #report(token: string, report: (wait: { settle: PromiseWithResolvers<unknown>; beat: () => void }) => void): boolean {
    const wait = this.#waits.get(token);
    if (wait) report(wait);
    return wait !== undefined;
  }
}

/** The longest time of a timer in Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function later(call: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(call, Math.min(ms, MAX_TIMER_MS));
}
