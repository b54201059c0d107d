import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { COMPANY_ID } from '../contract/basic-credentials.ts';
import { text } from '../contract/fields.ts';
import { Problem } from '../contract/problem.ts';
import { type FailureName, failureName } from '../contract/problems.ts';
import type { RequestedBy } from '../contract/receipt.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { RequireCompany } from '../credentials/company-record.ts';
import { parseInput } from '../service/command.ts';
import { deadlineBefore } from '../service/deadline.ts';
import { alertOf, type FailureFields, failureFields, type Log, logToStandardError } from '../service/log.ts';
import { type CallContext, type Idempotency, operationIdOf, withOperationId } from '../service/port.ts';
import { traceFrom } from '../service/trace.ts';

/** The dependencies of every task. */
export interface TaskOptions {
  /** Throws unless the company exists: a state machine's definition may contain any company id. */
  readonly requireCompany: RequireCompany;
  /** Returns the time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly log?: Log;
}

/** The part of Lambda's context that a task uses. */
export type TaskContext = Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>;

/** The Lambda handler of a task state. It returns a small output, or throws a `TaskFailure`. */
export type TaskHandler<Output> = (input: unknown, context: TaskContext) => Promise<Output>;

/**
 * The schema of the values that identify the state that runs a task. They come from the state machine's context object,
 * and form the idempotency key. A retry sends the same values, so the task's command runs once.
 */
const Execution = z.strictObject({
  /** `$$.Execution.Id` */
  id: text(),
  /** `$$.State.Name` */
  state: text(),
  /** `$$.Map.Item.Index`; absent outside a map */
  index: z.optional(z.int().check(z.minimum(0))),
});
type Execution = z.infer<typeof Execution>;

/** The company of a task. IAM decides who may call the task for which company. */
export const CompanyId = z.string().check(z.regex(COMPANY_ID));

/** The fields of every command that one state runs once. */
export const STATE_FIELDS = { companyId: CompanyId, execution: z.optional(Execution) } as const;

/** The fields of a task's command that `task` reads. */
interface TaskCommand {
  readonly companyId: string;
  /** The state that runs the task. It determines the idempotency key of the command. */
  readonly execution?: Execution | undefined;
  /** `$$.Execution.Id`, for a command without `execution` that makes its own idempotency key. */
  readonly executionId?: string | undefined;
}

/** The schema of a command. Its `shape` has the field names, so that a fault can suggest the nearest name. */
type CommandSchema<Command> = z.ZodMiniType<Command> & { readonly shape: object };

/**
 * Makes the handler of a workflow task. The handler parses the input, checks the company, runs the work and turns each
 * error into a `TaskFailure`. It does not check credentials: IAM decides who may call it, and the state machine's
 * definition sets the company id.
 * @param operation the name of the task in the log
 * @param schema the schema of the input
 * @param work runs the command; `nowMs` is the start of the attempt, in milliseconds since 1970
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
    let traceId = traceFrom(requestId);
    let idempotency: Idempotency | undefined;
    const write = (failure: FailureFields) =>
      log({
        operation,
        requestId,
        traceId,
        alert: alertOf(failure),
        companyId,
        durationMs: now() - beganMs,
        ...failure,
      });
    try {
      const command = parseInput(
        schema,
        input,
        () => names,
        'The input of the task is not a valid command. Segue did nothing.',
      );
      companyId = command.companyId;
      const projectsADay = (await requireCompany(companyId))?.projects;
      idempotency = idempotencyOf(command.execution);
      const executionId = command.execution?.id ?? command.executionId;
      const requestedBy = requestedByWorkflow(executionId);
      // All tasks of an execution have one trace, and so have their retries.
      traceId = traceFrom(executionId ?? requestId);
      const deadline = deadlineBefore(context.getRemainingTimeInMillis(), now, 'answer');
      const output = await work(
        command,
        { companyId, requestId, traceId, requestedBy, projectsADay, deadline, idempotency },
        beganMs,
      );
      write({});
      return output;
    } catch (error) {
      write(failureFields(error));
      const problem =
        error instanceof Problem
          ? error
          : new Problem(
              'internal-error',
              { detail: 'Segue could not run the task. The operator can find the cause by the request id.' },
              { cause: error },
            );
      throw new TaskFailure(withOperationId(problem, idempotency && operationIdOf(idempotency.key)), requestId);
    }
  };
}

/** Builds the idempotency of a task's command. Its key contains a space, so no key sent over HTTP equals it. */
function idempotencyOf(execution: Execution | undefined): Idempotency | undefined {
  if (!execution) return undefined;
  const { id, state, index = '' } = execution;
  return {
    key: `task ${JSON.stringify([id, state, index])}`,
    retentionMs: retentionMsOf('workflowKey'),
    replayed: () => {},
  };
}

/**
 * Matches `arn:…:states:…:execution:<machine>:<execution>`. In a map, `/<label>` follows the machine. The ARN of an
 * Express execution contains `express` instead of `execution`, and one more id at the end.
 */
const EXECUTION_ARN = /^arn:[\w-]+:states:[\w-]*:\d*:(?:execution|express):([\w-]{1,80})(?:\/[\w-]+)?:([^:]+)/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the workflow that requested a task: the state machine, and the execution if its name is a UUID from Step
 * Functions. Any other name is left out, because a person chose it and it may contain personal data.
 * @param executionId `$$.Execution.Id`
 */
export function requestedByWorkflow(executionId: string | undefined): RequestedBy {
  const [, machine, execution = ''] = EXECUTION_ARN.exec(executionId ?? '') ?? [];
  if (machine === undefined) return { kind: 'workflow', id: null };
  return { kind: 'workflow', id: UUID.test(execution) ? `${machine}:${execution}` : machine };
}

/** The size limit of a failure's cause, in bytes. It is small, because Step Functions keeps causes in the history. */
const MAX_CAUSE_BYTES = 8_000;

/** The error that a task throws. Lambda gives its name to Step Functions as `Error`, and its message as `Cause`. */
export class TaskFailure extends Error {
  override readonly name: FailureName;
  /** Empty, because Lambda would add the stack trace to the cause, and the trace shows paths of the code. */
  override readonly stack = '';
  readonly problem: Problem;

  /** @param instance the request id of the invocation, for the problem's field `instance` */
  constructor(problem: Problem, instance: string) {
    super(causeText(problem, instance, MAX_CAUSE_BYTES), { cause: problem });
    this.name = failureName(problem.name);
    this.problem = problem;
  }
}

/**
 * Formats a problem as JSON of at most `maxBytes`. If not all faults fit, the last ones are left out. The field
 * `faults` has the number of all faults.
 */
export function causeText(problem: Problem, instance: string, maxBytes: number): string {
  const { errors = [], ...body } = problem.body('urn:segue:problem', instance);
  const shown = [...errors];
  for (;;) {
    const text = JSON.stringify({ ...body, ...(errors.length > 0 && { errors: shown, faults: errors.length }) });
    if (Buffer.byteLength(text) <= maxBytes || shown.length === 0) return text;
    shown.splice(Math.floor(shown.length / 2));
  }
}
