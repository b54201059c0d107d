import type { Command } from 'commander';
import { stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';
import { readMapping } from './sample.ts';
import { tried } from './tried.ts';
import { visibleLines } from './visible.ts';

interface Options {
  readonly sample: string;
  readonly mapping?: string;
}

/** `segue source test`, under `segue source`. */
export function addSourceTestCommand(source: Command, segue: Command, surroundings: Surroundings): void {
  const { out } = surroundings;
  source
    .command('test')
    .description('show the commands that a sample would become, or every fault of them; nothing is done')
    .argument('<name>')
    .requiredOption('--sample <file>', 'a message of the sender in JSON')
    .option('--mapping <file>', 'a mapping to try in place of the one that the source has')
    .action(async (name: string, options: Options) => {
      const source = await withPlace(surroundings, stackIn(segue), ({ sources }) => sources.get(name));
      const mapping = options.mapping === undefined ? source.mapping : await readMapping(options.mapping);
      const { commands, isList } = await tried(mapping, options.sample, surroundings, source.scopes);
      const made = isList ? commands : commands[0];
      out(commands.length === 0 ? 'It asks for nothing.\n' : `${visibleLines(JSON.stringify(made, undefined, 2))}\n`);
    });
}
