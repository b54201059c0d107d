/** `npm start`. Signals are heard first and the rest is loaded then, so that a start ends as cleanly as what it starts. */
const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());

try {
  const { run } = await import('./run.ts');
  await run(process.argv.slice(2), stop.signal);
  process.exit(0);
} catch (error) {
  const { sentence } = await import('./sentence.ts');
  process.stderr.write(`segue: ${sentence(error)}\n`);
  process.exit(1);
}
