import { createHash } from 'node:crypto';

/*
 * Traces in the form of the W3C recommendation Trace Context. A trace joins the log lines of a request with those of the
 * work that it starts in the background. Segue never leaves a trace out, and needs no service for it.
 */

/** Version 00 has nothing after the flags. A later version may. */
const TRACEPARENT =
  /^(?:00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}|(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?)$/;
const ZEROS = /^0+$/;

/** Returns the trace id of a `traceparent` header; `undefined` if the header is ill-formed. */
export function readTraceparent(header: string | undefined): string | undefined {
  const [, traceId = '', parentId = '', laterTraceId = traceId, laterParentId = parentId] =
    TRACEPARENT.exec(header ?? '') ?? [];
  return ZEROS.test(laterTraceId) || ZEROS.test(laterParentId) || laterTraceId === '' ? undefined : laterTraceId;
}

const UUID = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/;
const UUID_LENGTH = 36;

/**
 * Returns the trace that a request or a workflow execution starts. If the id ends with a UUID, the trace id consists of
 * its digits, so that an operator recognises it. Otherwise it is a hash.
 * @param id the id of a request, or the ARN of an execution
 */
export function traceFrom(id: string): string {
  const uuid = UUID.exec(id.slice(-UUID_LENGTH))?.slice(1).join('');
  return uuid !== undefined && !ZEROS.test(uuid) ? uuid : hexOf(id, 32);
}

/** Returns the `traceparent` header of a message that a request sends on. */
export function traceparentOf(traceId: string, requestId: string): string {
  // The message's parent is the request. The flag says that the request has log lines.
  return `00-${traceId}-${hexOf(`${traceId} ${requestId}`, 16)}-01`;
}

function hexOf(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
