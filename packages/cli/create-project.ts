import { checkProject } from '../../lib/contract/check-project.ts';
import { countOf } from '../../lib/contract/count.ts';
import { utc } from '../../lib/contract/date.ts';
import { keyOfFile } from '../../lib/contract/file-key.ts';
import { parseJson } from '../../lib/contract/json.ts';
import { fieldsOf } from '../../lib/contract/pointer.ts';
import { Problem } from '../../lib/contract/problem.ts';
import type { CheckedProject } from '../../lib/contract/project.ts';
import type { FailureType } from '../../lib/service/http-client/failure.ts';
import { SegueError } from '../client/error.ts';
import type { SegueClient } from '../client/segue-client.ts';
import type { Project, ValidProject } from '../client/types.ts';
import { formatOf } from '../files/codecs.ts';
import type { CliContext } from './deployment.ts';
import { formatProblemFaults, type ProblemFault } from './faults-in-file.ts';
import { readBytes } from './files.ts';
import { tryParseJson, UsageError } from './io.ts';
import { type ProjectSource, projectOfTexts, type SourceOptions } from './project-source.ts';
import type { FileEffect } from './translation-file.ts';

/** The options of a command that reads the project in a file. */
export interface ProjectFileOptions extends SourceOptions {
  readonly strict?: true;
}

export interface CreateOptions extends ProjectFileOptions {
  readonly idempotencyKey?: string;
  readonly url?: string;
  readonly validateOnly?: true;
}

/** What a command uses that sends the project in a file. */
export interface FileTools extends Pick<CliContext, 'print'> {
  readonly client: SegueClient;
  readonly say: (text: string) => void;
}

/** Creates the project in a file, or only checks it. @throws {CliError} that shows the faults of the project */
export async function createFromFile(
  path: string,
  options: CreateOptions,
  { client, say, print }: FileTools,
): Promise<void> {
  const { idempotencyKey, strict, validateOnly } = options;
  const { read, formatFaults } = await readProjectFile(path, options, 'created');
  await withFaults({ formatFaults, done: 'created' }, async () => {
    const fields = read();
    const project = projectIn(fields);
    say(`Sending ${countOf(project.segments.length, 'segment')}`);
    if (validateOnly) {
      const valid = await client.validateProject(project, { strict });
      return print(valid, formatValid(valid));
    }
    let isReplay = false;
    const created = await client.createProject(project, {
      strict,
      idempotencyKey: idempotencyKey ?? (await keyOfFile(fields)),
      onReplay() {
        isReplay = true;
      },
    });
    return print(created, formatCreated(created, project, isReplay));
  });
}

/**
 * Reads the project in a file: its JSON, or texts in another format.
 * @param done what the command does; if the file has faults, the error says that nothing was done
 * @throws {CliError} if a file of texts has faults
 */
export async function readProjectFile(
  path: string,
  options: ProjectFileOptions,
  done: FileEffect,
): Promise<ProjectSource> {
  const file = await readBytes(path);
  const { format } = options;
  const isJson = format === undefined && (formatOf(path) ?? 'json') === 'json';
  const { customId } = options;
  const ofTexts = optionsOfTexts(options);
  const isProject = isJson && ((customId === undefined && ofTexts.length === 0) || hasProject(file));
  if (!isProject) return projectOfTexts(path, file, { ...options, done });
  if (ofTexts.length > 0) {
    const advice = 'change the project in the file. If the file has texts to translate, add --format json';
    throw new UsageError(`${path} is a project, so leave out ${LIST.format(ofTexts)}: ${advice}`);
  }
  return projectInJson(path, file, customId);
}

const LIST = new Intl.ListFormat('en-GB');

/** Returns the given options that say something about texts. */
function optionsOfTexts({
  automatic,
  due,
  fields,
  name,
  sourceLanguage,
  targetLanguage,
}: ProjectFileOptions): string[] {
  const all = {
    '--automatic': automatic,
    '--due': due,
    '--fields': fields,
    '--name': name,
    '--source-language': sourceLanguage,
    '--target-language': targetLanguage,
  };
  return Object.entries(all).flatMap(([option, value]) => (value === undefined ? [] : [option]));
}

/** Whether a JSON file has the segments and the target languages of a project. Other files have texts to translate. */
function hasProject(file: Uint8Array): boolean {
  const { segments, targetLanguages } = fieldsOf(tryParseJson(new TextDecoder().decode(file))) ?? {};
  return Array.isArray(segments) && Array.isArray(targetLanguages);
}

const TEXTS_HINT =
  'To translate the texts of the file, add --source-language, --target-language and --due. Otherwise, it must be a project:\n';

/**
 * Returns the project in a JSON file.
 * @param customId the custom id for a project that has none
 * @throws {UsageError} when the project is read, if it has another custom id
 */
function projectInJson(path: string, file: Uint8Array, customId: string | undefined): ProjectSource {
  const shownFile = { path, text: new TextDecoder().decode(file) };
  return {
    read() {
      const value = parseJson(file, { name: 'file' });
      const fields = customId === undefined ? undefined : fieldsOf(value);
      if (!fields) return value;
      if ((fields['customId'] ?? customId) !== customId)
        throw new UsageError(`${path} has another customId: leave out --custom-id, or change the file`);
      return { ...fields, customId };
    },
    formatFaults(faults) {
      const isMissing = (field: string) => faults.some(({ pointer }) => pointer === field);
      const hasTexts = isMissing('/segments') && isMissing('/targetLanguages');
      const hint = hasTexts ? TEXTS_HINT : '';
      return hint + formatProblemFaults(shownFile, faults, { whole: 'the project' });
    },
  };
}

/** Checks a project as Segue does, so that a faulty file is not sent. Segue checks what depends on its settings. */
export function projectIn(value: unknown, { isPut = false } = {}): CheckedProject {
  const nowMs = Date.now();
  const fields = Array.isArray(value) ? undefined : fieldsOf(value);
  const isStamped = fields !== undefined && (fields['startDateUtc'] ?? null) === null;
  return checkProject(isStamped ? { ...fields, startDateUtc: utc(nowMs) } : value, {
    nowMs,
    toleranceMs: Number.POSITIVE_INFINITY,
    allowsLoopbackEvents: true,
    isStamped,
    isPut,
  });
}

function formatValid({ segments, quote }: ValidProject): string {
  return `The project is valid: ${formatSize({ segments, ...quote })}.\n${formatAutomatic(quote.automaticTranslation)}`;
}

/** Formats how large a project is, such as `2 segments (1 repeat), 4 words, 20 characters`. */
export function formatSize({
  segments,
  words,
  characters,
  repeats,
}: Pick<ValidProject['quote'], 'words' | 'characters' | 'repeats'> & { readonly segments: number }): string {
  const repeated = repeats === 0 ? '' : ` (${countOf(repeats, 'repeat')})`;
  return `${countOf(segments, 'segment')}${repeated}, ${countOf(words, 'word')}, ${countOf(characters, 'character')}`;
}

/** Formats what an engine gets, as a line; nothing if it gets nothing. */
export function formatAutomatic(quoted: ValidProject['quote']['automaticTranslation']): string {
  if (!quoted || quoted.characters === 0) return '';
  const { engine, characters, cost } = quoted;
  const price = cost ? `, ${cost.amount} ${cost.currency}` : '';
  return `Automatic translation by ${engine}: ${countOf(characters, 'character')}${price}.\n`;
}

function formatCreated(
  { id, customId }: Project,
  { segments, targetLanguages }: CheckedProject,
  isReplay: boolean,
): string {
  const named = customId === undefined ? '' : ` (custom id ${customId})`;
  const languages = targetLanguages.map(
    ({ targetLanguageCode, targetLanguageId }) => targetLanguageCode ?? targetLanguageId,
  );
  const done = isReplay ? ', already created' : '';
  return `Project ${id}${named}: ${countOf(segments.length, 'segment')} into ${languages.join(', ')}${done}.\n`;
}

/** The problems whose faults are in a plan or in options, not in a project. */
const NOT_OF_PROJECT: readonly FailureType[] = ['plan-outdated', 'invalid-header', 'invalid-parameter'];

/** Returns the faults of the project for which a request was refused. */
function faultsIn(error: unknown): readonly ProblemFault[] {
  if (error instanceof Problem) return error.occurrence.errors ?? [];
  return error instanceof SegueError && !NOT_OF_PROJECT.includes(error.type) ? error.errors : [];
}

interface FaultFormat extends Pick<ProjectSource, 'formatFaults'> {
  readonly done: FileEffect;
}

/** Does the work with a project. @throws {CliError} that shows the faults of its fields */
export async function withFaults({ formatFaults, done }: FaultFormat, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const found = faultsIn(error);
    if (found.length === 0) throw error;
    const faults = formatFaults(found);
    throw new UsageError(`the project has ${countOf(found.length, 'fault')}: nothing was ${done}`, {
      cause: error,
      faults,
    });
  }
}
