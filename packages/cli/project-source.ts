import { basename } from 'node:path';
import * as z from 'zod/mini';
import { languageById } from '../../lib/contract/languages.ts';
import { fieldsOf } from '../../lib/contract/pointer.ts';
import { SOURCE_FORMATS, type SourceFormat, type SourceTexts } from '../files/source-file.ts';
import { faultyText, fieldsFrom, projectWithTexts } from '../files/texts-project.ts';
import { readTexts } from '../files/transfer.ts';
import { detailOf } from './api-errors.ts';
import { type FaultyFile, formatFaults, formatProblemFaults, type ProblemFault } from './faults-in-file.ts';
import { readBytes } from './files.ts';
import { escapeControls, UsageError } from './io.ts';
import { parseJsonFile } from './json-file.ts';
import { type FileEffect, faultyFile, formatOfFile, reportFaults } from './translation-file.ts';

/** The options that make a project from a file of texts. */
export interface SourceOptions {
  readonly automatic?: true;
  readonly customId?: string;
  readonly due?: string;
  readonly fields?: string;
  readonly format?: SourceFormat;
  readonly name?: string;
  readonly sourceLanguage?: string;
  readonly targetLanguage?: readonly string[];
}

/** A project to create or to put. */
export interface ProjectSource {
  /** Returns the fields of the project. @throws {Problem} if they are not JSON */
  readonly read: () => unknown;
  /** Formats faults of the fields, each at its place in a file, or with the option that it comes from. */
  readonly formatFaults: (faults: readonly ProblemFault[]) => string;
}

/** An option that sets a field of a project. */
interface FieldOption {
  readonly option: string;
  /** What to write if the option is missing, or has no date. */
  readonly example?: string;
}

/** The options by the fields that they set. */
const OPTION_OF: Readonly<Record<string, FieldOption>> = {
  customId: { option: '--custom-id' },
  endDateUtc: { option: '--due', example: '--due 2099-12-31, or a date with a time such as 2099-12-31T12:00:00Z' },
  name: { option: '--name' },
  sourceLanguageCode: { option: '--source-language', example: '--source-language <code>, such as en' },
  targetLanguages: { option: '--target-language', example: '--target-language <codes>, such as de fr' },
};

/**
 * Reads a file of texts. Each text becomes a segment. The other fields of the project come from the options, from the
 * JSON file of `--fields`, and from what the file itself says, in this order.
 * @throws {CliError} if the file has faults, or no texts
 */
export async function projectOfTexts(
  path: string,
  bytes: Uint8Array,
  { done, ...options }: SourceOptions & { readonly done: FileEffect },
): Promise<ProjectSource> {
  const format = options.format ?? formatOfFile(path, SOURCE_FORMATS);
  const file = faultyFile(path, bytes);
  const fields = options.fields === undefined ? undefined : await fieldsIn(options.fields);
  const set = { ...fields?.value, ...fieldsFrom(options) };
  const language = typeof set['sourceLanguageCode'] === 'string' ? set['sourceLanguageCode'] : undefined;
  const targetLanguageCodes = codesIn(set['targetLanguages']);
  const source = await reportFaults(file, done, () =>
    readTexts(bytes, { format, sourceLanguageCode: language, targetLanguageCodes }),
  );
  if (source.texts.length === 0) throw new UsageError(`${path} has no texts to translate`);
  const value = projectWithTexts(source, basename(path), set, options);
  return { read: () => value, formatFaults: (faults) => formatAll(faults, { file, source, fields, options }) };
}

/** The codes of target languages. Those that are wrong are found when the project is checked. */
function codesIn(targetLanguages: unknown): string[] {
  return z.array(TargetLanguage).safeParse(targetLanguages).data?.flatMap(codeOf) ?? [];
}

const TargetLanguage = z.looseObject({
  targetLanguageCode: z.optional(z.unknown()),
  targetLanguageId: z.optional(z.unknown()),
});

function codeOf({ targetLanguageCode: code, targetLanguageId: id }: z.infer<typeof TargetLanguage>): string[] {
  const known = typeof id === 'number' ? languageById(id)?.langCode : undefined;
  return typeof code === 'string' ? [code] : known === undefined ? [] : [known];
}

/** The JSON file of `--fields`. */
interface FieldsFile {
  readonly value: Readonly<Record<string, unknown>>;
  readonly file: FaultyFile;
}

async function fieldsIn(path: string): Promise<FieldsFile> {
  const bytes = await readBytes(path);
  const value = fieldsOf(parseJsonFile({ path, bytes, content: 'file of --fields' }));
  if (!value || Array.isArray(value)) throw new UsageError(`${path} must be a JSON object`);
  return { value, file: faultyFile(path, bytes) };
}

interface Origins {
  readonly file: FaultyFile;
  readonly source: SourceTexts;
  readonly fields: FieldsFile | undefined;
  readonly options: SourceOptions;
}

/** Formats faults: those of segments in the file of texts, others in the file of fields, or with their option. */
function formatAll(faults: readonly ProblemFault[], { file, source, fields, options }: Origins): string {
  const set = fieldsFrom(options);
  const inTexts = faults.flatMap(({ pointer, code, detail }) => {
    const { text, field } = faultyText(source, pointer) ?? {};
    return text ? [{ place: text.place, message: `${field} ${code}: ${detail}`.trimStart() }] : [];
  });
  const others = faults.filter(({ pointer }) => !pointer.startsWith('/segments/'));
  const isInFields = ({ pointer }: ProblemFault) => {
    const [, name = ''] = pointer.split('/');
    return fields !== undefined && Object.hasOwn(fields.value, name) && !Object.hasOwn(set, name);
  };
  const inFields = others.filter(isInFields);
  const inOptions = others.filter((fault) => !isInFields(fault));
  return [
    formatFaults(file, inTexts),
    fields ? formatProblemFaults(fields.file, inFields, { whole: 'the fields' }) : '',
    ...inOptions.map((fault) => `${escapeControls(formatInOption(fault, set))}\n`),
  ].join('');
}

/** Formats a fault of a field that an option sets, or could set. @param set the fields that options set */
function formatInOption(fault: ProblemFault, set: Readonly<Record<string, unknown>>): string {
  const { pointer, code } = fault;
  const [, name = '', index] = pointer.split('/');
  // One option gives all target languages.
  const given = name === 'targetLanguages' && index !== undefined ? codesIn(set[name])[Number(index)] : undefined;
  const { option = pointer, example } = OPTION_OF[name] ?? {};
  if (example !== undefined && code === 'required') return `${option} ${code}: Add ${example}.`;
  if (example !== undefined && code === 'invalid-date') return `${option} ${code}: Write ${example}.`;
  return `${[option, given].filter(Boolean).join(' ')} ${code}: ${detailOf(fault)}`;
}
