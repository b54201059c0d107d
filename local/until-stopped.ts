/** A terminal signals every process, and npm passes the signal on: a second one so soon is the first. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Runs a program until a signal ends it. It listens for signals before it loads the program, so that a signal during the
 * start ends it cleanly too.
 * @param run loads the program and runs it
 */
export async function untilStopped(run: (stop: AbortSignal) => Promise<void>): Promise<never> {
  const stop = new AbortController();
  let stoppedAtMs: number | undefined;
  const onSignal = () => {
    if (stoppedAtMs !== undefined && performance.now() - stoppedAtMs > SAME_SIGNAL_MS) process.exit(1);
    stoppedAtMs ??= performance.now();
    stop.abort();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
  // The reader of the log may go away; the service goes on.
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
