import { type Command, InvalidArgumentError } from 'commander';
import { countOf } from '../../lib/contract/count.ts';
import type { Fault } from '../../lib/contract/faults.ts';
import { Problem } from '../../lib/contract/problem.ts';
import type { SampleRules } from '../../lib/webhooks/check-sample.ts';
import type { DeadLetters } from '../../lib/webhooks/dead-letters.ts';
import type { DeliveryRef } from '../../lib/webhooks/delivery-records.ts';
import type { MappedCommands } from '../../lib/webhooks/mapping/commands.ts';
import { SOURCE_NAME, SOURCE_SCOPES } from '../../lib/webhooks/sources.ts';
import type { CliContext } from './deployment.ts';
import { formatFaults as formatFaultsInFile } from './faults-in-file.ts';
import { readText } from './files.ts';
import { CliError, escapeControls, UsageError } from './io.ts';
import { readSample, type Sample, sampleOfMessage } from './sample.ts';

interface TestOptions {
  readonly sample?: string;
  readonly delivery?: string;
  readonly mapping?: string;
}

/** Adds the command `segue source test`. */
export function addSourceTestCommand(source: Command, { print, err, withDeployment }: CliContext): void {
  source
    .command('test')
    .description('show the commands that a mapping makes from a sample, or every fault; nothing runs')
    .argument('<name>', 'the name of the source', parseSourceName)
    .option('--sample <file>', 'a file with a message of the sender, as JSON')
    .option('--delivery <id>', 'test with the message of this delivery, such as a dead letter, instead of a sample')
    .option('--mapping <file>', 'test this mapping instead of the source’s own; the source need not exist')
    .action(async (name: string, { sample: sampleFile, delivery: id, mapping: file }: TestOptions) => {
      if ((sampleFile === undefined) === (id === undefined))
        throw new UsageError('give --sample <file>, or --delivery <id>');
      const sample = sampleFile === undefined ? undefined : await readSample(sampleFile);
      const { mapping, input, ...rules } = await withDeployment(async ({ sources, letters, allowsLoopbackEvents }) => {
        const ref = { source: name, id: id ?? '' };
        const input = sample ?? (await sampleOfDelivery(letters, ref));
        const delivery = sample ? undefined : await unfinished(letters, ref);
        const allowed = { allowsLoopbackEvents: await allowsLoopbackEvents(), delivery };
        if (file === undefined) {
          const { mapping: text, scopes } = await sources.get(name);
          return { mapping: { path: `mapping of ${name}`, text }, input, scopes, ...allowed };
        }
        const mapping = { path: file, text: await readText(file) };
        const source = await sources.find(name);
        if (!source)
          err(
            `No source has this name yet, so the mapping is tested with the scopes ${SOURCE_SCOPES.join(' and ')}.\n`,
          );
        return { mapping, input, scopes: source?.scopes, ...allowed };
      });
      const { commands, isList } = await previewMapping(mapping, input, rules);
      const shown = JSON.stringify(isList ? commands : commands[0], undefined, 2);
      print({ commands }, commands.length === 0 ? 'The mapping makes no commands from this sample.\n' : `${shown}\n`);
    });
}

/** Parses an argument that is the name of a webhook source. */
export function parseSourceName(text: string): string {
  if (SOURCE_NAME.test(text)) return text;
  throw new InvalidArgumentError(
    'The name of a source must have 1 to 63 characters of a-z, 0-9 and -, and must not begin with -.',
  );
}

/** Returns the message of a delivery as a sample. @throws {CliError} if Segue does not have the message */
async function sampleOfDelivery(letters: DeadLetters, delivery: DeliveryRef): Promise<Sample> {
  const message = await letters.message(delivery);
  if (message) return sampleOfMessage(message);
  throw new CliError('the source has no message of this delivery: it was dropped, or is done, or never came');
}

/** Returns the state of a delivery that may still be attempted; `undefined` if there is none. */
async function unfinished(letters: DeadLetters, delivery: DeliveryRef): Promise<SampleRules['delivery']> {
  const state = await letters.delivery(delivery);
  return state?.kind === 'open' || state?.kind === 'dead' ? state : undefined;
}

/** A mapping with the path of its file. */
export interface MappingInFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Runs a mapping on a sample, and returns the commands.
 * @throws {CliError} if the mapping fails, or its commands are invalid or not allowed; it shows every fault
 */
export async function previewMapping(
  mapping: MappingInFile,
  sample: Sample,
  rules: Omit<SampleRules, 'nowMs'>,
): Promise<MappedCommands> {
  const { checkSample } = await import('../../lib/webhooks/check-sample.ts');
  const { MappingFault } = await import('../../lib/webhooks/mapping/mapper.ts');
  try {
    return await checkSample(mapping.text, sample, { ...rules, nowMs: Date.now() });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const faults =
      error instanceof MappingFault
        ? formatFaultsInFile(mapping, [{ place: error.position, message: 'the mapping fails here' }])
        : formatFaults(error.occurrence.errors ?? []);
    throw new UsageError(error.message.replace(NOTHING_STORED, ''), { cause: error, faults });
  }
}

/** Sentences of other doors. A test of a mapping never stores or runs anything. */
const NOTHING_STORED = / (?:Nothing was stored|Segue ran no command in this attempt)\./;

/** Formats how many creations and deletions a mapping makes from its sample, as one sentence. */
export function formatPreview(preview: MappedCommands): string {
  const { creations, deletions } = countsOf(preview);
  const counts = Object.entries({ creation: creations, deletion: deletions }).flatMap(([noun, count]) =>
    count === 0 ? [] : [countOf(count, noun)],
  );
  return `From the sample, the mapping makes ${counts.join(' and ') || 'no commands'}.`;
}

/** Counts the creations and deletions that a mapping makes from its sample. */
export function countsOf({ commands }: MappedCommands): { readonly creations: number; readonly deletions: number } {
  const creations = commands.filter((command) => 'create' in command).length;
  return { creations, deletions: commands.length - creations };
}

/** Formats each fault as one line: its pointer, its code and its detail. */
function formatFaults(faults: readonly Fault[]): string {
  return faults
    .map(
      ({ pointer, code, detail }) => `${escapeControls(`${pointer || 'result of the mapping'}  ${code}  ${detail}`)}\n`,
    )
    .join('');
}
