import { IDEMPOTENCY_KEY } from '../contract/fields.ts';
import { Problem } from '../contract/problem.ts';
import { type Idempotency, operationIdOf } from '../service/port.ts';
import type { HttpRequest } from './request.ts';

/**
 * Reads `Idempotency-Key`. Quoted (RFC 8941) and bare, it is the same key.
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
    const detail =
      'Idempotency-Key must be 1 to 255 visible ASCII characters, quoted or bare, and must not be repeated.';
    const errors = [{ pointer: '/headers/idempotency-key', code: 'invalid-header' as const, detail }];
    throw new Problem('invalid-header', { detail, errors });
  }
  return key;
}

/** The idempotency of a request, and the headers that its result gets: they say whether it is a replay. */
interface RequestIdempotency {
  readonly idempotency: Idempotency | undefined;
  readonly headers: Record<string, string>;
}

/**
 * Reads the idempotency key of a request.
 * @param newKey makes a key for a request without one
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

/** Does the same for a request that is an operation: from here on, a problem with an unknown outcome names the operation. */
export function readOperationIdempotency(request: HttpRequest, newKey?: () => string): RequestIdempotency {
  const read = readIdempotency(request, newKey);
  request.operationId = read.idempotency && operationIdOf(read.idempotency.key);
  return read;
}
