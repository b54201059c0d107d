import { text } from 'node:stream/consumers';
import { onSignal } from './on-signal.ts';
import { run } from './run.ts';

/** `npm run segue -- <command>` */
process.stdout.on('error', () => {
  process.stderr.write('segue: nobody reads what it prints\n');
  process.exit(1);
});
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  readStdin: () => text(process.stdin),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  terminal: process.stderr.isTTY ? process.stderr : undefined,
  onStop: onSignal,
});
