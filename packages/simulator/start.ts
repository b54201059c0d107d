import { untilStopped } from '../../local/stop-signals.ts';

/** The program that `npm run simulator` runs. */
await untilStopped(async (stop) => (await import('./run.ts')).run(process.argv.slice(2), stop));
