import { checkDates } from '../contract/check-project.ts';
import { inUtc } from '../contract/date.ts';
import * as failures from '../contract/failures.ts';
import { PROJECTS_PATH } from '../contract/paths.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import { giveUp } from '../idempotency/fence.ts';
import { type Attempt, OutcomeOpen, type Plan } from '../idempotency/run-idempotent.ts';
import { countsProject } from '../records/counted-project.ts';
import { type FreedCustomId, freedIn } from '../records/custom-id-record.ts';
import { companyPartition, customIdKey } from '../records/keys.ts';
import { countIfLimited } from '../records/limited-creation.ts';
import { recordKey } from '../records/request-record.ts';
import { revisionHold } from '../records/revision-record.ts';
import type { CallContext } from '../service/port.ts';
import type { ProjectDocument } from '../service/project-document.ts';
import type { Write } from '../storage/port.ts';
import { digestsOf } from './content-digests.ts';
import { upstreamCustomId } from './custom-ids.ts';
import type { PutCreation } from './decide-put.ts';
import { settledAfter, type UpstreamDeps, withTimeToRecord } from './deps.ts';
import { problemFrom, unknownOutcome } from './failures.ts';
import { findCreated, isStaleResponse } from './find-created.ts';
import { customIdHolder, releaseCustomId, reserveCustomId } from './ledger.ts';
import {
  type CreateIntent,
  createIntentIn,
  type OpenOperation,
  openMarkerWrite,
  undoWrites,
} from './open-operations.ts';
import { recordCreation } from './record-result.ts';
import { fingerprintOfRequest, requestDigest } from './request-digest.ts';
import { CREATE } from './requests.ts';
import { busy } from './upstream-answer.ts';
import { type Fetched, fetchProject, readUpstreamProject, type UpstreamProject } from './upstream-project.ts';

/**
 * Plans an attempt at a creation. The writes of the plan reserve the custom id and mark the operation as open. The store
 * commits them before Segue sends anything to the upstream service.
 * @param before the intent of an earlier attempt; `undefined` if there is none
 * @param put the put that creates the project; absent for a creation
 * @throws {Problem} `invalid-project` if the dates are not valid at the current time
 */
type PlanCreation = (
  project: CheckedProject,
  operation: OpenOperation,
  before: unknown,
  put?: PutCreation,
) => Promise<Plan>;

/** Makes the function that plans the attempts of a request that creates a project. It knows what refused earlier ones. */
export function creationPlanner(deps: UpstreamDeps, call: CallContext): PlanCreation {
  const { now, propagationMs, storage } = deps;
  const { companyId, requestId, traceId, requestedBy, deadline } = call;
  let known: FreedCustomId | undefined;
  const readFreed = async (customId: string) => freedIn(await storage.read(customIdKey(companyId, customId)));

  return async (project, operation, before, put) => {
    const { customId } = project;
    const earlier = createIntentIn(before);
    const settledAfterMs = Math.max(earlier?.settledAfterMs ?? 0, now() + deadline.remainingMs() + propagationMs);
    if (earlier) {
      // This request may have another start date than the earlier attempt.
      const { startDateUtc: _, ...intent } = earlier;
      return { intent: { ...intent, settledAfterMs }, writes: [], undo: undoWrites(operation, earlier), refused };
    }
    checkDates(project, { nowMs: now(), toleranceMs: deps.startDateToleranceMs });
    const isDeleted = put?.last?.known?.expiresAtMs !== undefined;
    const freed = isDeleted && customId !== undefined ? await readFreed(customId) : known;
    const isOwnAccount = await deps.isOwnAccount(companyId);
    const counting = await countIfLimited(storage, call, { nowMs: now(), mayReturn: true });
    const name = upstreamCustomId(deps.customIdPrefix, { ...operation, isOwnAccount, customId });
    const intent: CreateIntent = {
      kind: 'create',
      requestId,
      traceId,
      requestedBy,
      customId: customId ?? null,
      name,
      sinceMs: now(),
      settledAfterMs,
      request: requestDigest(put?.fingerprint ?? (await fingerprintOfRequest(project)), deps.newId()),
      ...(put && { put: put.intent }),
      ...(counting && { counted: counting.counted }),
      ...(freed && { freed }),
      ...(name === customId && { content: digestsOf(project, deps.newId()) }),
    };
    const reserved = customId === undefined ? [] : [reserveCustomId(companyId, customId, operation.operationId, freed)];
    const held = put?.last ? [revisionHold(put.last, now())] : [];
    const writes = [openMarkerWrite(operation, now()), ...reserved, ...held, ...(counting ? [counting.write] : [])];
    return { intent, writes, undo: undoWrites(operation, intent), refused };

    async function refused(write: Write): Promise<Problem | undefined> {
      const { key } = write;
      // Another creation of the company was counted first.
      if (countsProject(write)) return undefined;
      if (customId === undefined || key.sort !== customIdKey(companyId, customId).sort) return inProgress();
      const holder = await customIdHolder({ storage }, customId, companyId);
      if (!holder) {
        known = await readFreed(customId);
        return known ? undefined : inProgress();
      }
      if ('projectId' in holder) return failures.customIdInUse();
      const record = recordKey(companyPartition(companyId), holder.operationId);
      // The holder's record was written together with the reservation. If it has expired, nobody finishes that creation.
      if (!(await storage.read(record))) {
        await storage.commit({
          writes: [giveUp(record, 'create', undefined, now()), releaseCustomId(companyId, customId, holder.freed)],
        });
      }
      return inProgress();
    }
  };
}

function inProgress(): Problem {
  return new Problem('request-in-progress', {
    detail: 'Another request is creating a project with this custom id. Send this request again later.',
    retryAfterSeconds: 1,
  });
}

/**
 * Checks that the company's own upstream account has no project with this custom id. In a shared account, it checks
 * nothing: Segue's custom ids there contain the company id, and the ledger has all of them.
 * @throws {Problem} `custom-id-in-use`
 */
export async function requireFreeCustomId(
  deps: UpstreamDeps,
  { customId }: CheckedProject,
  call: CallContext,
): Promise<void> {
  if (customId === undefined || !(await deps.isOwnAccount(call.companyId))) return;
  const found = await fetchProject(deps.client, { customId }, call);
  if (found.kind === 'ok') throw failures.customIdInUse();
  if (found.kind !== 'absent') throw problemFrom(found);
}

/**
 * Creates a project at the upstream service exactly once. After an earlier attempt, or a request without a response, it
 * first looks for the created project. It sends the project again only if none was created.
 * @param project the project to send; `undefined` to finish an earlier attempt without sending anything
 * @throws {Problem} `upstream-unavailable` if `project` is `undefined` and the earlier attempt created nothing
 * @throws {OutcomeOpen} if it is not certain yet whether a project was created
 */
export async function createAtUpstream(
  deps: UpstreamDeps,
  project: CheckedProject | undefined,
  call: CallContext,
  operation: OpenOperation,
  attempt: Attempt,
): Promise<ProjectDocument> {
  const { client, now, propagationMs, startDateToleranceMs } = deps;
  const upstreamCall = withTimeToRecord(call);
  const recording = { deps, call, operation, attempt };
  const earlier = createIntentIn(attempt.before);
  const intent = createIntentIn(attempt.intent);
  if (!intent) throw new TypeError('The attempt has no intent to create a project');
  if (earlier) {
    const found = await findCreated(deps, earlier, upstreamCall, unknownOutcome(operation));
    if (found) return record(found, earlier);
  }
  if (!project) throw problemFrom(busy('The upstream service did not carry out the request. You can send it again.'));
  if (!earlier) await requireFreeCustomId(deps, project, upstreamCall);
  for (let mayBeSent = earlier !== undefined; ; mayBeSent = true) {
    checkDates(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
    const sent = await send(project, intent);
    switch (sent.kind) {
      case 'ok':
        return record(sent.project, intent);
      case 'absent':
      case 'busy':
      case 'unreadable':
        throw problemFrom(sent);
      case 'refused':
        if (sent.type !== 'custom-id-in-use') throw problemFrom(sent);
    }
    const isTaken = sent.kind === 'refused';
    // In the company's own account, another client may have created the project.
    const isFirst = isTaken && intent.content && !mayBeSent;
    const startDate = isFirst ? { startDateUtc: project.startDateUtc } : {};
    const settledAfterMs = settledAfter(call, intent.settledAfterMs, now() + propagationMs);
    const open: CreateIntent = { ...intent, settledAfterMs, ...startDate };
    const unknown = unknownOutcome(operation, isTaken ? undefined : sent);
    const found = await findCreated(deps, open, upstreamCall, unknown, isTaken);
    if (found) return record(found, open);
    if (isTaken) throw problemFrom(sent);
  }

  /** Sends the project. A response to another request counts as lost. */
  async function send(checked: CheckedProject, { name, sinceMs }: CreateIntent): Promise<Fetched> {
    const dates = { startDateUtc: inUtc(checked.startDateUtc), endDateUtc: inUtc(checked.endDateUtc) };
    const body = { ...checked, ...dates, customId: name };
    const answer = await client({ operation: CREATE, path: PROJECTS_PATH, sent: body }, upstreamCall);
    if (answer.kind !== 'ok') return answer;
    const project = readUpstreamProject(answer);
    const isOurs = project?.customId === name && !(await isStaleResponse(deps, sinceMs, call, project));
    return isOurs ? { kind: 'ok', project } : { kind: 'lost' };
  }

  /**
   * Records a created project in the ledger. If this fails, the operation stays open, and the next attempt records the
   * project.
   */
  async function record(created: UpstreamProject, open: CreateIntent): Promise<ProjectDocument> {
    const recorded = await recordCreation(recording, created, open);
    if (recorded) return recorded;
    // The ledger has another project with this id, so the id in the response is wrong. A look-up may show the right id.
    const unknown = unknownOutcome(operation);
    const found = await findCreated(deps, open, upstreamCall, unknown);
    const corrected = found && found.id !== created.id ? await recordCreation(recording, found, open) : undefined;
    if (!corrected) throw new OutcomeOpen(unknown, open);
    return corrected;
  }
}
