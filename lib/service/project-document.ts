import { Project } from '../contract/project-answer.ts';
import { decodeText, type EncodedText, encodeObject } from './encoded-text.ts';

/**
 * A project as the service returns it. Only the id and the custom id are certain: an upstream service may leave out any
 * other field, or give it any JSON value.
 */
export interface ServiceProject {
  readonly id: number;
  readonly customId?: string | undefined;
  readonly targetLanguages?: unknown;
  readonly segments?: unknown;
  readonly [field: string]: unknown;
}

/**
 * A whole project as JSON text, compressed once for the store and for the wire. With 30,000 segments, compressing it
 * twice would cost more than the rest of the request.
 */
export interface ProjectDocument {
  readonly id: number;
  /** The number of segments; null if the upstream service does not show them. */
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
