import type { Command } from 'commander';
import { SOURCE_FORMATS } from '../files/source-file.ts';
import { FILE_FORMATS } from '../files/translation-file.ts';
import { addProjectArgument, addUrlOption, withApi } from './api-client.ts';
import type { CliContext } from './deployment.ts';
import type { ExportOptions } from './export-project.ts';
import { oneOf } from './io.ts';

/** Adds the command `segue export`. */
export function addExportCommand(segue: Command, context: CliContext): void {
  const command = addProjectArgument(segue.command('export'))
    .requiredOption('--language <code>', 'the target language')
    .option(
      '--format <format>',
      `one of ${FILE_FORMATS.join(', ')}; default: that of the file’s name, or xliff`,
      oneOf('format', SOURCE_FORMATS),
    )
    .option('--out <file>', 'the file to write; default: project-<id>.<language> with the extension of the format')
    .option(
      '--into <file>',
      'fill the translations into the file that the project was made from, and change nothing else in it',
    )
    .option('--task <task id>', 'only the segments of this task')
    .option('--custom-id', 'the argument is the project’s custom id')
    .option('--bom', 'begin the file with a byte order mark, which Excel needs to read CSV as UTF-8')
    .option('--overwrite', 'replace the file of --out if it exists')
    .option('--reopen', 'with --into: also replace finished translations by unfinished ones');
  addUrlOption(command).action((project: string, options: ExportOptions) =>
    withApi(context, options, async (client, say) => {
      const { exportProject } = await import('./export-project.ts');
      await exportProject(client, project, options, { ...context, say });
    }),
  );
}
