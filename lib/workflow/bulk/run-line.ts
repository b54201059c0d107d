import * as z from 'zod/mini';
import { text } from '../../contract/fields.ts';
import { Problem } from '../../contract/problem.ts';
import { type FailureName, isTerminal } from '../../contract/problems.ts';
import {
  type CheckedCommand,
  type CommandResult,
  type CreatedProject,
  checkCommand,
  type DeletionResult,
  type OutdatedSummary,
  type PutSummary,
  runCommand,
} from '../../service/command.ts';
import { type CallContext, operationIdOf, type ProjectService, withOperationId } from '../../service/port.ts';
import type { PutOutcome } from '../../service/put.ts';
import { CompanyId, causeText, TaskFailure, type TaskHandler, type TaskOptions, task } from '../task-handler.ts';
import { Entry, type ManifestFile, ObjectVersion, RunName } from './manifest.ts';
import { LINE_RETENTION_MS, lineKey, readLine } from './manifest-line.ts';

const BulkLineCommand = z.strictObject({
  companyId: CompanyId,
  /** `$$.Execution.Id` of the run; absent if the run is not on Step Functions. */
  executionId: z.optional(text()),
  /** The manifest in its bucket; absent if the run reads a local file. */
  file: z.optional(ObjectVersion),
  run: RunName,
  validateOnly: z.optional(z.boolean()),
  entry: Entry,
});
type BulkLineCommand = z.infer<typeof BulkLineCommand>;

/** The numbers that locate a line for the reader of a result. */
type LinePosition = Pick<Entry, 'entry' | 'line'>;

/** The result of a line that succeeded: the line ran, or the run only checks lines and found no fault in it. */
export type LineDone = LinePosition & {
  /** Whether the line had run before: in an earlier run of this name, or in an attempt whose answer was lost. */
  readonly replayed: boolean;
} & (
    | ({ readonly outcome: 'created' } & CreatedProject)
    | PutLine
    | OutdatedSummary
    | DeletionResult
    /** The line had created a project before, and the project has been deleted since. */
    | { readonly outcome: 'deleted-since' }
    /** The run only checks lines, and found no fault in this line. */
    | ({ readonly outcome: 'valid' } & CheckedCommand)
  );

/** The result of a line with a put. */
type PutLine = Omit<PutSummary, 'outcome'> & { readonly outcome: (typeof PUT_OUTCOMES)[PutOutcome] };

/** The outcomes of puts, as past participles like those of the other commands. */
const PUT_OUTCOMES = {
  create: 'created',
  update: 'updated',
  unchanged: 'unchanged',
} as const satisfies Record<PutOutcome, string>;

/** The result of a line that failed with a problem that a retry does not fix. */
export interface LineFailed extends LinePosition {
  readonly outcome: 'failed';
  /** The error name that a workflow would see. */
  readonly failure: FailureName;
  /** The problem as JSON, with as many faults as fit. */
  readonly cause: string;
}

/** The result of a line. */
export type LineResult = LineDone | LineFailed;

/** Opens the manifest of a line's task. @throws {Problem} `invalid-parameter` if the company has no such manifest */
export type OpenManifest = (companyId: string, file: ObjectVersion | undefined) => ManifestFile;

/** The size limit of a `cause`, in bytes. Step Functions cuts off causes at 32,768 characters. */
const MAX_CAUSE_BYTES = 30_000;

/**
 * Makes the handler of the task that runs one line of a manifest. If the line has taken effect before, the task changes
 * nothing, and its result has `replayed: true`. If the line is refused, the task returns a `LineFailed` and does not
 * throw, because the cause of a `TaskFailure` has room for only a few faults.
 *
 * The task throws a `TaskFailure` if the line may succeed later, or its outcome is unknown.
 */
export function bulkLineTask(
  service: ProjectService,
  open: OpenManifest,
  options: TaskOptions,
): TaskHandler<LineResult> {
  const attempt = task(
    'bulkLine',
    BulkLineCommand,
    (command, call, nowMs) => runLine(service, open, command, call, nowMs),
    options,
  );
  return async (input, context) => {
    try {
      return await attempt(input, context);
    } catch (error) {
      const parsed = BulkLineCommand.safeParse(input);
      if (!(parsed.success && error instanceof TaskFailure && isTerminal(error.problem.name))) throw error;
      const { entry, line } = parsed.data.entry;
      if (error.problem.name === 'project-deleted') return { entry, line, outcome: 'deleted-since', replayed: true };
      const cause = causeText(error.problem, context.awsRequestId, MAX_CAUSE_BYTES);
      return { entry, line, outcome: 'failed', failure: error.name, cause };
    }
  };
}

async function runLine(
  service: ProjectService,
  open: OpenManifest,
  { companyId, file, run, validateOnly, entry: { occurrence, ...entry } }: BulkLineCommand,
  call: CallContext,
  nowMs: number,
): Promise<LineDone> {
  const { command, ownKey, digest } = await readLine(open(companyId, file), entry);
  const key = ownKey ?? lineKey(run, digest, occurrence);
  const position = { entry: entry.entry, line: entry.line };
  if (validateOnly) {
    const replayed = await isDone(service, key, call);
    const checked = replayed ? {} : await checkCommand(service, command, call, nowMs);
    return { ...position, outcome: 'valid', replayed, ...checked };
  }
  let replayed = false;
  const idempotency = {
    key,
    retentionMs: LINE_RETENTION_MS,
    replayed() {
      replayed = true;
    },
  };
  try {
    const result = await runCommand(service, command, { ...call, idempotency }, nowMs);
    return { ...position, replayed, ...resultOf(result) };
  } catch (error) {
    throw error instanceof Problem ? withOperationId(error, operationIdOf(key)) : error;
  }
}

function resultOf(result: CommandResult) {
  if (!('outcome' in result)) return { outcome: 'created', ...result } as const;
  if ('segments' in result) return { ...result, outcome: PUT_OUTCOMES[result.outcome] };
  return result;
}

/**
 * Checks whether a line has created a project before. If so, a check must not report that the custom id is in use,
 * because running the line would return the earlier result.
 * @throws {Problem} `project-deleted` if that project has been deleted; `request-in-progress` if an attempt is running
 */
async function isDone(service: ProjectService, key: string, call: CallContext): Promise<boolean> {
  try {
    const state = await service.operation(operationIdOf(key), call);
    if (state.kind === 'running') {
      const detail =
        'Segue cannot check this line while an earlier attempt to run it continues. Repeat the check later.';
      throw new Problem('request-in-progress', { detail, retryAfterSeconds: 1 });
    }
    if (state.kind !== 'done') return false;
    if (state.result instanceof Problem) throw state.result;
    // A deletion or a change has no project.
    return 'json' in state.result;
  } catch (error) {
    if (error instanceof Problem && error.name === 'operation-not-found') return false;
    throw error;
  }
}
