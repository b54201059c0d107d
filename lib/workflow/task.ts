import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { text } from '../contract/fields.ts';
import { Problem } from '../contract/problem.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { RequireCompany } from '../credentials/company-record.ts';
import { readBy } from '../service/commands/read.ts';
import { deadlineAt } from '../service/deadline.ts';
import { namingOperation } from '../service/failures.ts';
import { type FailureFields, failureFields, type Log, logToStandardError } from '../service/log.ts';
import { operationIdOf } from '../service/operation-id.ts';
import type { Call, OnlyOnce } from '../service/port.ts';
import { TaskFailure } from './failure.ts';
import { requestedByWorkflow } from './requested-by.ts';

/** What a task takes from outside, so that a test can hold the clock. */
export interface TaskOptions {
  /** Refuses a company that does not exist: a state machine's definition may name any. */
  readonly requireCompany: RequireCompany;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log?: Log;
}

/** What a task needs to know of the function that it runs in. */
export type TaskContext = Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>;

/** A Step Functions task: a small output, or a `TaskFailure`. */
export type TaskHandler<Output> = (input: unknown, context: TaskContext) => Promise<Output>;

/**
 * Where in a workflow a task is run, from the context object of the state machine. A task that is tried again is run at
 * the same place, and so happens once.
 */
export const Execution = z.strictObject({
  /** `$$.Execution.Id` */
  id: text(),
  /** `$$.State.Name` */
  state: text(),
  /** `$$.Map.Item.Index`, in a map */
  index: z.optional(z.int().check(z.minimum(0))),
});

/** What every command of a task may have. */
export interface Placed {
  readonly companyId: string;
  readonly execution?: z.infer<typeof Execution> | undefined;
  /** `$$.Execution.Id`, of a command that has an identity of its own. */
  readonly executionId?: string | undefined;
}

/** Kept back from the function's time, so that a failure can still be told by its name. */
const MARGIN_MS = 500;

/**
 * Makes a task. The company stands in the state machine's definition, where IAM is the credential.
 * @param operation its name in the log
 * @param schema the command, `companyId` among its fields
 */
export function task<Command extends Placed, Output>(
  operation: string,
  schema: CommandSchema<Command>,
  work: (command: Command, call: Call, nowMs: number) => Promise<Output>,
  { requireCompany, now, log = logToStandardError }: TaskOptions,
): TaskHandler<Output> {
  const names = { known: Object.keys(schema.shape), serviceOnly: [] };
  return async (input, context) => {
    const requestId = context.awsRequestId;
    const began = now();
    let companyId: string | undefined;
    let once: OnlyOnce | undefined;
    const write = (failure: FailureFields) =>
      log({ operation, requestId, companyId, durationMs: now() - began, ...failure });
    try {
      const command = readBy(schema, input, () => names, 'The input of the task is no command, and nothing was done.');
      companyId = command.companyId;
      await requireCompany(companyId);
      once = onceAt(command);
      const requestedBy = requestedByWorkflow(command.execution?.id ?? command.executionId);
      const deadline = deadlineAt(began + context.getRemainingTimeInMillis() - MARGIN_MS, now);
      const output = await work(command, { companyId, requestId, requestedBy, deadline, once }, began);
      write({});
      return output;
    } catch (error) {
      write(failureFields(error));
      const problem = error instanceof Problem ? error : unexpected(error);
      throw new TaskFailure(namingOperation(problem, once && operationIdOf(once.key)), requestId);
    }
  };
}

/** No key that a caller sends over HTTP has a space in it, so none of these is one of those. */
function onceAt({ execution }: Placed): OnlyOnce | undefined {
  if (!execution) return undefined;
  const { id, state, index = '' } = execution;
  return {
    key: `task ${JSON.stringify([id, state, index])}`,
    retentionMs: retentionMsOf('workflowKey'),
    replayed: () => {},
  };
}

/** An object whose field names are known, so that a misspelt one gets the nearest. */
type CommandSchema<Command> = z.ZodMiniType<Command> & { readonly shape: object };

function unexpected(cause: unknown): Problem {
  return new Problem('internal-error', { detail: 'The task failed.' }, { cause });
}
