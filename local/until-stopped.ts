/** A terminal signals everybody, and npm passes the signal on besides: a second one so soon is the first. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Runs a program of this folder until a signal ends it. Signals are heard first and the rest is loaded then, so that a
 * start ends as cleanly as what it starts.
 * @param run loads the program and runs it
 */
export async function untilStopped(run: (stop: AbortSignal) => Promise<void>): Promise<never> {
  const stop = new AbortController();
  let stoppedAtMs: number | undefined;
  const hear = () => {
    if (stoppedAtMs !== undefined && performance.now() - stoppedAtMs > SAME_SIGNAL_MS) process.exit(1);
    stoppedAtMs ??= performance.now();
    stop.abort();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, hear);
  // Whoever reads the log may go away; the service does not.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    await run(stop.signal);
    process.exit(0);
  } catch (error) {
    const { sentence } = await import('./sentence.ts');
    process.stderr.write(`segue: ${sentence(error)}\n`);
    process.exit(1);
  }
}
