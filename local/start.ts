import { untilStopped } from './until-stopped.ts';

/** `npm start`. */
await untilStopped(async (stop) => (await import('./run.ts')).run(process.argv.slice(2), stop));
