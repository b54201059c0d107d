import { Project } from '../contract/project-answer.ts';
import { decodeText, type EncodedText, encodeObject } from './encoded-text.ts';

/**
 * A project as the service gives it to its owner. Only the id and the custom id are certain; in front of another service
 * every other field may be absent or hold any JSON value.
 */
export interface ServiceProject {
  readonly id: number;
  readonly customId?: string | undefined;
  readonly targetLanguages?: unknown;
  readonly segments?: unknown;
  readonly [field: string]: unknown;
}

/**
 * A whole project as its JSON text, encoded once for the store and for the wire: at 30,000 segments,
 * compressing it a second time would cost more than everything else together.
 */
export interface ProjectDocument {
  readonly id: number;
  /** How many it has; null if another service does not show them. */
  readonly segments: number | null;
  readonly targetLanguages: number | null;
  readonly json: EncodedText;
}

/** Makes the document of a project. Its segments come last. */
export async function documentOf({ segments, ...head }: ServiceProject): Promise<ProjectDocument> {
  return {
    id: head.id,
    segments: countOf(segments),
    targetLanguages: countOf(head.targetLanguages),
    json: await encodeObject({ ...head, segments }),
  };
}

/** Counts the entries of a list; null if it is not a list. */
export function countOf(list: unknown): number | null {
  return Array.isArray(list) ? list.length : null;
}

/** Parses the JSON of a document. */
export function valueIn({ json }: ProjectDocument): unknown {
  return JSON.parse(Buffer.from(decodeText(json)).toString());
}

/** Parses a document of the hosted service, which always holds a whole project. */
export function projectIn(document: ProjectDocument): Project {
  const value = valueIn(document);
  if (!isProject(value)) throw new TypeError('The document does not hold a project');
  return value;
}

/** Checks the schema but keeps the value: the schema's own output has its fields in another order. */
function isProject(value: unknown): value is Project {
  return Project.safeParse(value).success;
}
