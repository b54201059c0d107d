import type * as z from 'zod/mini';
import { RETENTIONS } from '../../contract/retentions.ts';
import type { Tag } from './tags.ts';

/** The descriptions of response headers. */
export const HEADERS = {
  'X-Request-Id': 'The id of the request. The operator finds the request in the log by it.',
  Location: 'The URL of the created project, or of the operation.',
  Link: 'If there is more after a page: `<…>; rel="next"` with the URL of the next page.',
  'Retry-After': 'How many seconds to wait before the next request.',
  RateLimit:
    'No request is left (`r=0`); the next is allowed in `t` seconds. See draft-ietf-httpapi-ratelimit-headers-10.',
  'Idempotent-Replayed':
    '`true` if this is the result of an earlier request with the same key. This request did nothing.',
  'Preference-Applied': 'The preferences of `Prefer` that were applied.',
} as const;

export type HeaderName = keyof typeof HEADERS;

/** A link from an answer to another operation. It says where in the answer the other operation's parameters are. */
interface Link {
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A successful answer of an operation. */
export interface Answer {
  readonly status: number;
  readonly description: string;
  /** The schema of the answer's JSON. `null` for an answer without JSON. */
  readonly schema: z.core.$ZodType | null;
  /** What a request must have to get this answer. */
  readonly condition?: string;
  readonly example?: unknown;
  readonly headers?: readonly HeaderName[];
  /** The links, by the id of the other operation. */
  readonly links?: Readonly<Record<string, Link>>;
}

/**
 * The parts of an operation's description that are not in its route. Each operation has them in a function that only the
 * API description calls, so no bundle has these texts, schemas and examples.
 */
export interface OperationDocs {
  readonly tag: Tag;
  /** What a caller has to know before the first request, in one to four sentences. */
  readonly description: string;
  /** The description for agents, if it differs: a tool takes arguments in place of headers. */
  readonly forAgents?: string;
  /** Which scopes a caller needs, if the route alone does not say it. */
  readonly scopes?: string;
  /** What the operation does in front of an upstream service, which lacks it; by default, only the hosted service supports it. */
  readonly upstream?: string;
  readonly request?: { readonly schema: z.core.$ZodType; readonly example: unknown };
  /** The request headers that only this operation has. */
  readonly headers?: readonly object[];
  /** The successful answers, the usual one first. Several may have the same status. */
  readonly answers: readonly Answer[];
  /** What `getOperation` shows of a request that took effect: a field of its answer, with the schema. */
  readonly result?: Readonly<Record<string, z.core.$ZodType>>;
  /**
   * The schemas that have a name in the API description since this operation, by their names. Every other schema is
   * written in full at each use.
   */
  readonly schemas?: Readonly<Record<string, z.core.$ZodType>>;
  /**
   * The types of these schemas in the client: the name, if it is another; `null` if no method of the client takes or
   * returns the type.
   */
  readonly clientTypes?: Readonly<Record<string, string | null>>;
}

/** The request header of every operation that accepts an idempotency key: 1 to 255 visible ASCII characters, bare or as a string of RFC 8941. */
export const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: `A request that is repeated with its key takes effect only once. The repetition returns the result as it stands now, such as the project in its current state. A key is kept for ${RETENTIONS.idempotencyKey.days} days. It has 1 to 255 visible ASCII characters, bare or quoted.`,
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: 512,
    pattern: '^(?:[\\x21\\x23-\\x7e]{1,255}|"(?:[\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\]){1,255}")$',
  },
  example: '3f1c9f0e-order-4711',
} as const;

/** Returns the request header `Prefer` of an operation. */
export function prefer(preference: string, description: string): object {
  return { name: 'Prefer', in: 'header', description, schema: { type: 'string' }, example: preference };
}

/** Returns the request header `If-Match` of an operation whose plan a client can request. */
export function planHeader(description: string, plan: string): object {
  return {
    name: 'If-Match',
    in: 'header',
    description,
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$', maxLength: 256 },
    example: `"${plan}"`,
  };
}

/** The headers of an answer that an idempotency key or a preference may change. */
export const REPLAYED = ['Idempotent-Replayed', 'Preference-Applied'] as const;

/** The parts of an answer whose operation still runs: its headers, and the link to the operation. */
export const RUNNING = {
  headers: ['Location', 'Retry-After', ...REPLAYED],
  links: {
    getOperation: {
      description: 'Gets the state of the operation.',
      parameters: { operationId: '$response.body#/operationId' },
    },
  },
} as const satisfies Partial<Answer>;
