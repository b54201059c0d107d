import { invalidIdempotencyKey } from '../contract/failures.ts';
import { IDEMPOTENCY_KEY } from '../contract/fields.ts';
import { type Idempotency, operationIdOf } from '../service/port.ts';
import type { HttpRequest } from './request.ts';

/**
 * Reads the header `Idempotency-Key`. A quoted value (RFC 8941) and the bare value are equal keys.
 * @throws {Problem} `invalid-header`
 */
function readIdempotencyKey({ headerValues }: HttpRequest): string | undefined {
  const values = headerValues('idempotency-key');
  if (values.length === 0) return undefined;
  const [value = ''] = values;
  const [, quoted] = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value) ?? [];
  const key = quoted?.replace(/\\(["\\])/g, '$1') ?? value;
  const isBroken = quoted === undefined && value.includes('"');
  if (values.length > 1 || isBroken || !IDEMPOTENCY_KEY.test(key)) {
    throw invalidIdempotencyKey();
  }
  return key;
}

/** The idempotency key of a request, and the headers that depend on it. */
interface RequestIdempotency {
  /** `undefined` if the request has no key. */
  readonly idempotency: Idempotency | undefined;
  /** The headers to add to the result. A replay adds `Idempotent-Replayed`. */
  readonly headers: Record<string, string>;
}

/**
 * Reads the idempotency key of a request.
 * @param newKey makes a key if the request has no header `Idempotency-Key`; without `newKey`, such a request has no key
 * @throws {Problem} `invalid-header`
 */
export function readIdempotency(request: HttpRequest, newKey?: () => string): RequestIdempotency {
  const key = readIdempotencyKey(request) ?? newKey?.();
  const headers: Record<string, string> = {};
  const replayed = () => {
    headers['Idempotent-Replayed'] = 'true';
  };
  return { idempotency: key === undefined ? undefined : { key, replayed }, headers };
}

/**
 * Reads the idempotency key of a request that changes something, and sets `operationId` of the request. If the request ends with
 * the problem `outcome-unknown`, the problem contains this id.
 * @param newKey makes a key if the request has no header `Idempotency-Key`; without `newKey`, such a request has no key
 * @throws {Problem} `invalid-header`
 */
export function readOperationIdempotency(request: HttpRequest, newKey?: () => string): RequestIdempotency {
  const read = readIdempotency(request, newKey);
  request.operationId = read.idempotency && operationIdOf(read.idempotency.key);
  return read;
}
