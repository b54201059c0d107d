import { checkProject } from '../../lib/contract/check-project.ts';
import { countOf } from '../../lib/contract/count.ts';
import { utc } from '../../lib/contract/date.ts';
import { keyOfFile } from '../../lib/contract/file-key.ts';
import { parseJson } from '../../lib/contract/json.ts';
import { fieldsOf } from '../../lib/contract/pointer.ts';
import { Problem } from '../../lib/contract/problem.ts';
import type { CheckedProject } from '../../lib/contract/project.ts';
import { SegueError } from '../client/error.ts';
import type { SegueClient } from '../client/segue-client.ts';
import type { Project, ValidProject } from '../client/types.ts';
import { formatOf } from '../files/codecs.ts';
import type { CliContext } from './deployment.ts';
import { formatProblemFaults } from './faults-in-file.ts';
import { readBytes } from './files.ts';
import { UsageError } from './io.ts';
import { type ProjectSource, projectOfTexts, type SourceOptions } from './project-source.ts';

export interface CreateOptions extends SourceOptions {
  readonly idempotencyKey?: string;
  readonly strict?: true;
  readonly url?: string;
  readonly validateOnly?: true;
}

interface CreateTools extends Pick<CliContext, 'print'> {
  readonly client: SegueClient;
  readonly say: (text: string) => void;
}

/** Creates the project in a file, or only checks it. @throws {CliError} that shows the faults of the project */
export async function createFromFile(
  path: string,
  options: CreateOptions,
  { client, say, print }: CreateTools,
): Promise<void> {
  const { idempotencyKey, strict, validateOnly } = options;
  const file = await readBytes(path);
  const { read, formatFaults } = isOfTexts(path, options)
    ? await projectOfTexts(path, file, options)
    : projectInJson(path, file);
  await withFaults(formatFaults, async () => {
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

/** Whether a file has texts to translate. A JSON file has a project, unless an option says something about texts. */
function isOfTexts(path: string, options: CreateOptions): boolean {
  const { automatic, customId, due, fields, format, name, sourceLanguage, targetLanguage } = options;
  const given = [automatic, customId, due, fields, format, name, sourceLanguage, targetLanguage];
  return (formatOf(path) ?? 'json') !== 'json' || given.some((option) => option !== undefined);
}

const TEXTS_HINT =
  'To translate the texts of the file, add --source-language, --target-language and --due. Otherwise, it must be a project:\n';

/** Returns the project in a JSON file. */
function projectInJson(path: string, file: Uint8Array): ProjectSource {
  const shownFile = { path, text: new TextDecoder().decode(file) };
  return {
    read: () => parseJson(file, { name: 'file' }),
    formatFaults(faults) {
      const isMissing = (field: string) => faults.some(({ pointer }) => pointer === field);
      const hasTexts = isMissing('/segments') && isMissing('/targetLanguages');
      const hint = hasTexts ? TEXTS_HINT : '';
      return hint + formatProblemFaults(shownFile, faults, { whole: 'the project' });
    },
  };
}

/** Checks a project as Segue does, so that a faulty file is not sent. Segue checks what depends on its settings. */
function projectIn(value: unknown): CheckedProject {
  const nowMs = Date.now();
  const fields = Array.isArray(value) ? undefined : fieldsOf(value);
  const isStamped = fields !== undefined && (fields['startDateUtc'] ?? null) === null;
  return checkProject(isStamped ? { ...fields, startDateUtc: utc(nowMs) } : value, {
    nowMs,
    toleranceMs: Number.POSITIVE_INFINITY,
    allowsLoopbackEvents: true,
    isStamped,
  });
}

function formatValid({ segments, quote }: ValidProject): string {
  const { words, characters, repeats, automaticTranslation } = quote;
  const repeated = repeats === 0 ? '' : ` (${countOf(repeats, 'repeat')})`;
  const size = `${countOf(segments, 'segment')}${repeated}, ${countOf(words, 'word')}, ${countOf(characters, 'character')}`;
  const valid = `The project is valid: ${size}.\n`;
  if (!automaticTranslation || automaticTranslation.characters === 0) return valid;
  const { engine, characters: sent, cost } = automaticTranslation;
  const price = cost ? `, ${cost.amount} ${cost.currency}` : '';
  return `${valid}Automatic translation by ${engine}: ${countOf(sent, 'character')}${price}.\n`;
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

/** Does the work with a project. @throws {CliError} that shows the faults of its fields */
async function withFaults(formatFaults: ProjectSource['formatFaults'], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const found =
      error instanceof Problem ? error.occurrence.errors : error instanceof SegueError ? error.errors : undefined;
    if (found === undefined || found.length === 0) throw error;
    const faults = formatFaults(found);
    throw new UsageError(`the project has ${countOf(found.length, 'fault')}: nothing was created`, {
      cause: error,
      faults,
    });
  }
}
