import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';

/** The options of `publishFile`. */
interface PublishOptions {
  /** The mode of the file. By default, it is what the process gives to new files. */
  readonly mode?: number | undefined;
  /** The owner of the file, if the process may set it. */
  readonly owner?: Pick<Stats, 'uid' | 'gid'> | undefined;
  /** Gives the draft the name of the file. By default, it replaces the file. */
  readonly publish?: ((draft: string, path: string) => void) | undefined;
}

/** Writes a file at once, as a draft beside it: a reader sees the old content or the new one. If it fails, the old content stays. */
export function publishFile(
  path: string,
  content: string | Uint8Array,
  { mode, owner, publish = renameSync }: PublishOptions = {},
): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, content, { flag: 'wx', mode: mode === undefined ? 0o666 : 0o600, flush: true });
    if (owner) give(draft, owner);
    if (mode !== undefined) chmodSync(draft, mode);
    publish(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function give(path: string, { uid, gid }: Pick<Stats, 'uid' | 'gid'>): void {
  try {
    chownSync(path, uid, gid);
  } catch {
    // Only root may give a file away.
  }
}
