import type { Command } from 'commander';
import { Problem } from '../lib/contract/problem.ts';
import { checkSample } from '../lib/webhooks/mapping/check.ts';
import { linesOf } from './faults.ts';
import { stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';
import { readMapping, readSample } from './sample.ts';

interface Options {
  readonly sample: string;
  readonly mapping?: string;
}

/** `segue source test`, under `segue source`. */
export function addSourceTestCommand(source: Command, segue: Command, surroundings: Surroundings): void {
  const { out, err } = surroundings;
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
      try {
        const command = await checkSample(mapping, await readSample(options.sample));
        out(command === undefined ? 'It asks for nothing.\n' : `${JSON.stringify(command, undefined, 2)}\n`);
      } catch (error) {
        if (error instanceof Problem) err(linesOf(error.occurrence.errors ?? []));
        throw error;
      }
    });
}
