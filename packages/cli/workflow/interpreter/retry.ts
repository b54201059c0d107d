import type { Catcher, Retrier } from './machine.ts';

/** The names that fit any error except some. */
const ANY = 'States.ALL';
const TASK_FAILED = 'States.TaskFailed';
const TIMEOUT = 'States.Timeout';
const HEARTBEAT = 'States.HeartbeatTimeout';
const RUNTIME = 'States.Runtime';
/** No state catches or retries this failure. */
const FATAL = 'States.DataLimitExceeded';

/** Whether a retrier or catcher is for an error. */
export function isFor({ ErrorEquals }: Pick<Retrier | Catcher, 'ErrorEquals'>, error: string): boolean {
  if (error === FATAL) return false;
  return ErrorEquals.some((name) => {
    if (name === ANY) return error !== RUNTIME;
    if (name === TASK_FAILED) return ![TIMEOUT, HEARTBEAT, RUNTIME].includes(error);
    return name === error || (name === TIMEOUT && error === HEARTBEAT);
  });
}

/** Returns the pause before a retry, in milliseconds. @param count how many retries were before */
export function pauseMs(retrier: Retrier, count: number, random: () => number = Math.random): number {
  const { IntervalSeconds, BackoffRate, MaxDelaySeconds = Number.POSITIVE_INFINITY, JitterStrategy } = retrier;
  const seconds = Math.min(IntervalSeconds * BackoffRate ** count, MaxDelaySeconds);
  return seconds * 1_000 * (JitterStrategy === 'FULL' ? random() : 1);
}
