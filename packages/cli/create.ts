import type { Command } from 'commander';
import { SOURCE_FORMATS } from '../files/source-file.ts';
import { addUrlOption, withApi } from './api-client.ts';
import type { Advice } from './api-errors.ts';
import type { CreateOptions } from './create-project.ts';
import type { CliContext } from './deployment.ts';
import { oneOf } from './io.ts';

const ADVICE: Advice = {
  'project-deleted': { also: 'To create the project again, add --idempotency-key <any new text>.' },
};

/** Adds the command `segue projects create`. */
export function addCreateCommand(projects: Command, context: CliContext): void {
  const command = projects
    .command('create')
    .description('create a project from a file, once: from its JSON, or from texts in another format');
  addFileOptions(command)
    .option('--validate-only', 'report every fault, and create nothing')
    .option('--idempotency-key <key>', 'the key of the request; default: made from the content of the file');
  addUrlOption(command).action((path: string, options: CreateOptions) =>
    withApi(context, { ...options, advice: ADVICE }, async (client, say) => {
      const { createFromFile } = await import('./create-project.ts');
      await createFromFile(path, options, { client, say, print: context.print });
    }),
  );
}

/** Adds the argument and the options of a command that sends the project in a file. */
export function addFileOptions(command: Command): Command {
  return command
    .argument('<file>', 'the JSON of POST /segments/projects, or a file with texts to translate')
    .option('--source-language <code>', 'the language of the texts, if the file does not name it')
    .option('--target-language <codes...>', 'the languages to translate the texts into')
    .option('--due <date>', 'the deadline of a project of texts: a day, or a date in RFC 3339 form')
    .option('--automatic', 'translate the texts automatically')
    .option('--name <name>', 'the name of a project of texts; default: that of the file')
    .option('--custom-id <id>', 'the custom id of the project, if the file does not give it')
    .option('--fields <json file>', 'the other fields of a project of texts, such as languages with their teams')
    .option(
      '--format <format>',
      `the format of the texts: ${SOURCE_FORMATS.join(', ')}`,
      oneOf('format', SOURCE_FORMATS),
    )
    .option('--strict', 'refuse the project if the translation engine lacks one of its languages');
}
