import * as z from 'zod/mini';
import { id } from '../contract/fields.ts';
import { fieldsOf } from '../contract/pointer.ts';

/**
 * A project as the service gives it. Only the id is checked: the service document leaves many types and values open,
 * so every other field may be absent or hold any JSON value.
 */
export interface UpstreamProject {
  readonly id: number;
  readonly customId?: unknown;
  readonly creationDateUtc?: unknown;
  readonly taskId?: unknown;
  readonly targetLanguages?: unknown;
  readonly segments?: unknown;
  readonly [field: string]: unknown;
}

/** An id in a string has no sign, no leading zero and no exponent, as in a path. */
const IdInString = z.pipe(z.pipe(z.string().check(z.regex(/^[1-9]\d{0,15}$/)), z.transform(Number)), id());
const ProjectId = z.union([id(), IdInString]);

/** Reads a project from a JSON value, with the id as a number and all other fields unchanged. */
export function projectOf(value: unknown): UpstreamProject | undefined {
  const fields = Array.isArray(value) ? undefined : fieldsOf(value);
  const projectId = ProjectId.safeParse(fields?.['id']).data;
  return projectId === undefined ? undefined : { ...fields, id: projectId };
}
