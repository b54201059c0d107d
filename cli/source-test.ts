import type { Command } from 'commander';
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
  const { out } = surroundings;
  source
    .command('test')
    .description('show the command that a sample would become, or every fault of it; nothing is done')
    .argument('<name>')
    .requiredOption('--sample <file>', 'a message of the sender in JSON')
    .option('--mapping <file>', 'a mapping to try in place of the one that the source has')
    .action(async (name: string, options: Options) => {
      const mapping =
        options.mapping === undefined
          ? await withPlace(surroundings, stackIn(segue), async ({ sources }) => (await sources.get(name)).mapping)
          : await readMapping(options.mapping);
      const command = await tried(mapping, options.sample, surroundings);
      out(command === undefined ? 'It asks for nothing.\n' : `${JSON.stringify(command, undefined, 2)}\n`);
    });
}
