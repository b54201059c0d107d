import { IDEMPOTENCY_KEY } from '../contract/idempotency-key.ts';
import { Problem } from '../contract/problem.ts';
import { operationIdOf } from '../service/operation-id.ts';
import type { Idempotency } from '../service/port.ts';
import type { HttpRequest } from './request.ts';

/**
 * Reads `Idempotency-Key`: quoted (RFC 8941) or bare, which are the same key.
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
    const detail = 'Idempotency-Key takes 1 to 255 visible ASCII characters, quoted or bare, and is given once.';
    const errors = [{ pointer: '/headers/idempotency-key', code: 'invalid-header' as const, detail }];
    throw new Problem('invalid-header', { detail, errors });
  }
  return key;
}

/** What a request with a key asks of the service, and the headers that tell whether an earlier request was answered. */
export interface Once {
  readonly idempotency: Idempotency | undefined;
  readonly headers: Record<string, string>;
}

/**
 * Reads the key of a request.
 * @param newKey makes one for a request that has none
 */
export function onlyOnce(request: HttpRequest, newKey?: () => string): Once {
  const key = readIdempotencyKey(request) ?? newKey?.();
  const headers: Record<string, string> = {};
  const replayed = () => {
    headers['Idempotent-Replayed'] = 'true';
  };
  return { idempotency: key === undefined ? undefined : { key, replayed }, headers };
}

/** The same of a request that can be asked for: whatever leaves its outcome open from here on names its operation. */
export function asOperation(request: HttpRequest, newKey?: () => string): Once {
  const asked = onlyOnce(request, newKey);
  request.operationId = asked.idempotency && operationIdOf(asked.idempotency.key);
  return asked;
}
