import * as z from 'zod/mini';
import { hasInexactNumbers, parseExact } from '../contract/exact-json.ts';
import { hostedPresence, namesWhere, PROJECT_HEAD } from '../contract/project-fields.ts';
import { encodeText, GZIP_FROM_BYTES } from '../service/encoded-text.ts';
import type { ServiceProject } from '../service/project-document.ts';
import { MAX_PACKED_LENGTH, PackedText, packText, unpackText } from './packed-text.ts';

const Head = z.looseObject({ id: z.int(), customId: z.optional(z.string()) });

/**
 * The fields of an item that contain the head of a project: the project without its segments. Lists read these items,
 * and DynamoDB charges by their size. So a large head is compressed, which makes it 5 to 15 times smaller.
 */
export const HEAD_FIELDS = {
  /** A small head. */
  head: z.optional(Head),
  /** A large head, or a head with numbers that `JSON.parse` changes. */
  packedHead: z.optional(PackedText),
  /** The length of a large head that only the payload has, in bytes of JSON. */
  headLength: z.optional(z.int()),
  /** Of such a head, the dates by which lists select: of the creation, and of the end. */
  headDates: z.optional(z.object({ creationDateUtc: z.string(), endDateUtc: z.string() })),
};

export type HeadFields = z.infer<z.ZodMiniObject<typeof HEAD_FIELDS>>;

/** The fields that lists always show, even if the upstream service leaves them out. */
const ALWAYS_LISTED = /* @__PURE__ */ namesWhere(PROJECT_HEAD, (field) => hostedPresence(field) !== 'sometimes');

/**
 * Returns the head of a project, as lists show it. Fields of `ALWAYS_LISTED` that the service leaves out become null.
 */
export function headOf({ segments: _, ...head }: ServiceProject): ServiceProject {
  const absent = ALWAYS_LISTED.filter((name) => !Object.hasOwn(head, name));
  return { ...head, ...Object.fromEntries(absent.map((name) => [name, null])) };
}

/**
 * Makes the item fields that contain the head of a project.
 * @param maxLength the maximum length of a packed head, in base64. The item of a larger head has only its length
 */
export async function packHead(project: ServiceProject, maxLength = MAX_PACKED_LENGTH): Promise<HeadFields> {
  const head = headOf(project);
  const text = await encodeText(JSON.stringify(head));
  // The store reads items with `JSON.parse`, which would change inexact numbers. In a packed head they stay as they
  // are.
  if (text.encoding === 'identity' && !hasInexactNumbers(head)) return { head };
  const packedHead = packText(text, maxLength);
  return packedHead ? { packedHead } : { headLength: text.length, ...datesOf(head) };
}

/** Makes the item fields for the head of a project that only the payload has. */
export function lengthOfHead(project: ServiceProject): HeadFields {
  const head = headOf(project);
  const length = Buffer.byteLength(JSON.stringify(head));
  return length < GZIP_FROM_BYTES ? {} : { headLength: length, ...datesOf(head) };
}

function datesOf({ creationDateUtc, endDateUtc }: ServiceProject): HeadFields {
  const isKnown = typeof creationDateUtc === 'string' && typeof endDateUtc === 'string';
  return isKnown ? { headDates: { creationDateUtc, endDateUtc } } : {};
}

/** Removes the fields of a head from the fields of an item, so that those of another head can take their place. */
export function withoutHead<T extends HeadFields>(fields: T) {
  const { head: _, packedHead: __, headLength: ___, headDates: ____, ...others } = fields;
  return others;
}

/** Reads the head of a project from the fields of its item; `undefined` if only the payload has it. */
export function unpackHead({ head, packedHead }: HeadFields): ServiceProject | undefined {
  return packedHead ? Head.parse(parseExact(unpackText(packedHead))) : head;
}

/** Returns the length of a head from the fields of its item, in bytes of JSON. */
export function headSize({ packedHead, headLength }: HeadFields): number {
  return headLength ?? packedHead?.length ?? GZIP_FROM_BYTES;
}
