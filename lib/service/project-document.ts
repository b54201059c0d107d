import { decodeText, type EncodedText, encodeObject } from './encoded-text.ts';

/**
 * A project as the service returns it. Only `id` and `customId` have a guaranteed type. An upstream service may leave
 * out any other field, or give it any JSON value.
 */
export interface ServiceProject {
  readonly id: number;
  readonly customId?: string | undefined;
  readonly targetLanguages?: unknown;
  readonly segments?: unknown;
  readonly [field: string]: unknown;
}

/**
 * A whole project as JSON text. The text is compressed once, and both the store and the answer use it. Compressing a
 * project with 30,000 segments twice would cost more than the rest of the request.
 */
export interface ProjectDocument {
  readonly id: number;
  /** The number of segments; null if the upstream service does not show them. */
  readonly segments: number | null;
  /** The number of target languages; null if the upstream service does not show them. */
  readonly targetLanguages: number | null;
  readonly json: EncodedText;
}

/** Makes the document of a project. The segments are the last field of its JSON. */
export async function documentOf({ segments, ...head }: ServiceProject): Promise<ProjectDocument> {
  return {
    id: head.id,
    segments: lengthOf(segments),
    targetLanguages: lengthOf(head.targetLanguages),
    json: await encodeObject({ ...head, segments }),
  };
}

/** Returns the number of entries of a list; null if the value is not a list. */
export function lengthOf(list: unknown): number | null {
  return Array.isArray(list) ? list.length : null;
}

/** Parses the JSON of a document. */
export function valueIn({ json }: ProjectDocument): unknown {
  return JSON.parse(Buffer.from(decodeText(json)).toString());
}
