import { Problem } from '../../lib/contract/problem.ts';

/** A manifest as a whole cannot be worked on, or no longer. The message is for the person who asked. */
export class ManifestUnusable extends Error {
  override readonly name = 'ManifestUnusable';
}

/** Some entries were not carried out. The message is for the person who asked. */
export class LinesFailed extends Error {
  override readonly name = 'LinesFailed';
}

/** What is said of a problem of a manifest as a whole; one of an entry is a result. */
export function unusable(error: unknown): unknown {
  return error instanceof Problem ? new ManifestUnusable(error.message, { cause: error }) : error;
}
