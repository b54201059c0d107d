import { closeSync, fchmodSync, fstatSync, openSync, statSync, writeFileSync } from 'node:fs';
import { CliError, errorCode } from '../errors.ts';

/** A file that a run writes, empty at first. */
export interface OutputFile extends Disposable {
  /** @throws {CliError} if it cannot be written any more */
  readonly write: (text: string | Uint8Array) => void;
}

/** Only the owner may read the file: it has faults, ids or content. */
const MODE = 0o600;

/**
 * Opens a file that a run writes.
 * @param content for messages, such as `results`
 * @param others files of the same run, which it must not overwrite
 * @throws {CliError} if it cannot be written, or is one of the others
 */
export function openOutput(content: string, path: string, others: readonly string[]): OutputFile {
  if (others.some((other) => isSameFile(path, other)))
    throw new CliError(`the ${content} would overwrite another file of this run: choose another name`, { exitCode: 2 });
  const file = translateErrors(content, 2, () => {
    const opened = openSync(path, 'w', MODE);
    // An existing file keeps its mode, so it is set here; but not that of a device.
    if (fstatSync(opened).isFile()) fchmodSync(opened, MODE);
    return opened;
  });
  return {
    write: (text) => translateErrors(content, 1, () => writeFileSync(file, text)),
    [Symbol.dispose]: () => closeSync(file),
  };
}

function isSameFile(path: string, other: string): boolean {
  const [one, two] = [path, other].map((name) => statSync(name, { bigint: true, throwIfNoEntry: false }));
  return one !== undefined && one.dev === two?.dev && one.ino === two.ino;
}

function translateErrors<T>(content: string, exitCode: 1 | 2, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new CliError(`the ${content} cannot be written: ${errorCode(cause)}`, { exitCode, cause });
  }
}
