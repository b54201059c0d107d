import { type NewProject, SegueError } from '../client/index.ts';

/** A file that a user chose. */
export interface ChosenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The text, to show where a fault is. It is in UTF-8 unless the file says otherwise. */
  readonly text: string;
}

/** A fault of a file. */
export interface PlacedFault {
  /** The line and column of the fault, from 1. Absent if it is not in the file, but in what the user said of it. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** The JSON pointer of the value; empty for the whole file. */
  readonly pointer: string;
  /** The code of a fault that Segue reports. */
  readonly code?: string | undefined;
  readonly detail: string;
}

/** The result of a check: a valid project with what Segue says of it, or every fault. */
export type CheckedFile<T> =
  | { readonly isValid: true; readonly project: NewProject; readonly summary: T }
  | { readonly isValid: false; readonly faults: readonly PlacedFault[] };

/** More bytes than Segue accepts in a project. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads a file. @throws {TypeError} if it is too large */
export async function readFile(file: File): Promise<ChosenFile> {
  if (file.size > MAX_BYTES) throw new TypeError('The file is larger than Segue accepts. Divide it into several.');
  const bytes = new Uint8Array(await contentIn(file));
  return { name: file.name, bytes, text: new TextDecoder(encodingOf(bytes)).decode(bytes) };
}

/** Returns the content of a file. A browser may refuse one that has changed since a user chose it. */
function contentIn(file: File): Promise<ArrayBuffer> {
  return file.arrayBuffer().catch(() => {
    throw new TypeError('The file has changed since you chose it, so the browser does not read it. Choose it again.');
  });
}

/** Returns the encoding by the byte order mark. It is enough to show lines: each format decodes its files itself. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** What a JSON file has: a project, commands for `segue bulk`, or texts. A file that is not JSON counts as a project. */
export function contentOf({ text }: ChosenFile): 'project' | 'commands' | 'texts' {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const [first, second] = text.trimStart().split(/\r\n?|\n/, 2);
    return first?.trimEnd().endsWith('}') && second?.startsWith('{') ? 'commands' : 'project';
  }
  if (Array.isArray(value)) return 'commands';
  if (typeof value !== 'object' || value === null) return 'project';
  const has = (name: string) => Object.hasOwn(value, name);
  const isTold = (name: string) => Object.entries(value).some(([key, of]) => key === name && typeof of === 'object');
  if (Object.keys(value).length === 1 && ['create', 'put', 'delete'].some(isTold)) return 'commands';
  return has('segments') || has('targetLanguages') || Object.keys(value).length === 0 ? 'project' : 'texts';
}

/**
 * Checks a file with the JSON of a project: its syntax here, its fields at Segue.
 * @param check asks Segue about the project
 * @throws {SegueError} if Segue could not check it
 */
export async function checkFile<T>(
  { bytes, text }: ChosenFile,
  check: (project: NewProject) => Promise<T>,
): Promise<CheckedFile<T>> {
  const { parseJsonText, jsonPlaces, Problem } = await import('./file-formats.ts');
  if (!isUtf8(bytes)) throw new TypeError('The file is not text in UTF-8. Convert it to UTF-8.');
  try {
    const project = parseJsonText(text, { name: 'file' });
    if (!isObject(project)) return { isValid: false, faults: [NO_OBJECT] };
    return { isValid: true, project, summary: await check(project) };
  } catch (error) {
    const faults = error instanceof Problem ? (error.occurrence.errors ?? []) : faultsIn(error);
    if (faults.length === 0) throw error;
    const placeOf = jsonPlaces(text);
    return { isValid: false, faults: faults.map((fault) => ({ ...fault, ...placeOf(fault) })) };
  }
}

const NO_OBJECT = { line: 1, column: 1, pointer: '', detail: 'A project is a JSON object: { "name": … }.' };

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Whether a JSON value is an object. Segue checks its fields. */
export function isObject(value: unknown): value is NewProject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the faults of a project for which Segue refused it. */
export function faultsIn(error: unknown): SegueError['errors'] {
  return error instanceof SegueError ? error.errors : [];
}
