import * as z from 'zod/mini';

/** The parts of an API Gateway REST proxy event (payload format 1.0) that Segue reads. */
const ProxyEvent = z.object({
  resource: z.string(),
  /** Still percent-encoded, unlike `pathParameters`: ids are read from here only, and decoded once. */
  path: z.string(),
  multiValueHeaders: z.nullable(z.record(z.string(), z.array(z.string()))),
  /** Decoded by the gateway. */
  multiValueQueryStringParameters: z.nullable(z.record(z.string(), z.array(z.string()))),
  body: z.nullable(z.string()),
  isBase64Encoded: z.boolean(),
  requestContext: z.object({
    requestId: z.string(),
    path: z.string(),
    domainName: z.optional(z.string()),
    requestTimeEpoch: z.number(),
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
