import { CommanderError } from 'commander';
import { program } from './program.ts';
import { sentence } from './sentence.ts';

/** `npm run segue -- <command>`. Exit 0: done; 1: refused or failed; 2: not a command. */
try {
  await program({ env: process.env, out: (text) => process.stdout.write(text) }).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else {
    process.stderr.write(`segue: ${sentence(error)}\n`);
    process.exitCode = 1;
  }
}
