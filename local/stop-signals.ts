/**
 * How long a second signal counts as the first one, in milliseconds. A terminal signals every process, and npm and
 * `bin/segue.mjs` pass their signal on.
 */
const SAME_SIGNAL_MS = 1_000;

/**
 * Calls back at the first SIGINT (Ctrl-C) or SIGTERM. A signal that comes more than a second later ends the process with
 * 1.
 * @returns its disposal gives the signals their ordinary effect back, unless one has come: the same signal may come
 *   again, and must not end the process before it has said how the work ended
 */
export function onStopSignal(stop: () => void): Disposable {
  let stoppedAtMs: number | undefined;
  const onEach = () => {
    if (stoppedAtMs === undefined) {
      stoppedAtMs = performance.now();
      stop();
    } else if (performance.now() - stoppedAtMs > SAME_SIGNAL_MS) process.exit(1);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, onEach);
  return {
    [Symbol.dispose]() {
      if (stoppedAtMs === undefined) for (const signal of signals) process.off(signal, onEach);
    },
  };
}

/**
 * Runs a program until a signal stops it. Signal handlers are set before the program is loaded, so that a signal during
 * the start also stops it cleanly.
 * @param run loads the program and runs it
 */
export async function untilStopped(run: (stop: AbortSignal) => Promise<void>): Promise<never> {
  const stop = new AbortController();
  onStopSignal(() => stop.abort());
  // If the process that reads the log ends, Segue goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    await run(stop.signal);
    process.exit(0);
  } catch (error) {
    const { formatError } = await import('./format-error.ts');
    process.stderr.write(`segue: ${formatError(error)}\n`);
    process.exit(1);
  }
}
