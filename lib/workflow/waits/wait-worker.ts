import { Problem } from '../../contract/problem.ts';
import { failureClass } from '../../contract/problems.ts';
import type { RequireCompany } from '../../credentials/company-record.ts';
import { type AttemptResult, type DueWorker, type DueWorkerOptions, dueWorker } from '../../deliveries/due-worker.ts';
import { refOf } from '../../service/command.ts';
import type { Deadline } from '../../service/deadline.ts';
import type { ProjectReads } from '../../service/port.ts';
import type { Reported, TaskTokens } from '../../service/task-tokens.ts';
import { traceFrom } from '../../service/trace.ts';
import type { ListedStore } from '../../storage/port.ts';
import { progressOutput } from '../get-progress-task.ts';
import { requestedByWorkflow, TaskFailure } from '../task-handler.ts';
import { isFulfilled } from './wait-condition.ts';
import { WAIT_ENDS, WaitEnd } from './wait-end.ts';
import { LONGEST_PAUSE_MS } from './wait-pauses.ts';
import { OPEN_WAITS, type StoredWait, type WaitRef, waitsIn } from './waits.ts';

/** The dependencies of a worker of waits. */
export interface WaitWorkerDeps extends Pick<DueWorkerOptions<WaitRef>, 'now' | 'pause'> {
  readonly store: ListedStore;
  readonly service: Pick<ProjectReads, 'progress'>;
  readonly tokens: TaskTokens;
  readonly requireCompany: RequireCompany;
  /** The shortest time between two looks at a project, in milliseconds. */
  readonly pauseMs: number;
  /** Called for each attempt that ended its wait or failed. */
  readonly onAttempt?: DueWorkerOptions<WaitRef>['onAttempt'];
}

const SKIPPED: AttemptResult = { end: 'skipped' };

/** How a wait ended, or that it goes on. */
type Look =
  | { readonly kind: 'done'; readonly output: object }
  | { readonly kind: 'failed'; readonly error: string; readonly cause: string }
  | { readonly kind: 'waiting'; readonly problem?: unknown };

/**
 * Creates a worker that looks at the projects for which executions wait, and reports the tokens. Of a company, at most
 * four looks run at once.
 */
export function waitWorker(deps: WaitWorkerDeps): DueWorker<WaitRef> {
  const { store, now, tokens, pauseMs } = deps;
  const waits = waitsIn(store, now);

  async function attempt(ref: WaitRef, deadline: Deadline): Promise<AttemptResult> {
    const wait = await waits.read(ref);
    if (!wait || !OPEN_WAITS.isDue(wait.record.dueMs, now())) return SKIPPED;
    const { token, startedAtMs, endsAtMs } = wait.record;
    const look = await lookAt(deps, wait, deadline);
    const reported = await report(tokens, token, look);
    const { companyId } = ref;
    if (look.kind !== 'waiting' || reported === 'gone') {
      return (await waits.remove(wait)) ? { end: 'done', companyId } : SKIPPED;
    }
    const pause = Math.min(Math.max(pauseMs, (now() - startedAtMs) / 10), LONGEST_PAUSE_MS);
    const isSame = await waits.postpone(wait, Math.round(Math.min(now() + pause, Math.max(endsAtMs, now() + 1))));
    return isSame ? { end: 'postponed', companyId, error: look.problem } : SKIPPED;
  }

  return dueWorker({
    list: OPEN_WAITS,
    // A wait never becomes a dead letter: its execution goes on without it.
    letters: 'failed-waits',
    maxRunning: 16,
    maxRunningOfGroup: 4,
    attemptMs: 15_000,
    onAttempt: () => {},
    ...deps,
    attempt,
  });
}

/** Looks at the project of a wait. It throws nothing: a failure that may pass lets the wait go on. */
async function lookAt(
  { service, requireCompany, now }: WaitWorkerDeps,
  { ref: { companyId, id }, record }: StoredWait,
  deadline: Deadline,
): Promise<Look> {
  const { taskId, executionId, endsAtMs } = record;
  const call = {
    companyId,
    requestId: id,
    traceId: traceFrom(executionId ?? id),
    requestedBy: requestedByWorkflow(executionId),
    deadline,
  };
  try {
    await requireCompany(companyId);
    const found = await service.progress(refOf(record), taskId, call);
    if (isFulfilled(record, found)) return { kind: 'done', output: progressOutput(found) };
  } catch (error) {
    const isFinal = error instanceof Problem && failureClass(error.name) === 'Terminal';
    if (isFinal) return failed(new TaskFailure(error, id));
    if (now() < endsAtMs) return { kind: 'waiting', problem: error };
  }
  return now() < endsAtMs ? { kind: 'waiting' } : failed(new WaitEnd(WAIT_ENDS.timedOut));
}

/** Describes a failure as Lambda gives it to Step Functions. */
function failed({ name, message }: TaskFailure | WaitEnd): Look {
  const cause = JSON.stringify({ errorType: name, errorMessage: message, trace: [] });
  return { kind: 'failed', error: name, cause };
}

function report(tokens: TaskTokens, token: string, look: Look): Promise<Reported> {
  switch (look.kind) {
    case 'done':
      return tokens.succeed(token, look.output);
    case 'failed':
      return tokens.fail(token, look);
    case 'waiting':
      return tokens.heartbeat(token);
  }
}
