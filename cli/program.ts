import { Command } from 'commander';
import { addAuditCommand } from './audit.ts';
import type { Terminal } from './bulk/progress.ts';
import { addBulkCommand } from './bulk.ts';
import { addCompanyCommands } from './company.ts';
import { addDeadLetterCommands } from './dead-letters.ts';
import { addSigningKeyCommands } from './signing-keys.ts';
import { addSourceCommands } from './source.ts';

/** What the commands take from outside. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What is put in, as text; nothing unless given. */
  readonly readStdin?: () => Promise<string>;
  /** Where answers go. */
  readonly out: (text: string) => void;
  /** Where failures go. */
  readonly err: (text: string) => void;
  /** Where failures go can be drawn over. */
  readonly terminal?: Terminal | undefined;
  /** Calls back when somebody wants a command to stop, as long as it is not disposed of. */
  readonly onStop?: (stop: () => void) => Disposable;
}

/** Words as long as a key's, or nearly: somebody may take one for an argument, or cut off how it begins. */
const PERHAPS_A_KEY = /\w{20,}/g;

/**
 * The `segue` command. Parsing throws a `CommanderError` for what is no command, which has been told by then, and
 * whatever `sentence` can tell for what was refused.
 */
export function program(surroundings: Surroundings): Command {
  const segue = new Command('segue')
    .description('Administers the Segue of this machine, whose gateway may run meanwhile, or that of a stack.')
    .option('--stack <name>', 'the CloudFormation stack to administer, instead of this machine')
    .option('--gateway <id>', 'which Segue of the stack, by the id of its construct, where there are several')
    .exitOverride()
    .configureOutput({
      writeOut: surroundings.out,
      writeErr: surroundings.err,
      outputError: (text, write) => write(text.replace(PERHAPS_A_KEY, '…')),
    });
  addCompanyCommands(segue, surroundings);
  addSigningKeyCommands(segue, surroundings);
  addSourceCommands(segue, surroundings);
  addDeadLetterCommands(segue, surroundings);
  addAuditCommand(segue, surroundings);
  addBulkCommand(segue, surroundings);
  return segue;
}
