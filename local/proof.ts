import type { APIGatewayProxyEvent } from 'aws-lambda';
import { parseJson } from '../lib/contract/json.ts';
import { Problem } from '../lib/contract/problem.ts';
import { RefreshRequest, TokenRequest } from '../lib/contract/token.ts';
import { readBasic } from '../lib/credentials/basic.ts';

/** What a request sends to prove who its sender is, not yet checked. */
export interface Proof {
  /** The company and its key, the same in whatever form they are sent; `undefined` where they cannot be read. */
  readonly proof: string | undefined;
  /** Whether a signature proves it, before anything is read from the store. */
  readonly isSigned: boolean;
}

const SIGNED: Proof = { proof: undefined, isSigned: true };
const BEARER = /^bearer +([\w.~+/-]+=*) *$/i;
const SIGNED_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Reads a value of `Authorization`. */
export function proofInHeader(authorization: string): Proof {
  const [, token] = BEARER.exec(authorization) ?? [];
  if (token !== undefined) return SIGNED_TOKEN.test(token) ? SIGNED : proofOf('', token);
  const basic = readBasic(authorization);
  return basic ? proofOf(basic.companyId, basic.apiKey) : { proof: undefined, isSigned: false };
}

/**
 * Reads a sign-in: its body where there is one, else its header.
 * @param authorization every value of `Authorization`
 * @returns `undefined` if it has neither a key nor a token
 */
export function proofInSignIn(event: APIGatewayProxyEvent, authorization: readonly string[]): Proof | undefined {
  if (event.body) {
    const read = TokenRequest.safeParse(jsonOf(event.body));
    return read.success ? proofOf(read.data.username, read.data.password) : undefined;
  }
  // Of several values the operation makes one.
  const header = authorization.join(',');
  return header === '' ? undefined : proofInHeader(header);
}

/** Reads a refresh. @returns `undefined` if it has no token */
export function proofInRefresh(event: APIGatewayProxyEvent): Proof | undefined {
  return RefreshRequest.safeParse(jsonOf(event.body ?? '')).success ? SIGNED : undefined;
}

function proofOf(companyId: string, apiKey: string): Proof {
  return { proof: JSON.stringify([companyId, apiKey]), isSigned: false };
}

/** @returns `undefined` for what is no JSON, which the operation refuses before it checks anything */
function jsonOf(base64: string): unknown {
  try {
    return parseJson(Buffer.from(base64, 'base64'));
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
