import * as z from 'zod/mini';
import { COMPANY_ID } from '../contract/company-id.ts';
import { type FailureName, isTerminal } from '../contract/failure-names.ts';
import { text } from '../contract/fields.ts';
import { Problem } from '../contract/problem.ts';
import type { Receipt } from '../contract/receipt.ts';
import { carryOut, checkCommand } from '../service/commands/command.ts';
import type { CreatedProject } from '../service/commands/create.ts';
import type { AlreadyAbsent } from '../service/commands/delete.ts';
import { namingOperation } from '../service/failures.ts';
import { operationIdOf } from '../service/operation-id.ts';
import type { Call, ProjectService } from '../service/port.ts';
import { LINE_RETENTION_MS, lineKey } from './bulk/identity.ts';
import { type Line, readLine } from './bulk/line.ts';
import { type Entry, type ManifestFile, ObjectVersion, RunName } from './bulk/manifest.ts';
import { causeText, TaskFailure } from './failure.ts';
import { type TaskHandler, type TaskOptions, task } from './task.ts';

/** In an index that is CSV, every number is text. */
const wholeNumber = z.pipe(z.coerce.string(), z.pipe(z.string().check(z.regex(/^\d{1,15}$/)), z.transform(Number)));

const BulkLine = z.strictObject({
  companyId: z.string().check(z.regex(COMPANY_ID)),
  /** `$$.Execution.Id` of the run; left out on one machine. */
  executionId: z.optional(text()),
  /** Where the manifest is; left out if there is only one. */
  file: z.optional(ObjectVersion),
  run: RunName,
  validateOnly: z.optional(z.boolean()),
  entry: z.strictObject({
    entry: wholeNumber,
    line: wholeNumber,
    offset: wholeNumber,
    bytes: wholeNumber,
    occurrence: wholeNumber,
  }),
});
type BulkLine = z.infer<typeof BulkLine>;

/** Which entry of the manifest it was. */
interface Located {
  readonly entry: number;
  /** The line that it begins on, from 1. */
  readonly line: number;
}

/** The result of an entry that was carried out, or checked. */
export type LineDone = Located & {
  /** Whether it was done before: by an earlier run of this name, or by an attempt whose answer was lost. */
  readonly replayed: boolean;
} & (
    | ({ readonly outcome: 'created' } & CreatedProject)
    | Receipt
    | AlreadyAbsent
    /** It was created before and has been deleted since. */
    | { readonly outcome: 'deleted-since' }
    /** Nothing is wrong with it. Only a run that checks has this. */
    | { readonly outcome: 'valid' }
  );

/** An entry that can never be carried out as it is. */
export interface LineFailed extends Located {
  readonly outcome: 'failed';
  readonly failure: FailureName;
  /** The problem as JSON, with every fault that there is room for. */
  readonly cause: string;
}

/** The result of an entry. */
export type LineResult = LineDone | LineFailed;

/** Opens the manifest of a task's input. @throws {Problem} `invalid-parameter` if the company has none there */
export type OpenManifest = (companyId: string, file: ObjectVersion | undefined) => ManifestFile;

/** Step Functions ends a cause at 32,768 characters. */
const MOST_CAUSE_BYTES = 30_000;

/**
 * The task that runs one entry of a manifest: it happens once, however often it is run. A refusal is a result too,
 * because the cause of a failure has room for few faults.
 * @throws {TaskFailure} if it may succeed later, or its outcome is unknown
 */
export function bulkLineTask(
  service: ProjectService,
  open: OpenManifest,
  options: TaskOptions,
): TaskHandler<LineResult> {
  const attempt = task('bulkLine', BulkLine, (input, call, nowMs) => done(service, open, input, call, nowMs), options);
  return async (input, context) => {
    try {
      return await attempt(input, context);
    } catch (error) {
      const read = BulkLine.safeParse(input);
      if (!(read.success && error instanceof TaskFailure && isTerminal(error.problem.name))) throw error;
      const { entry, line } = read.data.entry;
      if (error.problem.name === 'project-deleted') return { entry, line, outcome: 'deleted-since', replayed: true };
      const cause = causeText(error.problem, context.awsRequestId, MOST_CAUSE_BYTES);
      return { entry, line, outcome: 'failed', failure: error.name, cause };
    }
  };
}

async function done(
  service: ProjectService,
  open: OpenManifest,
  { companyId, file, run, validateOnly, entry: place }: BulkLine,
  call: Call,
  nowMs: number,
): Promise<LineDone> {
  const line = await readLine(open(companyId, file), place);
  const key = keyOf(line, run, place);
  const at = { entry: place.entry, line: place.line };
  if (validateOnly) return { ...at, outcome: 'valid', replayed: await check(service, line, call, key, nowMs) };
  let replayed = false;
  const once = {
    key,
    retentionMs: LINE_RETENTION_MS,
    replayed() {
      replayed = true;
    },
  };
  try {
    const result = await carryOut(service, line.command, { ...call, once }, nowMs);
    return 'outcome' in result ? { ...at, replayed, ...result } : { ...at, replayed, outcome: 'created', ...result };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw namingOperation(error, operationIdOf(key));
  }
}

/** By what the entry is recognised when it is run again. */
function keyOf(line: Line, run: string, { occurrence }: Pick<Entry, 'occurrence'>): string {
  return 'idempotencyKey' in line ? line.idempotencyKey : lineKey(run, line.digest, occurrence);
}

/**
 * Checks an entry, and changes nothing.
 * @returns whether it was done before: then a run would give its result again, though its custom id is in use
 * @throws {Problem} what a run would refuse it with
 */
async function check(
  service: ProjectService,
  { command }: Line,
  call: Call,
  key: string,
  nowMs: number,
): Promise<boolean> {
  if (await isMade(service, key, call)) return true;
  await checkCommand(service, command, call, nowMs);
  return false;
}

/**
 * Whether an entry made a project before.
 * @throws {Problem} `project-deleted`; `request-in-progress` if an attempt is not over
 */
async function isMade(service: ProjectService, key: string, call: Call): Promise<boolean> {
  try {
    const state = await service.operation(operationIdOf(key), call);
    if (state.kind === 'running') {
      const detail = 'An earlier attempt at this line is still running. Check it again later.';
      throw new Problem('request-in-progress', { detail, retryAfterSeconds: 1 });
    }
    if (state.kind !== 'done' || 'scope' in state.result) return false;
    if (state.result instanceof Problem) throw state.result;
    return true;
  } catch (error) {
    if (error instanceof Problem && error.name === 'operation-not-found') return false;
    throw error;
  }
}
