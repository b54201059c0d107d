import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { deadlineAt } from '../lib/service/deadline.ts';

/** The context of an invocation; Lambda has no callbacks since Node 24. */
export type LambdaContext = Omit<Context, 'done' | 'fail' | 'succeed'>;
export type LambdaHandler<Event> = (event: Event, context: LambdaContext) => Promise<unknown>;

export interface Invocation {
  readonly functionName: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly timeoutMs: number;
}

/** The function did not return in time. */
export class InvocationTimeout extends Error {
  override readonly name = 'InvocationTimeout';
}

/**
 * Calls a function as Lambda does.
 * @throws {InvocationTimeout} when its time is over; else whatever the function throws
 */
export async function invoke<Event>(
  handler: LambdaHandler<Event>,
  event: Event,
  { functionName, now, timeoutMs }: Invocation,
): Promise<unknown> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new InvocationTimeout(functionName)), timeoutMs);
  const deadline = deadlineAt(now() + timeoutMs, now);
  const context: LambdaContext = {
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
  try {
    return await Promise.race([handler(event, context), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}
