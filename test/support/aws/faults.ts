import * as z from 'zod/mini';
import { BatchGet } from './requests.ts';
import { Refusal } from './wire.ts';

/** What a call comes to. @param answer what the table does with a request, and says of it */
export type Fault = (request: unknown, answer: (request: unknown) => unknown) => unknown;

/** DynamoDB says that it did not do it. */
export function refused(name: string): Fault {
  return () => {
    throw new Refusal(name);
  };
}

/** Something fails in DynamoDB, before the call or after it has had its effect. */
export function failed(when: 'before' | 'after'): Fault {
  return (request, answer) => {
    if (when === 'after') answer(request);
    throw new Refusal('InternalServerError', { status: 500 });
  };
}

/** No answer comes, before the call or after it has had its effect. @param how the error that the client gets */
export function broken(
  when: 'before' | 'after',
  how: { code?: string; name?: string } = { code: 'ECONNRESET' },
): Fault {
  return (request, answer) => {
    if (when === 'after') answer(request);
    throw Object.assign(new Error('No answer'), how);
  };
}

/** A transaction is cancelled for a reason that has nothing to do with its conditions. */
export function cancelled(...codes: readonly string[]): Fault {
  return () => {
    throw new Refusal('TransactionCanceledException', { reasons: codes.map((Code) => ({ Code })) });
  };
}

/** Of several keys only the first is read now. */
export const unprocessed: Fault = (request, answer) => {
  const [first, rest] = split(request);
  return { Responses: responsesOf(answer(first)), UnprocessedKeys: rest.RequestItems };
};

/** Between the reads of the first key and the others something happens. */
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

/** A request for several keys as one for the first and one for the others. */
function split(request: unknown): [BatchGet, BatchGet] {
  const tables = Object.entries(BatchGet.parse(request).RequestItems);
  const part = (from: number, to?: number): BatchGet => ({
    RequestItems: Object.fromEntries(
      tables.map(([name, { Keys, ...options }]) => [name, { ...options, Keys: Keys.slice(from, to) }]),
    ),
  });
  return [part(0, 1), part(1)];
}
