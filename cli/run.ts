import { CommanderError } from 'commander';
import { ManifestUnusable } from './bulk/unusable.ts';
import { program, type Surroundings } from './program.ts';
import { sentence } from './sentence.ts';
import { visibleLines } from './visible.ts';

/**
 * Runs one command to its end; never rejects.
 * @param args what follows the program on the command line
 * @returns the exit code. 0: done; 1: refused or failed, which is told in one line; 2: not a command, or no manifest
 */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<0 | 1 | 2> {
  // field names, file names and answers from elsewhere may hold escape sequences for the terminal
  const out = (text: string) => surroundings.out(visibleLines(text));
  const err = (text: string) => surroundings.err(visibleLines(text));
  try {
    await program({ ...surroundings, out, err }).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    err(`segue: ${sentence(error)}\n`);
    return error instanceof ManifestUnusable ? 2 : 1;
  }
}
