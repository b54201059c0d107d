import type { Command } from 'commander';
import { type LanguageState, STATES } from '../../lib/contract/language-states.ts';
import type { Language } from '../client/types.ts';
import { addProjectArgument, addUrlOption, requireProjectId, withApi } from './api-client.ts';
import type { CliContext } from './deployment.ts';
import { oneOf } from './io.ts';
import { tableOf } from './table.ts';

interface Options {
  readonly state: LanguageState;
  readonly customId?: true;
  readonly url?: string;
}

/** Adds the commands `segue language` and `segue languages`. */
export function addLanguageCommands(segue: Command, context: CliContext): void {
  const command = addProjectArgument(segue.command('language'))
    .argument('<code>', 'the code of the target language')
    .requiredOption(
      '--state <state>',
      `one of ${STATES.join(', ')}; InProgress also retries what failed`,
      oneOf('state', STATES),
    )
    .option('--custom-id', 'the argument is the project’s custom id');
  addUrlOption(command).action((project: string, code: string, { state, customId, url }: Options) =>
    withApi(context, { url }, async (client) => {
      const language = customId
        ? await client.changeLanguageByCustomId(project, code, { state })
        : await client.changeLanguage(requireProjectId(project), code, { state });
      context.print(language, `${code} is ${language.state}.\n`);
    }),
  );

  const languages = segue.command('languages');
  addUrlOption(languages).action((options: Pick<Options, 'url'>) =>
    withApi(context, options, async (client) => context.printList(await client.listLanguages(), LANGUAGES)),
  );
}

const LANGUAGES = tableOf<Language>('No languages.', {
  CODE: ({ langCode }) => langCode,
  NAME: ({ descriptiveName }) => descriptiveName,
  ID: ({ id }) => id,
});
