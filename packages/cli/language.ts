import { type Command, InvalidArgumentError } from 'commander';
import { STATES } from '../../lib/contract/language-states.ts';
import type { Language } from '../client/types.ts';
import { addProjectArgument, addUrlOption, requireProjectId, withApi } from './api-client.ts';
import type { CliContext } from './deployment.ts';
import type { Columns } from './table.ts';

type State = (typeof STATES)[number];

interface Options {
  readonly state: State;
  readonly customId?: true;
  readonly url?: string;
}

/** Adds the commands `segue language` and `segue languages`. */
export function addLanguageCommands(segue: Command, context: CliContext): void {
  const command = addProjectArgument(
    segue.command('language').description('start or stop the work on a target language of a project'),
  )
    .argument('<code>', 'the code of the target language')
    .requiredOption('--state <state>', `one of ${STATES.join(', ')}; InProgress also retries what failed`, parseState)
    .option('--custom-id', 'the argument is the project’s custom id');
  addUrlOption(command).action((project: string, code: string, { state, customId, url }: Options) =>
    withApi(context, { url }, async (client) => {
      const language = customId
        ? await client.changeLanguageByCustomId(project, code, { state })
        : await client.changeLanguage(requireProjectId(project), code, { state });
      context.print(language, `${code} is ${language.state}.\n`);
    }),
  );

  const languages = segue.command('languages').description('list the languages of the catalogue with their codes');
  addUrlOption(languages).action((options: Pick<Options, 'url'>) =>
    withApi(context, options, async (client) =>
      context.printList(await client.listLanguages(), {
        rowsOf: (language) => [language],
        columns: LANGUAGES,
        empty: 'No languages.',
      }),
    ),
  );
}

const LANGUAGES: Columns<Language> = {
  CODE: ({ langCode }) => langCode,
  NAME: ({ descriptiveName }) => descriptiveName,
  ID: ({ id }) => id,
};

/** Parses the state of a target language. */
export function parseState(text: string): State {
  const state = STATES.find((name) => name === text);
  if (state) return state;
  throw new InvalidArgumentError(`The state must be one of ${STATES.join(', ')}.`);
}
