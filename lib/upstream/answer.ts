import { parseExact } from '../contract/exact-json.ts';
import { parseJson } from './json.ts';
import { projectOf, type UpstreamProject } from './project.ts';
import type { Answer } from './transport.ts';

/** Reads a project; `undefined` if the answer is not an object with a usable id. */
export function readProject({ body }: Answer): UpstreamProject | undefined {
  return projectOf(parseJson(body, parseExact));
}

/**
 * Reads a list of projects, without their segments. An entry that cannot be read is left out, and hides no other.
 * @returns `undefined` if the answer is not a list
 */
export function readHeads({ body }: Answer): UpstreamProject[] | undefined {
  const entries = parseJson(body, parseExact);
  if (!Array.isArray(entries)) return undefined;
  return entries.flatMap((entry) => projectOf(entry) ?? []).map(({ segments: _, ...head }) => head);
}
