import * as failures from '../contract/failures.ts';
import { customId } from '../contract/fields.ts';
import type { DeletionScope, ProjectRef } from '../service/port.ts';
import type { HttpRequest } from './request.ts';

/** Reads what to delete. */
export function deletionScope({ parameters: { taskId, revision } }: Pick<HttpRequest, 'parameters'>): DeletionScope {
  // The query parser rejects every malformed `taskId`, so `undefined` means that the request has no `taskId`.
  return taskId === undefined ? { kind: 'project', revision } : { kind: 'task', taskId };
}

/** Reads a project's id or custom id from a path segment, which is still percent-encoded. */
type RefReader = (segment: string) => ProjectRef;

/**
 * Reads a project's id.
 * @throws {Problem} `project-not-found` unless the segment is a positive integer below 2^53 in plain decimal
 */
export const refById: RefReader = (segment) => {
  const id = /^[1-9]\d{0,15}$/.test(segment) ? Number(segment) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw failures.noProjectId();
  return { id };
};

/**
 * Reads a project's custom id. The segment is decoded only here and only once: `a%2Fb` becomes `a/b`, `a%252Fb` becomes
 * `a%2Fb`.
 * @throws {Problem} `project-not-found` if no project can have this custom id
 */
export const refByCustomId: RefReader = (segment) => {
  const read = CustomId.safeParse(decodeSegment(segment));
  if (!read.success) throw failures.projectNotFound();
  return { customId: read.data };
};

const CustomId = customId();

/** Decodes a segment of a path. Returns `undefined` if it is not well-formed. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
