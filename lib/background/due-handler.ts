import { within } from '../service/deadline.ts';
import type { Key } from '../storage/port.ts';
import {
  type BackgroundContext,
  type BackgroundFunction,
  type BackgroundOptions,
  backgroundFunction,
  hasRecords,
  runDeadline,
} from './background-function.ts';
import type { DueWorker } from './due-worker.ts';
import { alertIfLate } from './late-stream.ts';
import { insertedIn, type StreamResult, streamResult } from './stream.ts';
import { reportOf, type WorkAlerts } from './work-alerts.ts';

/**
 * How long attempts at the entries of one event of a stream may go on, in milliseconds. The stream holds back its later
 * events meanwhile, which may be of other companies. A run from the schedule makes the attempts that are left.
 */
const STREAM_MS = 25_000;

/**
 * Makes the Lambda handler of a worker. An event of the DynamoDB stream names entries that were just added. Any other
 * event comes from the schedule, and starts a run over all due entries.
 * @param refAt returns the entry whose state has this key; `undefined` if the key is not that of a state
 * @param alerts the alerts of a run over all due entries
 */
export function dueHandler<Ref>(
  operation: string,
  { workOn, workOnDue }: DueWorker<Ref>,
  refAt: (key: Key) => Ref | undefined,
  alerts: WorkAlerts,
  options: BackgroundOptions,
): BackgroundFunction<StreamResult | undefined> {
  const run = backgroundFunction<StreamResult | undefined, BackgroundContext>(
    operation,
    async (event, context) => {
      const deadline = runDeadline(context, options, 'result');
      if (!hasRecords(event)) return { result: undefined, ...reportOf(await workOnDue(deadline), alerts) };
      const records = insertedIn(event).map((record) => ({ ...record, ref: refAt(record) }));
      const failed = await workOn(
        records.flatMap(({ ref }) => ref ?? []),
        within(STREAM_MS, deadline, options.now),
      );
      return { result: streamResult(records.filter(({ ref }) => failed.some((one) => one === ref))) };
    },
    options,
  );
  return alertIfLate(operation, 'stream-late', run, options);
}
