import { checkDates } from '../contract/check-project.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import { commitWithResult, type ResultWrite, retryRefused } from '../idempotency/commit.ts';
import type { IdempotencyDeps, KeyedOperation } from '../idempotency/keyed-operation.ts';
import { runClaimed } from '../idempotency/keyed-request.ts';
import type { DonePut, RecordedPut } from '../idempotency/requests/put-project.ts';
import { type Attempt, NO_PLAN, type Plan } from '../idempotency/run-idempotent.ts';
import { projectKey } from '../records/keys.ts';
import { putRevisionWrites } from '../records/revision-record.ts';
import type { CallContext } from '../service/port.ts';
import { documentOf } from '../service/project-document.ts';
import type { PutPlan, PutRequest, PutResult } from '../service/put.ts';
import { requirePlannedPut } from '../service/put-plan.ts';
import { requirePutScopes } from '../service/put-scopes.ts';
import { asUnavailable, type Write } from '../storage/port.ts';
import { createAtUpstream, creationPlanner, requireFreeCustomId } from './create-project.ts';
import { type DecidedPut, decidePut, type PutCreation, putPlanOf, type UnchangedPut } from './decide-put.ts';
import { type UpstreamDeps, withTimeToRecord } from './deps.ts';
import { createIntentIn, type OpenOperation } from './open-operations.ts';
import { createdPut, keptCounts } from './put-counts.ts';
import { readProject } from './read-projects.ts';

/** Returns what a put would do. @throws {Problem} those of the put, except `scope-missing` */
export async function planPut(deps: UpstreamDeps, request: PutRequest, call: CallContext): Promise<PutPlan> {
  const decided = await decidePut(deps, request, call);
  if (decided.outcome === 'outdated') return decided;
  if (decided.outcome === 'create') {
    checkDates(decided.project, { nowMs: deps.now(), toleranceMs: deps.startDateToleranceMs });
    await requireFreeCustomId(deps, decided.project, withTimeToRecord(call));
  }
  return putPlanOf(decided, request);
}

/** The dependencies of puts, beside those of all upstream requests. */
export interface PutDeps extends IdempotencyDeps {
  readonly put: KeyedOperation<PutRequest, RecordedPut, PutResult>;
  /** Returns the operation of a call, with a new id if the call has no key. */
  readonly openOperation: (call: CallContext) => OpenOperation;
}

/** Ends an attempt because another request has changed what the put was decided by. Nothing was done. */
class Overtaken extends Problem {
  constructor() {
    super('unavailable', { detail: 'Another request changed the project during the put.', retryAfterSeconds: 1 });
  }
}

/**
 * Creates a project, or leaves it as it is if it equals the request. If another request changes the project meanwhile,
 * the put is decided again.
 * @throws {Problem} those of `decidePut`, of a creation, and of a request with a key; `scope-missing`, `plan-outdated`
 */
export async function putProject(
  deps: UpstreamDeps,
  keyed: PutDeps,
  request: PutRequest,
  call: CallContext,
): Promise<PutResult> {
  const planCreation = creationPlanner(deps, call);
  return retryRefused(call, async () => {
    try {
      // Without a key, a put that changes nothing needs no record.
      const first = call.idempotency ? undefined : await decide();
      return await (first && first.outcome !== 'create' ? leave(first) : claim(first));
    } catch (error) {
      if (error instanceof Overtaken) return undefined;
      throw error;
    }
  });

  async function decide(): Promise<DecidedPut> {
    const decided = await decidePut(deps, request, call);
    if (decided.outcome === 'outdated') return decided;
    const plan = putPlanOf(decided, request);
    requirePutScopes(call.scopes, plan);
    requirePlannedPut(request.planned, plan);
    return decided;
  }

  /** Runs the put once under its key. @param first what the put does, if that was decided already */
  function claim(first: DecidedPut | undefined): Promise<PutResult> {
    const operation = keyed.openOperation(call);
    let next = first;
    let decided: DecidedPut | undefined;
    const plan = async (before: unknown): Promise<Plan> => {
      decided = undefined;
      if (createIntentIn(before)) {
        return planCreation(sentProject(request), operation, before);
      }
      decided = next ?? (await decide());
      // Another attempt at the same request may have changed what the next one finds.
      next = undefined;
      if (decided.outcome !== 'create') return NO_PLAN;
      const planned = await planCreation(decided.project, operation, undefined, decided);
      const refused = async (write: Write) => {
        await planned.refused(write);
        return new Overtaken();
      };
      return { ...planned, refused };
    };
    const work = async (attempt: Attempt): Promise<PutResult> => {
      if (decided && decided.outcome !== 'create') return leave(decided, attempt.resultWrite);
      const project = decided?.project ?? sentProject(request);
      const document = await createAtUpstream(deps, project, call, operation, attempt);
      const intent = createIntentIn(attempt.intent);
      const done = intent && createdPut(document.id, intent);
      if (!done) throw new TypeError('The attempt has no intent to put a project');
      return { ...done, document: async () => document };
    };
    return runClaimed(keyed, { operation: keyed.put, input: request, call }, operation.operationId, work, plan);
  }

  /** Leaves everything as it is, but remembers the revision of the put, and its result if it has a key. */
  async function leave(
    decided: Exclude<DecidedPut, PutCreation>,
    resultWrite?: ResultWrite<RecordedPut>,
  ): Promise<PutResult> {
    if (decided.outcome === 'outdated') {
      if (resultWrite) await commitWithResult(deps.storage, { writes: [] }, resultWrite, decided);
      return decided;
    }
    const { id: projectId, customId } = decided.found.entry;
    const done: DonePut = { outcome: 'unchanged', projectId, customId, ...keptCounts(decided.project) };
    await remember(decided, done, resultWrite);
    return { ...done, document: async () => documentOf(await readProject(deps, { id: projectId }, undefined, call)) };
  }

  async function remember({ found, last }: UnchangedPut, done: DonePut, resultWrite?: ResultWrite<RecordedPut>) {
    const revision = last ? putRevisionWrites(last, request.revision, deps.now()) : [];
    if (!resultWrite && revision.length === 0) return;
    const key = projectKey(call.companyId, done.projectId);
    const writes: Write[] = [{ kind: 'check', key, version: found.version }, ...revision];
    const commit = commitWithResult(deps.storage, { writes }, resultWrite, done);
    // Without a record, it is safe to send the put again.
    if (await (resultWrite ? commit : commit.catch(asUnavailable(UNSURE)))) throw new Overtaken();
  }
}

const UNSURE = 'Segue could not store the revision of the put. The project was not changed. Send the request again.';

/** Returns the project that an earlier attempt of the same put has sent. */
function sentProject({ ref, project }: PutRequest): CheckedProject {
  return 'customId' in ref ? { ...project, customId: ref.customId } : project;
}
