import type { Sent } from '../../lib/service/http-client/public-transport.ts';

/** What a receiver answers without a body. @param retryAfter the header `Retry-After` */
export function answered(status: number, retryAfter?: string): Sent & { kind: 'answered' } {
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return { kind: 'answered', status, headers, body: new Uint8Array() };
}
