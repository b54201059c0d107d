import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { text } from '../contract/fields.ts';
import { Problem } from '../contract/problem.ts';
import { type FailureName, failureName } from '../contract/problems.ts';
import type { RequestedBy } from '../contract/receipt.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { RequireCompany } from '../credentials/company-record.ts';
import { parseInput } from '../service/command.ts';
import { deadlineAt } from '../service/deadline.ts';
import { type FailureFields, failureFields, type Log, logToStandardError } from '../service/log.ts';
import { type CallContext, type Idempotency, operationIdOf, withOperationId } from '../service/port.ts';

export interface TaskOptions {
  /** Refuses a company that does not exist: a state machine's definition may name any. */
  readonly requireCompany: RequireCompany;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log?: Log;
}

/** The part of Lambda's context that a task uses. */
export type TaskContext = Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>;

/** The Lambda handler of a task state. It returns a small output, or throws a `TaskFailure`. */
export type TaskHandler<Output> = (input: unknown, context: TaskContext) => Promise<Output>;

/** The state that runs a task, from the state machine's context object. A retry has the same values, so it runs once. */
export const Execution = z.strictObject({
  /** `$$.Execution.Id` */
  id: text(),
  /** `$$.State.Name` */
  state: text(),
  /** `$$.Map.Item.Index`, in a map */
  index: z.optional(z.int().check(z.minimum(0))),
});
type Execution = z.infer<typeof Execution>;

/** The fields that every command of a task may have. */
interface TaskCommand {
  readonly companyId: string;
  /** Gives the command its idempotency key. */
  readonly execution?: Execution | undefined;
  /** `$$.Execution.Id`, of a command that has an idempotency key of its own. */
  readonly executionId?: string | undefined;
}

/** The schema of a command. Its field names are known, so that a fault can suggest the nearest one. */
type CommandSchema<Command> = z.ZodMiniType<Command> & { readonly shape: object };

/** The part of the function's time that is kept to report a failure by name. */
const MARGIN_MS = 500;

/**
 * Makes the handler of a task: it parses the input, checks the company, runs the work and names failures. The state
 * machine's definition names the company; IAM is the credential.
 * @param operation the task's name in the log
 * @param schema the command, with `companyId` among its fields
 * @param work gets the time of the attempt, in milliseconds since 1970
 */
export function task<Command extends TaskCommand, Output>(
  operation: string,
  schema: CommandSchema<Command>,
  work: (command: Command, call: CallContext, nowMs: number) => Promise<Output>,
  { requireCompany, now, log = logToStandardError }: TaskOptions,
): TaskHandler<Output> {
  const names = { known: Object.keys(schema.shape), serviceOnly: [] };
  return async (input, context) => {
    const requestId = context.awsRequestId;
    const beganMs = now();
    let companyId: string | undefined;
    let idempotency: Idempotency | undefined;
    const write = (failure: FailureFields) =>
      log({ operation, requestId, companyId, durationMs: now() - beganMs, ...failure });
    try {
      const command = parseInput(
        schema,
        input,
        () => names,
        'The input of the task is not a command. Nothing was done.',
      );
      companyId = command.companyId;
      await requireCompany(companyId);
      idempotency = idempotencyOf(command.execution);
      const requestedBy = requestedByWorkflow(command.execution?.id ?? command.executionId);
      const deadline = deadlineAt(beganMs + context.getRemainingTimeInMillis() - MARGIN_MS, now);
      const output = await work(command, { companyId, requestId, requestedBy, deadline, idempotency }, beganMs);
      write({});
      return output;
    } catch (error) {
      write(failureFields(error));
      const problem =
        error instanceof Problem
          ? error
          : new Problem('internal-error', { detail: 'The task failed.' }, { cause: error });
      throw new TaskFailure(withOperationId(problem, idempotency && operationIdOf(idempotency.key)), requestId);
    }
  };
}

/** The key contains a space, so no key sent over HTTP equals it. */
function idempotencyOf(execution: Execution | undefined): Idempotency | undefined {
  if (!execution) return undefined;
  const { id, state, index = '' } = execution;
  return {
    key: `task ${JSON.stringify([id, state, index])}`,
    retentionMs: retentionMsOf('workflowKey'),
    replayed: () => {},
  };
}

/** `arn:…:states:…:execution:<machine>:<execution>`; in a map `<machine>/<label>`. Express executions add one more id. */
const EXECUTION_ARN = /^arn:[\w-]+:states:[\w-]*:\d*:(?:execution|express):([\w-]{1,80})(?:\/[\w-]+)?:([^:]+)/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Names the workflow that asked for a task: its state machine, and the execution's name if Step Functions chose it. A
 * name that a person chose could hold personal data, so it is not recorded.
 * @param executionId `$$.Execution.Id`
 */
export function requestedByWorkflow(executionId: string | undefined): RequestedBy {
  const [, machine, execution = ''] = EXECUTION_ARN.exec(executionId ?? '') ?? [];
  if (machine === undefined) return { kind: 'workflow', id: null };
  return { kind: 'workflow', id: UUID.test(execution) ? `${machine}:${execution}` : machine };
}

/** Step Functions keeps causes in the execution's history, so they stay small. */
const MAX_CAUSE_BYTES = 8_000;

/** A problem as Step Functions reads it: Lambda reports the error's name as `Error` and its message as `Cause`. */
export class TaskFailure extends Error {
  override readonly name: FailureName;
  /** Lambda would add the stack trace to the cause. It repeats the message and shows paths of the code. */
  override readonly stack = '';
  readonly problem: Problem;

  /** @param instance the problem's `instance`: the request id of the invocation */
  constructor(problem: Problem, instance: string) {
    super(causeText(problem, instance, MAX_CAUSE_BYTES), { cause: problem });
    this.name = failureName(problem.name);
    this.problem = problem;
  }
}

/** Writes a problem as JSON of at most `maxBytes`: with the number of its faults, and as many of them as fit. */
export function causeText(problem: Problem, instance: string, maxBytes: number): string {
  const { errors = [], ...body } = problem.body('urn:segue:problem', instance);
  const shown = [...errors];
  for (;;) {
    const text = JSON.stringify({ ...body, ...(errors.length > 0 && { errors: shown, faults: errors.length }) });
    if (Buffer.byteLength(text) <= maxBytes || shown.length === 0) return text;
    shown.splice(Math.floor(shown.length / 2));
  }
}
