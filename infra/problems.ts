import { type Occurrence, problemBody, problemHeaders } from '../lib/contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../lib/contract/problems.ts';

/** An answer that API Gateway gives by itself, in its own terms. */
export interface GatewayAnswer {
  readonly statusCode: string;
  /** By name; a value is quoted text, or the name of a variable of the request's context. */
  readonly headers: Readonly<Record<string, string>>;
  /** By the media type under which API Gateway looks for a template where none fits better. */
  readonly templates: Readonly<Record<'application/json', string>>;
}

/** The problem as API Gateway has to say it: the catalogue's words, with the request's own put in by its template. */
export function gatewayAnswer(type: ProblemType, occurrence: Occurrence): GatewayAnswer {
  const body = problemBody(
    type,
    occurrence,
    'https://$context.domainName/$context.stage/problems',
    '$context.requestId',
  );
  const text = Object.entries(problemHeaders(occurrence));
  return {
    statusCode: String(PROBLEMS[type].status),
    headers: {
      'X-Request-Id': 'context.requestId',
      ...Object.fromEntries(text.map(([name, value]) => [name, `'${value}'`])),
    },
    templates: { 'application/json': JSON.stringify(body) },
  };
}
