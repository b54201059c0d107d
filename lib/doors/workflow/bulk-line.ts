import * as z from 'zod/mini';
import { commandOf } from '../../bulk/command.ts';
import { keyOf, Manifest, type ManifestFile, ObjectVersion } from '../../bulk/manifest.ts';
import { COMPANY_ID } from '../../contract/company-id.ts';
import { type FailureName, isTerminal } from '../../contract/failure-names.ts';
import { text } from '../../contract/fields.ts';
import { Problem } from '../../contract/problem.ts';
import type { Receipt } from '../../contract/receipt.ts';
import { carryOut } from '../../service/commands/command.ts';
import type { CreatedProject } from '../../service/commands/create.ts';
import type { AlreadyAbsent } from '../../service/commands/delete.ts';
import { namingOperation } from '../../service/failures.ts';
import { operationIdOf } from '../../service/operation-id.ts';
import type { Call, ProjectService } from '../../service/port.ts';
import { causeText, TaskFailure } from './failure.ts';
import { type TaskHandler, type TaskOptions, task } from './task.ts';

/** From an index that is CSV every number comes as text. */
const wholeNumber = z.pipe(z.coerce.string(), z.pipe(z.string().check(z.regex(/^\d{1,15}$/)), z.transform(Number)));

const BulkLine = z.strictObject({
  companyId: z.string().check(z.regex(COMPANY_ID)),
  /** `$$.Execution.Id` of the run; left out on one machine. */
  executionId: z.optional(text()),
  /** Where the manifest is; left out where there is one alone. */
  file: z.optional(ObjectVersion),
  manifest: Manifest,
  entry: z.strictObject({ entry: wholeNumber, line: wholeNumber, offset: wholeNumber, bytes: wholeNumber }),
});
type BulkLine = z.infer<typeof BulkLine>;

/** Which entry of the manifest it was. */
interface Located {
  readonly entry: number;
  /** The line that it begins on, from 1. */
  readonly line: number;
}

/** What became of an entry that was carried out. */
export type LineDone = Located & {
  /** Whether that was done before: by a run with the same manifest, or by an attempt whose answer was lost. */
  readonly replayed: boolean;
} & (
    | ({ readonly outcome: 'created' } & CreatedProject)
    | Receipt
    | AlreadyAbsent
    /** It was created before and has been deleted since. */
    | { readonly outcome: 'deleted-since' }
  );

/** An entry that can never be carried out as it is. */
export interface LineFailed extends Located {
  readonly outcome: 'failed';
  readonly failure: FailureName;
  /** The problem as JSON, with every fault that there is room for. */
  readonly cause: string;
}

/** What became of an entry. */
export type LineResult = LineDone | LineFailed;

/** Opens the manifest of a task's input. @throws {Problem} `invalid-parameter` where the company has none there */
export type OpenManifest = (companyId: string, file: ObjectVersion | undefined) => ManifestFile;

/** Step Functions ends a cause at 32,768 characters. */
const MOST_CAUSE_BYTES = 30_000;

/**
 * The task that carries out one entry of a manifest, once, however often it is run. What can never succeed is a result
 * too, since a failure's cause has room for few faults.
 * @throws {TaskFailure} where it may succeed later, or it cannot be told whether it was done
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
  { companyId, file, manifest, entry: place }: BulkLine,
  call: Call,
  nowMs: number,
): Promise<LineDone> {
  let replayed = false;
  const key = keyOf(manifest, place);
  const once = {
    key,
    replayed() {
      replayed = true;
    },
  };
  try {
    const command = await commandOf(open(companyId, file), manifest, place);
    const result = await carryOut(service, command, { ...call, once }, nowMs);
    const at = { entry: place.entry, line: place.line, replayed };
    return 'outcome' in result ? { ...at, ...result } : { ...at, outcome: 'created', ...result };
  } catch (error) {
    throw error instanceof Problem ? namingOperation(error, operationIdOf(key)) : error;
  }
}
