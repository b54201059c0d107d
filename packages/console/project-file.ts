import { type JsonPlace, jsonPlaces } from '../../lib/contract/json-places.ts';
import { parseJsonText } from '../../lib/contract/json-text.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { type NewProject, SegueError } from '../client/index.ts';

/** A file that a user chose. */
export interface ChosenFile {
  readonly name: string;
  readonly text: string;
}

/** A fault of a file. */
export interface PlacedFault {
  /** The line and column of the fault, from 1. */
  readonly line: number;
  readonly column: number;
  /** The JSON pointer of the value; empty for the whole file. */
  readonly pointer: string;
  readonly detail: string;
}

/** The result of a check: a valid project with what Segue says of it, or every fault. */
export type CheckedFile<T> =
  | { readonly isValid: true; readonly project: NewProject; readonly summary: T }
  | { readonly isValid: false; readonly faults: readonly PlacedFault[]; readonly hint?: string | undefined };

/** More bytes than Segue accepts in a project. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads a file as UTF-8. @throws {TypeError} if it is too large, or is not UTF-8 */
export async function readFile(file: File): Promise<ChosenFile> {
  if (file.size > MAX_BYTES) throw new TypeError('The file is larger than Segue accepts.');
  try {
    return { name: file.name, text: new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()) };
  } catch (cause) {
    throw new TypeError('The file is not text in UTF-8.', { cause });
  }
}

/**
 * Checks a file with the JSON of a project: its syntax here, its fields at Segue.
 * @param check asks Segue about the project
 * @throws {SegueError} if Segue could not check it
 */
export async function checkFile<T>(
  { text }: ChosenFile,
  check: (project: NewProject) => Promise<T>,
): Promise<CheckedFile<T>> {
  try {
    const project = parseJsonText(text, { name: 'file' });
    if (!isObject(project)) return { isValid: false, faults: [NO_OBJECT], hint: otherForm(text, [NO_OBJECT]) };
    return { isValid: true, project, summary: await check(project) };
  } catch (error) {
    const faults = faultsIn(error);
    if (faults.length === 0) throw error;
    const placeOf = jsonPlaces(text);
    return {
      isValid: false,
      faults: faults.map((fault) => ({ ...fault, ...placeOf(fault) })),
      hint: otherForm(text, faults),
    };
  }
}

const NO_OBJECT = { line: 1, column: 1, pointer: '', detail: 'A project is a JSON object: { "name": … }.' };

const TEXTS =
  'The file has no project. If it has texts to translate, make a project of them with: segue projects create <file> --source-language en --target-language de --due 2099-12-31';
const COMMANDS =
  'The file has no project. If it has several, write each as { "create": … } on a line of its own, and run: segue bulk <file>';

/** Names the command that takes a file of another form: a manifest with a command on each line, or texts. */
function otherForm(text: string, faults: readonly { readonly pointer: string }[]): string | undefined {
  const isFaulty = (pointer: string) => faults.some((fault) => fault.pointer === pointer);
  const [first, second] = text.trimStart().split(/\r\n?|\n/, 2);
  if (['/create', '/put', '/delete'].some(isFaulty) || text.trimStart().startsWith('[')) return COMMANDS;
  if (first?.trimEnd().endsWith('}') && second?.startsWith('{')) return COMMANDS;
  return isFaulty('/segments') && isFaulty('/targetLanguages') ? TEXTS : undefined;
}

/** Whether a JSON value is an object. Segue checks its fields. */
function isObject(value: unknown): value is NewProject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function faultsIn(error: unknown): readonly (JsonPlace & { readonly detail: string })[] {
  if (error instanceof SegueError) return error.errors;
  return (error instanceof Problem && error.occurrence.errors) || [];
}
