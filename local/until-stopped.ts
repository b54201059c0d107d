/**
 * How long a second signal counts as the first one, in milliseconds. A terminal signals every process, and npm passes
 * its signal on.
 */
const SAME_SIGNAL_MS = 1_000;

/**
 * Runs a program until a signal stops it. Signal handlers are set before the program is loaded, so that a signal during
 * the start also stops it cleanly.
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
