import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { withoutNulls } from '../../contract/nulls.ts';
import { fieldsOf } from '../../contract/pointer.ts';
import { retentionMsOf } from '../../contract/retentions.ts';

/** How long the result of a line is kept, in milliseconds: 90 days. Until then the same line of the same run is not repeated. */
export const LINE_RETENTION_MS = retentionMsOf('bulkLine');

/**
 * The SHA-256 of what a line asks for: the order of keys, white space and nulls aside. A start date is no part of it,
 * because a later attempt must have another one.
 */
export function digestOf(command: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(withoutNulls(withoutStart(command))))
    .digest('base64url');
}

function withoutStart(command: unknown): unknown {
  const { create, ...rest } = fieldsOf(command) ?? {};
  const project = Array.isArray(create) ? undefined : fieldsOf(create);
  if (!project) return command;
  const { startDateUtc: _, ...fields } = project;
  return { ...rest, create: fields };
}

/** The idempotency key of a line. No key that a caller sends over HTTP has a space in it. */
export function lineKey(run: string, digest: string, occurrence: number): string {
  return `bulk ${JSON.stringify([run, digest, occurrence])}`;
}

/** As many bytes of a digest as tell a billion lines apart. */
const COUNTED_BYTES = 16;

/** Counts equal lines. Per line it holds 16 bytes and a number: about 100 MB for a million lines. */
export class Occurrences {
  readonly #counts = new Map<string, number>();

  /** @returns how often this content has been counted, with this time */
  count(digest: string): number {
    const key = Buffer.from(digest, 'base64url').toString('latin1', 0, COUNTED_BYTES);
    const occurrence = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, occurrence);
    return occurrence;
  }
}
