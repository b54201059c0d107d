import * as z from 'zod/mini';
import { instant, taskId, text } from '../../contract/fields.ts';
import { NAMED, NAMED_RULE, refOf } from '../../service/command.ts';
import type { ProjectReads } from '../../service/port.ts';
import { type ProgressOutput, progressOutput } from '../get-progress-task.ts';
import { STATE_FIELDS, type TaskHandler, type TaskOptions, task } from '../task-handler.ts';
import { isFulfilled, WAIT_CONDITION } from './wait-condition.ts';
import { WAIT_ENDS, WaitEnd } from './wait-end.ts';
import type { Waits } from './waits.ts';

/** The longest wait, in seconds: 30 days. */
const MAX_WAIT_SECONDS = 2_592_000;

/** The schema of the input. Without a task token, the task looks at the project once. */
const WaitCommand = z
  .strictObject({
    ...STATE_FIELDS,
    ...NAMED,
    ...WAIT_CONDITION,
    taskId: z.optional(taskId()),
    /** `$$.Task.Token`. It must reach no log. */
    taskToken: z.optional(text(2_048)),
    /** When the wait began: `$$.State.EnteredTime` of a state before; now unless given. */
    since: z.optional(instant()),
    /** How long the wait may take from then on; 7 days unless given. */
    timeoutSeconds: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_WAIT_SECONDS))),
  })
  .check(NAMED_RULE);

const DEFAULT_SECONDS = 604_800;

/** The output of a wait: the progress, if it is over; otherwise, the wait goes on until the token is reported. */
type WaitOutput = ProgressOutput | { readonly registered: true };

export interface WaitTaskOptions extends TaskOptions {
  readonly waits: Waits;
}

/**
 * Makes the handler of the workflow task that waits for a project. With a task token, it registers the wait, and a worker
 * reports the token. Without one, it returns the progress if the project is in the wished state, and fails with a
 * `WaitEnd` otherwise.
 */
export function waitForProjectTask(service: ProjectReads, options: WaitTaskOptions): TaskHandler<WaitOutput> {
  const { waits } = options;
  const handler = task(
    'waitForProjectTask',
    WaitCommand,
    async (command, call, nowMs): Promise<WaitOutput | keyof typeof WAIT_ENDS> => {
      const { companyId, taskToken: token, since, timeoutSeconds = DEFAULT_SECONDS, execution } = command;
      const startedAtMs = since === undefined ? nowMs : Math.min(Date.parse(since), nowMs);
      const endsAtMs = startedAtMs + timeoutSeconds * 1_000;
      const { projectId, customId, taskId: ofTask, languages, progress } = command;
      const wished = { projectId, customId, taskId: ofTask, languages, progress };
      const found = await service.progress(refOf(command), ofTask, call);
      // It also refuses a language that the project does not have, before the wait is registered.
      const isDone = isFulfilled(wished, found);
      if (token === undefined && isDone) return progressOutput(found);
      if (nowMs >= endsAtMs) return 'timedOut';
      if (token === undefined) return 'waiting';
      // If the project is in the wished state already, the worker reports the token at once.
      const record = { ...wished, token, executionId: execution?.id, startedAtMs, endsAtMs, dueMs: nowMs };
      await waits.register(companyId, record);
      return { registered: true };
    },
    options,
  );
  return async (input, context) => {
    const ended = await handler(input, context);
    if (typeof ended === 'string') throw new WaitEnd(WAIT_ENDS[ended]);
    return ended;
  };
}
