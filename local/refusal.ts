import {
  GATEWAY_RESPONSES,
  type GatewayResponse,
  type GatewayResponseType,
} from '../lib/contract/gateway-responses.ts';
import { methodNotAllowed, type Occurrence, problemBody, problemHeaders } from '../lib/contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../lib/contract/problems.ts';
import type { Answer } from './answer.ts';

/** The gateway answers in place of a function. Its name is the name API Gateway gives the response. */
export class Refusal extends Error {
  override readonly name: GatewayResponseType;
  /** Replaces the detail of the gateway response. */
  readonly detail: string | undefined;

  constructor(name: GatewayResponseType, { detail, ...options }: ErrorOptions & { readonly detail?: string } = {}) {
    super(name, options);
    this.name = name;
    this.detail = detail;
  }
}

/** What every answer of the gateway itself says about the request. */
export interface Asked {
  readonly requestId: string;
  /** Scheme, host and port the client used, without a slash at the end. */
  readonly baseUrl: string;
}

const RESPONSES = new Map<GatewayResponseType, GatewayResponse>(GATEWAY_RESPONSES.map((entry) => [entry.type, entry]));

/** The answer of a gateway response of the contract. */
export function refuse(type: GatewayResponseType, asked: Asked, detail?: string): Answer {
  const response = RESPONSES.get(type);
  if (!response) throw new RangeError(`There is no gateway response ${type}`);
  return problemAnswer(response.problem, detail === undefined ? response : { ...response, detail }, asked);
}

/** The answer of the stack's ANY method: the path is known, the method is not. */
export function refuseMethod(allow: readonly string[], asked: Asked): Answer {
  return problemAnswer('method-not-allowed', methodNotAllowed(allow), asked);
}

/** The answer to bytes that are no HTTP request. */
export function refuseSyntax(asked: Asked): Answer {
  const detail = 'The request is not well-formed HTTP, too slow, or its headers are too large.';
  return problemAnswer('invalid-header', { detail }, asked);
}

function problemAnswer(type: ProblemType, occurrence: Occurrence, { requestId, baseUrl }: Asked): Answer {
  const body = problemBody(type, occurrence, `${baseUrl}/problems`, requestId);
  return {
    status: PROBLEMS[type].status,
    headers: { 'X-Request-Id': requestId, ...problemHeaders(occurrence) },
    body: Buffer.from(JSON.stringify(body)),
  };
}
