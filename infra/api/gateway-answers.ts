import { TRANSPORT_SECURITY } from '../../lib/contract/gateway-responses.ts';
import { type Occurrence, problemBody, problemHeaders } from '../../lib/contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../../lib/contract/problems.ts';

/** An answer that API Gateway gives by itself, in its own terms. */
export interface GatewayAnswer {
  readonly statusCode: string;
  /** By name; a value is quoted text, or the name of a variable of the request's context. */
  readonly headers: Readonly<Record<string, string>>;
  /** By the media type under which API Gateway looks for a template where none fits better. */
  readonly templates: Readonly<Record<'application/json', string>>;
}

/**
 * Where the API's callers find it, as a template says it. API Gateway does not tell a template what a domain's base path
 * is: behind a domain of one's own, the place is fixed, and the API answers nowhere else.
 */
export function publicUrl(domain?: { readonly name: string; readonly basePath?: string }): string {
  if (!domain) return 'https://$context.domainName/$context.stage';
  return domain.basePath === undefined ? `https://${domain.name}` : `https://${domain.name}/${domain.basePath}`;
}

/** The problem as API Gateway has to say it: the catalogue's words, with the request's own put in by its template. */
export function gatewayAnswer(type: ProblemType, occurrence: Occurrence, baseUrl: string): GatewayAnswer {
  const body = problemBody(type, occurrence, `${baseUrl}/problems`, '$context.requestId');
  const text = Object.entries({ ...TRANSPORT_SECURITY, ...problemHeaders(occurrence) });
  return {
    statusCode: String(PROBLEMS[type].status),
    headers: {
      'X-Request-Id': 'context.requestId',
      ...Object.fromEntries(text.map(([name, value]) => [name, `'${value}'`])),
    },
    templates: { 'application/json': JSON.stringify(body) },
  };
}
