import { createHash } from 'node:crypto';
import type { WritableStatus } from '../../lib/contract/translation-status.ts';
import { utf8Length } from './bytes.ts';
import { loadCodec, loadSourceCodec } from './codecs.ts';
import { fileError } from './decode.ts';
import { type FileFault, TranslationFileError } from './file-fault.ts';
import type { FilledFile, FillRules } from './fill.ts';
import { lossFinder } from './losses.ts';
import {
  type HeldChange,
  type ImportPlan,
  languagesIn,
  noSuchLanguage,
  type PlannedChange,
  type PlanOptions,
  planImport,
} from './plan-import.ts';
import {
  faultsOf,
  type ProjectLanguages,
  readLanguages,
  readTranslations,
  type TranslationsReader,
  targetLanguage,
} from './project-translations.ts';
import type { SourceFormat, SourceTexts } from './source-file.ts';
import type { FileFormat, TranslationFile } from './translation-file.ts';

/** The options of an export. */
export interface ExportOptions {
  /** The code of the target language. */
  readonly languageCode: string;
  readonly format: FileFormat;
  /** The task whose segments to export; by default all segments. */
  readonly taskId?: string | undefined;
  /** Gets each warning: what a translation lacks of its segment. Its place is the segment's, as in a file in JSON. */
  readonly onWarning?: ((warning: FileFault) => void) | undefined;
}

/** The options of reading the texts of a file. */
export interface TextsOptions {
  readonly format: SourceFormat;
  readonly sourceLanguageCode?: string | undefined;
  /** The languages to translate into. Their plural forms are texts too, if the file lacks them. */
  readonly targetLanguageCodes?: readonly string[] | undefined;
}

/** The options of filling in a file. */
export interface FillOptions extends Omit<ExportOptions, 'format' | 'onWarning'>, FillRules {
  readonly format: SourceFormat;
}

/** The options of an import. */
export interface ImportOptions extends PlanOptions {
  readonly format: FileFormat;
  /** The project, for a file that does not name it. */
  readonly projectId?: number | undefined;
  /** Whether to write nothing, and only return what an import would do. */
  readonly dryRun?: boolean | undefined;
  /** Gets the number of segments that were read, after each. */
  readonly onRead?: ((segments: number) => void) | undefined;
  /** Gets the number of translations that were sent, with each batch. */
  readonly onSend?: ((translations: number) => void) | undefined;
}

/** The result of an import. In a dry run, it is what an import would do. */
export interface ImportResult extends ImportPlan {
  readonly projectId: number;
}

/** A translation to write, as a request has it. */
export interface EntryToWrite {
  readonly segmentId: number;
  readonly languageCode: string;
  readonly content: string;
  readonly status: WritableStatus;
  readonly ifVersion?: number;
  readonly reopen?: true;
}

/** The operations of a client that an import needs. */
export interface TranslationsClient extends TranslationsReader {
  writeTranslations(
    projectId: number,
    entries: readonly EntryToWrite[],
    options: { readonly idempotencyKey: string },
  ): Promise<unknown>;
}

/** The largest batch: the number of entries that a request may have, and a size well below that of a request. */
const BATCH = { entries: 1_000, bytes: 3_000_000 };

/**
 * Writes the translations of a project into one language as a file.
 * @throws {TranslationFileError} if the project lacks the language, or has texts that no file can hold
 */
export async function exportFile(
  client: TranslationsReader,
  projectId: number,
  options: ExportOptions,
): Promise<string> {
  const [{ write }, file] = await Promise.all([loadCodec(options.format), translationsOf(client, projectId, options)]);
  const text = write(file);
  const lossesOf = lossFinder(file);
  for (const [index, segment] of file.segments.entries()) {
    const place = { pointer: `/segments/${index}` };
    const losses = segment.translation ? lossesOf({ segment, content: segment.translation.content, place }) : [];
    for (const warning of losses) options.onWarning?.(warning);
  }
  return text;
}

/**
 * Writes the translations of a project into a file that another program wrote. Nothing else in the file changes.
 * @throws {TranslationFileError} if the file cannot be read, or belongs to another project or language
 */
export async function fillFile(
  client: TranslationsReader,
  projectId: number,
  file: Uint8Array,
  options: FillOptions,
): Promise<FilledFile> {
  const { fill } = await loadSourceCodec(options.format);
  return fill(file, await translationsOf(client, projectId, options), options);
}

/**
 * Reads the texts to translate in a file, to create a project with them as segments.
 * @throws {TranslationFileError} if the file cannot be read
 */
export async function readTexts(file: Uint8Array, options: TextsOptions): Promise<SourceTexts> {
  const { format, sourceLanguageCode, targetLanguageCodes } = options;
  return (await loadSourceCodec(format)).texts(file, sourceLanguageCode, targetLanguageCodes);
}

async function translationsOf(
  client: TranslationsReader,
  projectId: number,
  { languageCode: code, taskId }: Omit<ExportOptions, 'format'>,
): Promise<TranslationFile> {
  const project = await readLanguages(client, projectId);
  return readTranslations(client, project, { languageCode: requireTarget(project, code), taskId });
}

/** Returns a target language of a project. @throws {TranslationFileError} if the project lacks it */
function requireTarget(project: ProjectLanguages, code: string): string {
  const languageCode = targetLanguage(project, code);
  if (languageCode !== undefined) return languageCode;
  throw fileError('wrong-language', noSuchLanguage(code, project.targetLanguageCodes));
}

/**
 * Writes the translations in a file to their project, in batches that are all or nothing. Importing a file again
 * changes nothing. It writes no translation that somebody has changed since the export, unless `overwrite` is set, and
 * lowers no status, unless `reopen` is set.
 * @throws {TranslationFileError} with every fault of the file; nothing is written then
 */
export async function importFile(
  client: TranslationsClient,
  file: Uint8Array | string,
  options: ImportOptions,
): Promise<ImportResult> {
  const parsed = (await loadCodec(options.format)).read(file, options.languageCode);
  const projectId = projectOf(parsed.projectId, options.projectId);
  const project = await readLanguages(client, projectId);
  const { languageCode: given } = options;
  if (given !== undefined) requireTarget(project, given);
  const present: TranslationFile[] = [];
  for (const code of languagesIn(parsed, given)) {
    const languageCode = targetLanguage(project, code);
    if (languageCode !== undefined)
      present.push(await readTranslations(client, project, { languageCode }, options.onRead));
  }
  const { targetLanguageCodes } = project;
  const plan = planImport(parsed, present, { ...options, targetLanguageCodes });
  if (plan.faults.length > 0) throw new TranslationFileError(plan.faults);
  if (options.dryRun) return { ...plan, projectId };
  return { ...plan, ...(await writeChanges(client, projectId, plan, options)), projectId };
}

function projectOf(inFile: number | undefined, given: number | undefined): number {
  if (inFile !== undefined && given !== undefined && inFile !== given) {
    throw fileError('wrong-project', `The file belongs to project ${inFile}, not to project ${given}.`);
  }
  const id = given ?? inFile;
  if (id === undefined) {
    const detail =
      'The file does not name its project, or a spreadsheet has rounded the id. Give it yourself (--project).';
    throw fileError('missing-project', detail);
  }
  return id;
}

/** Writes changes in batches. A translation that changes meanwhile is held back, and the rest of its batch is written. */
async function writeChanges(
  client: TranslationsClient,
  projectId: number,
  plan: ImportPlan,
  { onSend }: Pick<ImportOptions, 'onSend'>,
): Promise<Pick<ImportPlan, 'changes' | 'held'>> {
  let sent = 0;
  const changes: PlannedChange[] = [];
  const held: HeldChange[] = [...plan.held];
  for (const whole of batchesOf(plan.changes)) {
    let batch = whole;
    while (batch.length > 0) {
      sent += batch.length;
      onSend?.(sent);
      const outdated = await writeBatch(client, projectId, batch);
      for (const change of outdated) held.push({ ...change, reason: 'changed' });
      if (outdated.size === 0) {
        for (const change of batch) changes.push(change);
        break;
      }
      batch = batch.filter((change) => !outdated.has(change));
    }
  }
  return { changes, held };
}

/** Writes a batch. @returns the changes because of which nothing was written */
async function writeBatch(
  client: TranslationsClient,
  projectId: number,
  batch: readonly PlannedChange[],
): Promise<ReadonlySet<PlannedChange>> {
  const entries = batch.map(entryOf);
  try {
    await client.writeTranslations(projectId, entries, { idempotencyKey: keyOf(projectId, entries) });
    return new Set();
  } catch (error) {
    const outdated = new Set(outdatedIn(error).flatMap((index) => batch[index] ?? []));
    if (outdated.size === 0) throw error;
    return outdated;
  }
}

/** Returns the indexes of the entries that a request was refused for, because their translations have changed. */
function outdatedIn(error: unknown): number[] {
  const faults = faultsOf(error, 'translation-changed') ?? [];
  return faults.flatMap(({ pointer }) => {
    const [, index] = /^\/(\d+)(?:\/|$)/.exec(pointer) ?? [];
    return index === undefined ? [] : [Number(index)];
  });
}

function entryOf({ segmentId, languageCode, content, status, present, reopen }: PlannedChange): EntryToWrite {
  // A service that counts no versions gives none to a translation that exists.
  const ifVersion = present ? present.version : 0;
  return {
    segmentId,
    languageCode,
    content,
    status,
    ...(ifVersion !== undefined && { ifVersion }),
    ...(reopen && { reopen }),
  };
}

/** Divides changes into batches that a request can hold. */
function* batchesOf(changes: readonly PlannedChange[]): Generator<readonly PlannedChange[]> {
  let batch: PlannedChange[] = [];
  let bytes = 0;
  for (const change of changes) {
    const size = utf8Length(JSON.stringify(entryOf(change)));
    if (batch.length >= BATCH.entries || (batch.length > 0 && bytes + size > BATCH.bytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(change);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Returns the idempotency key of a batch. The same entries have the same key, so that a batch is written once. */
function keyOf(projectId: number, entries: readonly EntryToWrite[]): string {
  return `import-${createHash('sha256')
    .update(JSON.stringify([projectId, entries]))
    .digest('hex')}`;
}
