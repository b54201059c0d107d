import { onStopSignal } from './stop-signals.ts';

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
