import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { type Deadline, deadlineAt } from '../lib/service/deadline.ts';

/** The context of an invocation; callbacks are gone from Lambda since Node 24. */
export type LambdaContext = Omit<Context, 'done' | 'fail' | 'succeed'>;

export interface Invocation {
  readonly functionName: string;
  readonly now: () => number;
  readonly timeoutMs: number;
}

/** The function did not answer in time. */
export class InvocationTimeout extends Error {
  override readonly name = 'InvocationTimeout';
}

/**
 * Calls a function as Lambda would.
 * @throws {InvocationTimeout} when the time is over; else whatever the function throws
 */
export async function invoke<Event, Result>(
  handler: (event: Event, context: LambdaContext) => Promise<Result>,
  event: Event,
  { functionName, now, timeoutMs }: Invocation,
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new InvocationTimeout(functionName)), timeoutMs);
  try {
    return await Promise.race([handler(event, contextOf(functionName, deadlineAt(now() + timeoutMs, now))), promise]);
  } finally {
    clearTimeout(timer);
  }
}

function contextOf(functionName: string, deadline: Deadline): LambdaContext {
  return {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    memoryLimitInMB: '1024',
    getRemainingTimeInMillis: () => deadline.remainingMs(),
  };
}
