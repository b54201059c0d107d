import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { styleText } from 'node:util';
import { onStopSignal } from '../../local/stop-signals.ts';
import { CliError } from './io.ts';
import { run } from './program.ts';

/** Reads a line from the terminal without showing it. */
async function readHidden(prompt: string): Promise<string> {
  const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nothing, terminal: true });
  // The interface has turned echoing off, so a key that is pasted at once is not shown.
  process.stderr.write(prompt);
  try {
    return await lines.question('');
  } catch (cause) {
    throw new CliError('the input was cancelled: nothing was done', { cause });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

process.stdout.on('error', () => {
  process.stderr.write('segue: the command’s output was closed before the command ended\n');
  process.exit(1);
});
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  readStdin: () => text(process.stdin),
  readSecret: process.stdin.isTTY ? readHidden : undefined,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  // `styleText` leaves text plain if the stream is no terminal, or if NO_COLOR is set.
  style: (style, text) =>
    style === 'heading'
      ? styleText('bold', text, { stream: process.stdout })
      : styleText('red', text, { stream: process.stderr }),
  terminal: process.stderr.isTTY ? process.stderr : undefined,
  onStop: onStopSignal,
});
