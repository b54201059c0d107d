import type { Command } from 'commander';
import { WRITABLE_STATUSES } from '../../lib/contract/translation-status.ts';
import { FILE_FORMATS } from '../files/translation-file.ts';
import { addUrlOption, withApi } from './api-client.ts';
import type { CliContext } from './deployment.ts';
import type { ImportOptions } from './import-file.ts';
import { oneOf } from './io.ts';

/** Adds the command `segue import`. */
export function addImportCommand(segue: Command, context: CliContext): void {
  const command = segue
    .command('import')
    .argument('<file>', 'a file in XLIFF, gettext, CSV or JSON')
    .option('--dry-run', 'show what would change, and write nothing')
    .option('--project <id>', 'the project, if the file does not name it')
    .option('--custom-id', 'the value of --project is the project’s custom id')
    .option('--language <code>', 'the language of the translations, if the file does not name it')
    .option(
      '--format <format>',
      `one of ${FILE_FORMATS.join(', ')}; default: that of the file’s name`,
      oneOf('format', FILE_FORMATS),
    )
    .option(
      '--status <status>',
      `give every translation this status: ${WRITABLE_STATUSES.join(', ')}`,
      oneOf('status', WRITABLE_STATUSES),
    )
    .option('--changed-texts-only', 'write only translations whose text is not as it was exported')
    .option('--overwrite', 'also replace translations that somebody has changed since the export, or may have')
    .option('--reopen', 'also lower the status of translations')
    .option(
      '--skip-unknown',
      'leave out translations of segments that the project does not have, or has with another text',
    );
  addUrlOption(command).action((path: string, options: ImportOptions) =>
    withApi(context, options, async (client, say) => {
      const { importInto } = await import('./import-file.ts');
      await importInto(client, path, options, { ...context, say });
    }),
  );
}
