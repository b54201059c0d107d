import { untilStopped } from './stop-signals.ts';

/** The program that `npm start` runs. */
await untilStopped(async (stop) => (await import('./run.ts')).run(process.argv.slice(2), stop));
