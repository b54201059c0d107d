/** A terminal signals everybody, and npm passes the signal on besides: a second one so soon is the first. */
const SAME_SIGNAL_MS = 1_000;

/** Calls back at the first signal to stop. A later one ends the process where it is. */
export function onSignal(stop: () => void): Disposable {
  let stoppedAtMs: number | undefined;
  const hear = () => {
    if (stoppedAtMs !== undefined && performance.now() - stoppedAtMs > SAME_SIGNAL_MS) process.exit(1);
    stoppedAtMs ??= performance.now();
    stop();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, hear);
  return {
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, hear);
    },
  };
}
