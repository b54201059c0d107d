import { closeSync, fchmodSync, fstatSync, openSync, statSync, writeFileSync } from 'node:fs';
import { LinesFailed, ManifestUnusable } from './unusable.ts';

/** A file that a run writes, empty at first. */
export interface OutputFile extends Disposable {
  /** @throws {LinesFailed} if it cannot be written any more */
  readonly write: (text: string | Uint8Array) => void;
}

/** Only the owner may read it: it has faults, ids or content. */
const MODE = 0o600;

/**
 * Opens a file that a run writes.
 * @param what is in it, for messages
 * @param others files that it must not be
 * @throws {ManifestUnusable} if it cannot be written, or is one of the others, which would be lost
 */
export function openOutput(what: string, path: string, others: readonly string[]): OutputFile {
  if (others.some((other) => isSame(path, other)))
    throw new ManifestUnusable(`the ${what} would overwrite another file of this run: choose another name`);
  const file = translate(what, ManifestUnusable, () => {
    const opened = openSync(path, 'w', MODE);
    // a file that was there keeps its mode; of a device it is not ours to change
    if (fstatSync(opened).isFile()) fchmodSync(opened, MODE);
    return opened;
  });
  return {
    write: (text) => translate(what, LinesFailed, () => writeFileSync(file, text)),
    [Symbol.dispose]: () => closeSync(file),
  };
}

function isSame(path: string, other: string): boolean {
  const [one, two] = [path, other].map((name) => statSync(name, { bigint: true, throwIfNoEntry: false }));
  return one !== undefined && one.dev === two?.dev && one.ino === two.ino;
}

function translate<T>(what: string, Refusal: typeof ManifestUnusable | typeof LinesFailed, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'Error';
    throw new Refusal(`the ${what} cannot be written: ${code}`, { cause });
  }
}
