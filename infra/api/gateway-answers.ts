import { TRANSPORT_SECURITY } from '../../lib/contract/gateway-responses.ts';
import { PROBLEMS_PATH } from '../../lib/contract/paths.ts';
import { type Occurrence, problemBody, problemHeaders } from '../../lib/contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../../lib/contract/problems.ts';
import type { CustomDomain } from '../options.ts';

/** A response that API Gateway sends without calling a Lambda function. */
export interface GatewayAnswer {
  readonly statusCode: string;
  /** The headers by name. A value is quoted text, or a context variable of API Gateway. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, as a mapping template. API Gateway uses the template of `application/json` if no other type fits. */
  readonly templates: Readonly<Record<'application/json', string>>;
}

/**
 * Returns the API's base URL for mapping templates of API Gateway. Without a custom domain, the URL contains variables
 * that API Gateway replaces. With one, it is fixed text, because a template cannot read the domain's base path.
 */
export function publicUrl(domain?: Pick<CustomDomain, 'name' | 'basePath'>): string {
  if (!domain) return 'https://$context.domainName/$context.stage';
  return domain.basePath === undefined ? `https://${domain.name}` : `https://${domain.name}/${domain.basePath}`;
}

/** The context variable with the id of a request. A client can choose `requestId`, by the header `X-Amzn-RequestId`. */
export const REQUEST_ID = 'extendedRequestId';

/** Converts a problem to a response of API Gateway. */
export function gatewayAnswer(type: ProblemType, occurrence: Occurrence, baseUrl: string): GatewayAnswer {
  const body = problemBody(type, occurrence, baseUrl + PROBLEMS_PATH, `$context.${REQUEST_ID}`);
  const headers = Object.entries({ ...TRANSPORT_SECURITY, ...problemHeaders(type, occurrence) });
  return {
    statusCode: String(PROBLEMS[type].status),
    headers: {
      'X-Request-Id': `context.${REQUEST_ID}`,
      ...Object.fromEntries(headers.map(([name, value]) => [name, `'${value}'`])),
    },
    templates: { 'application/json': JSON.stringify(body) },
  };
}
