import * as z from 'zod/mini';
import { BatchGet } from './requests.ts';
import { Refusal } from './wire.ts';

/**
 * The result of a call.
 * @param answer carries the request out, and returns the table's answer
 */
export type Fault = (request: unknown, answer: (request: unknown) => unknown) => unknown;

/** Returns a fault in which DynamoDB refuses the request and does nothing. */
export function refused(name: string): Fault {
  return () => {
    throw new Refusal(name);
  };
}

/** Returns a fault in which DynamoDB fails, before or after the effect of the call. */
export function failed(when: 'before' | 'after'): Fault {
  return (request, answer) => {
    if (when === 'after') answer(request);
    throw new Refusal('InternalServerError', { status: 500 });
  };
}

/**
 * Returns a fault in which no answer comes, before or after the effect of the call.
 * @param how the error that the client gets
 */
export function broken(
  when: 'before' | 'after',
  how: { code?: string; name?: string } = { code: 'ECONNRESET' },
): Fault {
  return (request, answer) => {
    if (when === 'after') answer(request);
    throw Object.assign(new Error('No answer'), how);
  };
}

/** Returns a fault in which a transaction is cancelled for a reason other than its conditions. */
export function cancelled(...codes: readonly string[]): Fault {
  return () => {
    throw new Refusal('TransactionCanceledException', { reasons: codes.map((Code) => ({ Code })) });
  };
}

/** Of several keys, only the first is read now. */
export const unprocessed: Fault = (request, answer) => {
  const [first, rest] = split(request);
  return { Responses: responsesOf(answer(first)), UnprocessedKeys: rest.RequestItems };
};

/** Returns a fault in which some work happens between the read of the first key and that of the others. */
export function torn(between: () => Promise<unknown>): Fault {
  return async (request, answer) => {
    const [first, rest] = split(request);
    const one = responsesOf(answer(first));
    await between();
    const other = responsesOf(answer(rest));
    const both = Object.entries(one).map(([table, items]) => [table, [...items, ...(other[table] ?? [])]]);
    return { Responses: Object.fromEntries(both), UnprocessedKeys: {} };
  };
}

const BatchAnswer = z.object({ Responses: z.record(z.string(), z.array(z.unknown())) });

function responsesOf(answer: unknown) {
  return BatchAnswer.parse(answer).Responses;
}

/** Splits a request for several keys into one for the first key and one for the others. */
function split(request: unknown): [BatchGet, BatchGet] {
  const tables = Object.entries(BatchGet.parse(request).RequestItems);
  const part = (from: number, to?: number): BatchGet => ({
    RequestItems: Object.fromEntries(
      tables.map(([name, { Keys, ...options }]) => [name, { ...options, Keys: Keys.slice(from, to) }]),
    ),
  });
  return [part(0, 1), part(1)];
}
