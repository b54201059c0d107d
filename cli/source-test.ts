import type { Command } from 'commander';
import type { SourceAdmin } from '../lib/webhooks/source-admin.ts';
import { SOURCE_SCOPES, type Source } from '../lib/webhooks/sources.ts';
import { stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';
import { readMapping } from './sample.ts';
import { tried } from './tried.ts';

interface Options {
  readonly sample: string;
  readonly mapping?: string;
}

/** `segue source test`, under `segue source`. */
export function addSourceTestCommand(source: Command, segue: Command, surroundings: Surroundings): void {
  const { out, err } = surroundings;
  source
    .command('test')
    .description('show the commands that a sample would become, or every fault of them; nothing is done')
    .argument('<name>')
    .requiredOption('--sample <file>', 'a message of the sender in JSON')
    .option('--mapping <file>', 'a mapping to try in place of that of the source, which need not exist then')
    .action(async (name: string, options: Options) => {
      const { mapping, scopes } = await withPlace(surroundings, stackIn(segue), ({ sources }) =>
        options.mapping === undefined ? sources.get(name) : withMapping(sources, name, options.mapping),
      );
      const { commands, isList } = await tried(mapping, options.sample, surroundings, scopes);
      const made = isList ? commands : commands[0];
      out(commands.length === 0 ? 'It asks for nothing.\n' : `${JSON.stringify(made, undefined, 2)}\n`);
    });

  /** The source with the mapping in a file. The source need not exist yet. */
  async function withMapping(
    sources: SourceAdmin,
    name: string,
    file: string,
  ): Promise<Pick<Source, 'mapping' | 'scopes'>> {
    const mapping = await readMapping(file);
    const source = await sources.find(name);
    if (!source) err(`No source has this name yet: tested with the scopes ${SOURCE_SCOPES.join(' and ')}.\n`);
    return { mapping, scopes: source?.scopes };
  }
}
