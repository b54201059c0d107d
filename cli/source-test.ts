import type { Command } from 'commander';
import type { Fault } from '../lib/contract/fault.ts';
import { Problem } from '../lib/contract/problem.ts';
import { checkSample } from '../lib/webhooks/mapping/check.ts';
import { stackIn, withPlace } from './place.ts';
import type { Surroundings } from './program.ts';
import { readMapping, readSample } from './sample.ts';

/** A source cannot be tested. The message is for the person who asked. */
export class SourceTestRefusal extends Error {
  override readonly name = 'SourceTestRefusal';
}

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
          ? await withPlace(surroundings, stackIn(segue), (place) => mappingOf(place, name))
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

/** @throws {SourceTestRefusal} */
async function mappingOf(
  { findSource }: { readonly findSource: (name: string) => Promise<{ readonly mapping: string } | undefined> },
  name: string,
): Promise<string> {
  const found = await findSource(name);
  if (found) return found.mapping;
  throw new SourceTestRefusal('there is no source of this name: see segue source list');
}

/** A line a fault: where, its code, and what would be right. */
function linesOf(faults: readonly Fault[]): string {
  return faults.map(({ pointer, code, detail }) => `${pointer || '/'}  ${code}  ${detail}\n`).join('');
}
