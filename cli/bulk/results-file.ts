import { closeSync, openSync, statSync, writeFileSync } from 'node:fs';
import { LinesFailed, ManifestUnusable } from './unusable.ts';

/** A file of lines, empty at first. */
export interface ResultsFile extends Disposable {
  /** @throws {LinesFailed} where it cannot be written any more */
  readonly write: (line: string) => void;
}

/**
 * Opens the file that a run's results go to.
 * @param manifest the path of what they are the results of
 * @throws {ManifestUnusable} where it cannot be written, or is the manifest, which would be empty then
 */
export function openResults(path: string, manifest: string): ResultsFile {
  if (isSame(path, manifest))
    throw new ManifestUnusable('the results would be written over the manifest: name another file');
  const file = telling(ManifestUnusable, () => openSync(path, 'w'));
  return {
    write: (line) => telling(LinesFailed, () => writeFileSync(file, line)),
    [Symbol.dispose]: () => closeSync(file),
  };
}

function isSame(path: string, other: string): boolean {
  const [one, two] = [path, other].map((name) => statSync(name, { bigint: true, throwIfNoEntry: false }));
  return one !== undefined && one.dev === two?.dev && one.ino === two.ino;
}

function telling<T>(Refusal: typeof ManifestUnusable | typeof LinesFailed, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'Error';
    throw new Refusal(`the results cannot be written: ${code}`, { cause });
  }
}
