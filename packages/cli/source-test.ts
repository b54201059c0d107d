import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { countOf } from '../../lib/contract/count.ts';
import type { Fault } from '../../lib/contract/faults.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { deadlineAt } from '../../lib/service/deadline.ts';
import type { CheckedSample, PreviewPut, SampleRules } from '../../lib/webhooks/check-sample.ts';
import type { DeadLetters } from '../../lib/webhooks/dead-letters.ts';
import type { DeliveryRef } from '../../lib/webhooks/delivery-records.ts';
import type { MappedCommands } from '../../lib/webhooks/mapping/commands.ts';
import { type ListedSource, SOURCE_NAME, SOURCE_SCOPES, type SourceFetch } from '../../lib/webhooks/sources.ts';
import { formatSize } from './create-project.ts';
import type { CliContext, Deployment } from './deployment.ts';
import { formatFaults as formatFaultsInFile } from './faults-in-file.ts';
import { readText } from './files.ts';
import { CliError, escapeControls, escapeControlsInLines, UsageError } from './io.ts';
import { formatEffect } from './put-effect.ts';
import { readSample, type Sample, sampleOfMessage } from './sample.ts';
import { fetchForSample, givesUrl } from './source-fetch.ts';

interface TestOptions {
  readonly sample?: string;
  readonly delivery?: string;
  readonly mapping?: string;
  readonly fetch?: true;
}

/** Adds the command `segue source test`. */
export function addSourceTestCommand(source: Command, { print, err, withDeployment }: CliContext): void {
  source
    .command('test')
    .description(
      'show the commands that a mapping makes from a sample, and what a put would do now, or every fault; nothing runs',
    )
    .argument('<name>', 'the name of the source', parseSourceName)
    .option('--sample <file>', 'a file with a message of the sender, as JSON')
    .option('--delivery <id>', 'test with the message of this delivery, such as a dead letter, instead of a sample')
    .option('--mapping <file>', 'test this mapping instead of the source’s own; the source need not exist')
    .option('--fetch', 'fetch the entry of the message from this machine first, and show it')
    .action(async (name: string, { sample: sampleFile, delivery: id, mapping: file, fetch }: TestOptions) => {
      if ((sampleFile === undefined) === (id === undefined))
        throw new UsageError('give --sample <file>, or --delivery <id>');
      const sample = sampleFile === undefined ? undefined : await readSample(sampleFile);
      const { commands, isList, puts, creations, fetched } = await withDeployment(async (deployment) => {
        const { sources, letters } = deployment;
        const ref = { source: name, id: id ?? '' };
        const showsResult = true;
        const given = sample ?? (await sampleOfDelivery(letters, ref));
        const delivery = sample ? undefined : await unfinished(letters, ref);
        const mapping = file === undefined ? undefined : { path: file, text: await readText(file) };
        const source = mapping ? await sources.find(name) : await sources.get(name);
        if (!source) err(NO_SOURCE_YET);
        if (!fetch) {
          if (source?.fetch && given.fetchedJson === undefined) err(NOTHING_FETCHED);
          const preview = await previewSource(deployment, source, { mapping, input: given, delivery, showsResult });
          return { ...preview, fetched: {} };
        }
        const fetchedJson = await orUsageError(() => fetchForSample(deployment, source, given), FETCH_FILE(source));
        const fetched = fetchedJson === undefined ? {} : { fetched: JSON.parse(fetchedJson) };
        err(`Fetched:\n${JSON.stringify(fetched.fetched, undefined, 2) ?? 'nothing for this message'}\n`);
        const input = { ...given, fetchedJson };
        return { ...(await previewSource(deployment, source, { mapping, input, delivery, showsResult })), fetched };
      });
      const shown = JSON.stringify(isList ? commands : commands[0], undefined, 2);
      print(
        {
          ...fetched,
          commands,
          ...(puts.some(Boolean) && { puts: puts.map((put) => put ?? null) }),
          ...(creations.some(Boolean) && { creations: creations.map((creation) => creation ?? null) }),
        },
        commands.length === 0 ? 'The mapping makes no commands from this sample.\n' : `${shown}\n`,
      );
      err(formatPuts({ puts, isList }) + formatCreations({ creations, isList }));
    });
}

const NOTHING_FETCHED =
  'The source may fetch an entry for this message. The mapping gets it with --fetch, or from the field fetched beside headers and body in the sample.\n';

/** The fetch expression of a source, for the faults in it. */
const FETCH_FILE = (source: ListedSource | undefined): MappingInFile => ({
  path: `fetch of ${source?.name}`,
  text: source?.fetch?.url ?? '',
});

const LIST = new Intl.ListFormat('en-GB');
const NO_SOURCE_YET = `No source has this name yet, so the mapping is tested with the scopes ${LIST.format(SOURCE_SCOPES)}.\n`;

/** Returns what a put of a company would do, of a deployment whose service can tell. */
async function putPreviewFor({ planningService }: Deployment, companyId: string): Promise<PreviewPut | undefined> {
  const service = await planningService();
  if (!service) return undefined;
  const { previewPut } = await import('../../lib/service/command.ts');
  return (put, scopes) => {
    const requestedBy = { kind: 'source', id: null } as const;
    const deadline = deadlineAt(Date.now() + PLAN_MS, Date.now);
    return previewPut(service, put, { companyId, requestId: randomUUID(), requestedBy, scopes, deadline }, Date.now());
  };
}

/** The time limit for the plan of a put, in milliseconds. */
const PLAN_MS = 30_000;

/**
 * Returns what the next attempt at a delivery would do, with the mapping of its source.
 * @throws {CliError} if Segue does not have the message, or the attempt would fail; it shows every fault
 */
export async function previewDelivery(deployment: Deployment, ref: DeliveryRef): Promise<CheckedSample> {
  const { sources, letters } = deployment;
  const input = await sampleOfDelivery(letters, ref);
  const delivery = await unfinished(letters, ref);
  const source = await sources.find(ref.source);
  if (!source) throw new CliError('the source of this delivery has been removed');
  return previewSource(deployment, source, { input, delivery });
}

interface SourcePreview {
  readonly input: Sample;
  readonly delivery: SampleRules['delivery'];
  /** The mapping to test; that of the source unless given. */
  readonly mapping?: MappingInFile | undefined;
  /** Whether faults are shown below what the mapping returned, which has content of the message. */
  readonly showsResult?: boolean | undefined;
}

/** Runs the mapping of a source on a message, with the rules of the source. */
async function previewSource(
  deployment: Deployment,
  source: ListedSource | undefined,
  { input, delivery, mapping, showsResult }: SourcePreview,
): Promise<CheckedSample> {
  const tested = mapping ?? { path: `mapping of ${source?.name}`, text: source?.mapping ?? '' };
  const previewPut = source && (await putPreviewFor(deployment, source.companyId));
  const allowsLoopbackEvents = await deployment.allowsLoopbackEvents();
  const rules = { scopes: source?.scopes, allowsLoopbackEvents, delivery, previewPut };
  return previewMapping(tested, input, { ...rules, showsResult });
}

/** Formats what the puts of a sample would do now, one line for each. */
export function formatPuts({ puts, isList }: Pick<CheckedSample, 'puts' | 'isList'>): string {
  return puts
    .map((put, index) => {
      if (!put) return '';
      const automatic = 'automaticCharacters' in put ? formatAutomatic(put.automaticCharacters) : '';
      return `Now, ${isList ? `command ${index + 1}` : 'the put'} ${formatEffect(put)}${automatic}\n`;
    })
    .join('');
}

/** Formats what the creations of a sample ask for, one line for each. */
function formatCreations({ creations, isList }: Pick<CheckedSample, 'creations' | 'isList'>): string {
  return creations
    .map((creation, index) => {
      if (!creation) return '';
      const { segments, repeats, words, characters, automaticCharacters } = creation;
      const size = formatSize({ segments, words, characters, repeats });
      return `${isList ? `Command ${index + 1}` : 'The project'} has ${size}${formatAutomatic(automaticCharacters)}\n`;
    })
    .join('');
}

function formatAutomatic(characters: number): string {
  return characters === 0 ? '' : `; automatic translation: ${countOf(characters, 'character')}`;
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
  if (message) return { ...sampleOfMessage(message), fetchedJson: await letters.fetched(delivery) };
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
async function previewMapping(
  mapping: MappingInFile,
  sample: Sample,
  { showsResult, ...rules }: Omit<SampleRules, 'nowMs' | 'onResult'> & Pick<SourcePreview, 'showsResult'>,
): Promise<CheckedSample> {
  const { checkSample } = await import('../../lib/webhooks/check-sample.ts');
  let returned: unknown;
  const onResult = (result: unknown) => {
    returned = result;
  };
  return orUsageError(
    () => checkSample(mapping.text, sample, { ...rules, onResult, nowMs: Date.now() }),
    mapping,
    () => (showsResult && returned !== undefined ? formatResult(returned) : ''),
  );
}

function formatResult(result: unknown): string {
  return `The mapping returns:\n${escapeControlsInLines(JSON.stringify(result, undefined, 2))}\n`;
}

/**
 * Runs the mapping of a source on a sample like `previewMapping`, and first checks which URL its fetch gives. If the
 * sample lacks the entry, it only checks the syntax of the mapping.
 * @returns `undefined` if the sample lacks the entry
 */
export async function previewWithFetch(
  mapping: MappingInFile,
  sample: Sample,
  {
    fetch,
    ...rules
  }: Omit<SampleRules, 'nowMs' | 'onResult'> & { readonly fetch?: Pick<SourceFetch, 'url' | 'hosts'> | undefined },
): Promise<CheckedSample | undefined> {
  const isFetched = fetch && (await orUsageError(() => givesUrl(fetch, sample), { path: '--fetch', text: fetch.url }));
  if (!isFetched || sample.fetchedJson !== undefined)
    return previewMapping(mapping, sample, { ...rules, showsResult: true });
  const { mapper } = await import('../../lib/webhooks/mapping/mapper.ts');
  const own = mapper({ quotes: true });
  await orUsageError(() => own.check(mapping.text), mapping).finally(own.close);
  return undefined;
}

/**
 * Does some work.
 * @param above returns what is shown above the faults of a result
 * @throws {UsageError} for a problem; it shows every fault, and its place in the expression
 */
async function orUsageError<T>(work: () => Promise<T>, expression: MappingInFile, above = () => ''): Promise<T> {
  const { MappingFault } = await import('../../lib/webhooks/mapping/mapper.ts');
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { errors = [] } = error.occurrence;
    const faults =
      error instanceof MappingFault
        ? formatFaultsInFile(expression, [{ place: error.position, message: `the ${error.expression} fails here` }])
        : errors.length === 0
          ? ''
          : above() + formatFaults(errors);
    throw new UsageError(error.message.replace(NOTHING_STORED, ''), { cause: error, faults });
  }
}

/** Sentences of other doors. A test of a mapping never stores or runs anything. */
const NOTHING_STORED = / (?:Nothing was stored|Segue ran no command in this attempt)\./;

/** Formats how many commands of each kind a mapping makes from its sample, as one sentence. */
export function formatPreview(preview: MappedCommands | undefined): string {
  if (!preview) return SYNTAX_ONLY;
  return `From the sample, the mapping makes ${formatCounts(preview)}.`;
}

const SYNTAX_ONLY =
  'The sample has no field fetched, so only the syntax of the mapping was checked. To try the mapping with the real entry, run source test with --fetch.';

/** Formats how many commands of each kind a mapping makes, such as `1 put and 2 deletions`. */
export function formatCounts(preview: MappedCommands): string {
  const { creations, puts, deletions } = countsOf(preview);
  const counts = Object.entries({ creation: creations, put: puts, deletion: deletions }).flatMap(([noun, count]) =>
    count === 0 ? [] : [countOf(count, noun)],
  );
  return LIST.format(counts) || 'no commands';
}

/** Counts the commands of each kind that a mapping makes from its sample. */
export function countsOf({ commands }: MappedCommands): Readonly<Record<'creations' | 'puts' | 'deletions', number>> {
  const count = (field: string) => commands.filter((command) => field in command).length;
  return { creations: count('create'), puts: count('put'), deletions: count('delete') };
}

/** Formats each fault as one line: its pointer, its code and its detail. */
function formatFaults(faults: readonly Fault[]): string {
  return faults
    .map(
      ({ pointer, code, detail }) => `${escapeControls(`${pointer || 'result of the mapping'}  ${code}  ${detail}`)}\n`,
    )
    .join('');
}
