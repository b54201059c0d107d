import type { Command } from 'commander';
import type { CliContext } from './deployment.ts';
import { readText } from './files.ts';
import { CliError, wholeNumber } from './io.ts';
import { formatRestored, missingIn } from './restore/report.ts';

interface RestoreOptions {
  readonly table?: string;
  readonly from?: string;
  readonly events?: string;
  readonly credentialsTable?: string;
  readonly credentialsFrom?: string;
  readonly complete?: boolean;
  readonly deliveriesTable?: string;
  readonly recoveryDays?: number;
  readonly dryRun?: boolean;
}

/** Adds the command `segue restore`. */
export function addRestoreCommand(segue: Command, { err, print, progress, withDeployment }: CliContext): void {
  segue
    .command('restore')
    .option('--table <name>', 'the restored main table; default: the table that the stack uses')
    .option('--from <name>', 'the main table that was lost; default: the table that the stack uses')
    .option('--events <file>', 'events of the bus since the time of the restored table, if the lost table is gone')
    .option('--credentials-table <name>', 'the restored table of credentials; default: the table that the stack uses')
    .option(
      '--credentials-from <name>',
      'the table of credentials that was lost; default: the table that the stack uses',
    )
    .option(
      '--complete',
      'the restored tables have the last state of the lost ones, as from the backups of deleted tables',
    )
    .option('--deliveries-table <name>', 'a new table of deliveries')
    .option(
      '--recovery-days <days>',
      'for how many days the restored tables can be recovered; default: as the lost ones, or 7',
      wholeNumber(0, 35),
    )
    .option('--dry-run', 'show what would be done, and change nothing')
    .action(async ({ dryRun = false, complete = false, events: path, ...options }: RestoreOptions) => {
      const events = path === undefined ? undefined : await readText(path);
      const restored = await progress.during('Restoring', (say) =>
        withDeployment((deployment) =>
          deployment.restore({
            ...options,
            isDryRun: dryRun,
            isComplete: complete,
            events,
            say,
          }),
        ),
      );
      print(restored, formatRestored(restored, { isDryRun: dryRun }));
      if (dryRun) err('This was a dry run: nothing was changed.\n');
      const missing = missingIn(restored);
      if (missing !== undefined) throw new CliError(`missing: ${missing}`);
    });
}
