import { untilStopped } from '../until-stopped.ts';

/** `npm run simulator`. */
await untilStopped(async (stop) => (await import('./run.ts')).run(process.argv.slice(2), stop));
