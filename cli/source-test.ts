import type { Command } from 'commander';
import type { Fault } from '../lib/contract/faults.ts';
import { Problem } from '../lib/contract/problem.ts';
import { checkSample, type MappedCommands } from '../lib/webhooks/mapping/commands.ts';
import { SOURCE_SCOPES, type SourceScope } from '../lib/webhooks/sources.ts';
import type { CliContext } from './deployment.ts';
import type { CliIo } from './io.ts';
import { readMapping, readSample } from './sample.ts';

interface TestOptions {
  readonly sample: string;
  readonly mapping?: string;
}

/** Adds the command `segue source test`. */
export function addSourceTestCommand(source: Command, { out, err, withDeployment }: CliContext): void {
  source
    .command('test')
    .description('show the commands that a mapping makes from a sample, or every fault; nothing runs')
    .argument('<name>')
    .requiredOption('--sample <file>', 'a file with a message of the sender, as JSON')
    .option('--mapping <file>', 'test this mapping instead of the source’s own; the source need not exist')
    .action(async (name: string, { sample, mapping: file }: TestOptions) => {
      const { mapping, scopes } = await withDeployment(async ({ sources }) => {
        if (file === undefined) return sources.get(name);
        const mapping = await readMapping(file);
        const source = await sources.find(name);
        if (!source)
          err(
            `No source has this name yet, so the mapping is tested with the scopes ${SOURCE_SCOPES.join(' and ')}.\n`,
          );
        return { mapping, scopes: source?.scopes };
      });
      const { commands, isList } = await previewMapping(mapping, sample, { err }, scopes);
      if (commands.length === 0) out('The mapping makes no commands from this sample.\n');
      else out(`${JSON.stringify(isList ? commands : commands[0], undefined, 2)}\n`);
    });
}

/**
 * Runs a mapping on the sample in a file, and returns the commands. Writes every fault of a problem to standard error
 * before it throws the problem.
 * @param scopes the scopes of the source; if absent, every command is allowed
 * @throws {CliError} if the sample cannot be read
 * @throws {Problem} if the mapping fails, or its commands are invalid or not allowed by `scopes`
 */
export async function previewMapping(
  mapping: string,
  sampleFile: string,
  { err }: Pick<CliIo, 'err'>,
  scopes?: readonly SourceScope[],
): Promise<MappedCommands> {
  try {
    return await checkSample(mapping, await readSample(sampleFile), Date.now(), scopes);
  } catch (error) {
    if (error instanceof Problem) err(formatFaults(error.occurrence.errors ?? []));
    throw error;
  }
}

/** Formats how many creations and deletions a mapping makes from its sample, as one sentence. */
export function formatPreview(preview: MappedCommands): string {
  const { creations, deletions } = countsOf(preview);
  const counts = [count(creations, 'creation'), count(deletions, 'deletion')].filter(Boolean);
  return `From the sample, the mapping makes ${counts.join(' and ') || 'no commands'}.`;
}

/** Counts the creations and deletions that a mapping makes from its sample. */
export function countsOf({ commands }: MappedCommands): { readonly creations: number; readonly deletions: number } {
  const creations = commands.filter((command) => 'create' in command).length;
  return { creations, deletions: commands.length - creations };
}

/** Formats a number with its noun. @returns an empty text for 0 */
function count(number: number, noun: string): string {
  if (number === 0) return '';
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

/** Formats each fault as one line: its pointer, its code and its detail. */
function formatFaults(faults: readonly Fault[]): string {
  return faults.map(({ pointer, code, detail }) => `${pointer || '/'}  ${code}  ${detail}\n`).join('');
}
