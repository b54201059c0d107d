import * as z from 'zod/mini';

/**
 * Lists of texts by name. Not `z.record`, which leaves out the name `__proto__`: a parameter that disappears on the way
 * turns the deletion of a task into that of a project.
 */
const Lists = z.nullable(z.custom<Readonly<Record<string, readonly string[]>>>(isLists));

function isLists(value: unknown): boolean {
  const isList = (list: unknown) => Array.isArray(list) && list.every((text) => typeof text === 'string');
  return typeof value === 'object' && value !== null && Object.values(value).every(isList);
}

/** The parts of an API Gateway REST proxy event (payload format 1.0) that Segue reads. */
const ProxyEvent = z.object({
  resource: z.string(),
  /** Still percent-encoded, unlike `pathParameters`: ids are read from here only, and decoded once. */
  path: z.string(),
  multiValueHeaders: Lists,
  /** Decoded by the gateway. */
  multiValueQueryStringParameters: Lists,
  body: z.nullable(z.string()),
  isBase64Encoded: z.boolean(),
  requestContext: z.object({
    requestId: z.string(),
    path: z.string(),
    domainName: z.optional(z.string()),
    identity: z.optional(z.object({ sourceIp: z.optional(z.string()) })),
    authorizer: z.nullish(z.record(z.string(), z.unknown())),
  }),
});
export type ProxyEvent = z.infer<typeof ProxyEvent>;

/** Reads a proxy event. @throws where it is none, which only a wrong integration brings about */
export function readProxyEvent(event: unknown): ProxyEvent {
  return ProxyEvent.parse(event);
}

/** What a function answers to API Gateway. */
export interface ProxyResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}
