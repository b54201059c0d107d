import { setTimeout } from 'node:timers/promises';
import {
  DescribeExecutionCommand,
  type DescribeExecutionOutput,
  DescribeMapRunCommand,
  type DescribeMapRunOutput,
  ListMapRunsCommand,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import type { Far } from './progress.ts';

/** An execution that has ended, and the map run that it got to, if it did. */
export interface Ended {
  readonly execution: DescribeExecutionOutput;
  readonly mapRun: DescribeMapRunOutput | undefined;
}

export interface FollowOptions {
  /** Once it is aborted, the execution is stopped. */
  readonly stop: AbortSignal;
  readonly show: (far: Far) => void;
}

const LOOKED_EVERY_MS = 1_000;

/** Has a state machine do something, and looks at it until it has ended. */
export async function followed(
  client: SFNClient,
  started: { readonly stateMachineArn: string; readonly name: string; readonly input: string },
  { stop, show }: FollowOptions,
): Promise<Ended> {
  const { executionArn = '' } = await client.send(new StartExecutionCommand(started));
  let isStopped = false;
  for (;;) {
    const execution = await client.send(new DescribeExecutionCommand({ executionArn }));
    const mapRun = await mapRunOf(client, executionArn);
    if (mapRun) show(farIn(mapRun));
    if (execution.status !== 'RUNNING' && execution.status !== 'PENDING_REDRIVE') return { execution, mapRun };
    if (stop.aborted && !isStopped) {
      isStopped = true;
      await client.send(new StopExecutionCommand({ executionArn }));
    }
    await setTimeout(LOOKED_EVERY_MS, undefined, isStopped ? {} : { signal: stop }).catch(() => {});
  }
}

async function mapRunOf(client: SFNClient, executionArn: string): Promise<DescribeMapRunOutput | undefined> {
  const { mapRuns = [] } = await client.send(new ListMapRunsCommand({ executionArn }));
  const mapRunArn = mapRuns[0]?.mapRunArn;
  return mapRunArn === undefined ? undefined : client.send(new DescribeMapRunCommand({ mapRunArn }));
}

function farIn(mapRun: DescribeMapRunOutput): Far {
  const { succeeded = 0 } = mapRun.itemCounts ?? {};
  const failed = failedIn(mapRun);
  return { ended: succeeded + failed, failed };
}

/** How many lines failed, by whatever name. */
export function failedIn({ itemCounts }: DescribeMapRunOutput): number {
  const { failed = 0, timedOut = 0, aborted = 0 } = itemCounts ?? {};
  return failed + timedOut + aborted;
}
