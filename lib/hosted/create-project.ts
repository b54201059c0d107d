import { checkDates } from '../contract/check-project.ts';
import * as failures from '../contract/failures.ts';
import type { Fault } from '../contract/faults.ts';
import { isLoopbackUrl, LOOPBACK_HINT } from '../contract/fields.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Project } from '../contract/project-answer.ts';
import { commitWithResult, type ResultWrite, retryRefused } from '../idempotency/commit.ts';
import type { Created } from '../idempotency/requests/create-project.ts';
import {
  type CustomIdRecord,
  type FreedCustomId,
  freedIn,
  takeCustomId,
  versionAfterTaking,
} from '../records/custom-id-record.ts';
import { customIdKey, projectKey } from '../records/keys.ts';
import { countIfLimited } from '../records/limited-creation.ts';
import { type NewEvent, outboxWrite } from '../records/outbox.ts';
import { type HeadFields, lengthOfHead, packHead } from '../records/project-head.ts';
import { keptRevisionWrites, type LastRevision, readRevision } from '../records/revision-record.ts';
import type { CallContext } from '../service/port.ts';
import type { ProjectDocument, ServiceProject } from '../service/project-document.ts';
import { projectFrom } from '../service/project-from.ts';
import { readReceiverUrl } from '../service/receiver-url.ts';
import { type Batch, isInside, type Write } from '../storage/port.ts';
import { chunkSlots } from './chunk-slots.ts';
import type { HostedDeps } from './deps.ts';
import { requirePairs } from './language-pairs.ts';
import { encodeProject, withTexts } from './project-payload.ts';
import type { ProjectRecord } from './read-projects.ts';
import { addJob } from './work/jobs.ts';
import { encodeTasks, type StoredTasks, taskRunsOf } from './work/segment-tasks.ts';
import { encodeWork, needsWorker, newWork, withWork, workKey } from './work/work-record.ts';

/**
 * Creates a project. A single commit stores the project, its custom id, its event and the result of the request.
 * @param resultWrite makes the write of the result; `undefined` if the request has no idempotency key
 * @throws {Problem} those of `checkCreation`; `custom-id-in-use`; `unavailable` at the deadline
 */
export async function createInStore(
  deps: HostedDeps,
  project: CheckedProject,
  call: CallContext,
  resultWrite: ResultWrite<Created> | undefined,
): Promise<ProjectDocument> {
  await checkCreation(deps, project, call);
  let kept: KeptRevision | undefined;
  return retryRefused(call, async () => {
    const { document, batch, customIdWrite } = await newProject(deps, project, call, kept);
    const refused = await commitWithResult(deps.storage, batch, resultWrite, { projectId: document.id });
    if (refused === undefined) return document;
    const refusedId = refused === customIdWrite ? project.customId : undefined;
    kept = refusedId === undefined ? undefined : await readKept(deps, refusedId, call);
    if (refusedId !== undefined && !kept) throw failures.customIdInUse();
    // Another process uses the project's id, or an event of a deleted project has it. The next attempt takes new ids. Or
    // another creation of the company was counted first.
    return undefined;
  });
}

/** What a creation keeps of the projects that had its custom id. */
export interface KeptRevision {
  readonly freed: FreedCustomId;
  readonly writes: readonly Write[];
}

/**
 * Reads what a creation keeps. Only a custom id that is freed has a remembered revision.
 * @param known the last revision, if it was read before the project
 * @returns `undefined` if the custom id is not freed
 */
export async function readKept(
  deps: HostedDeps,
  customId: string,
  { companyId }: CallContext,
  known?: LastRevision,
): Promise<KeptRevision | undefined> {
  const freed = freedIn(await deps.storage.read(customIdKey(companyId, customId)));
  if (!freed) return undefined;
  const last = known ?? (await readRevision(deps, companyId, { customId }));
  return { freed, writes: keptRevisionWrites(last, deps.now()) };
}

/** A new project, and the batch that creates it. */
interface NewProject {
  readonly document: ProjectDocument;
  readonly batch: Batch;
  /** The write that is refused if another project has the custom id; absent if the project has none. */
  readonly customIdWrite: Write | undefined;
}

/** Makes the batch that creates a project. @param kept what it keeps of the projects that had its custom id */
export async function newProject(
  { storage, now, takeIds, newEventId }: HostedDeps,
  project: CheckedProject,
  call: CallContext,
  { freed, writes: remembered = [] }: Partial<KeptRevision> = {},
): Promise<NewProject> {
  const { companyId, deadline } = call;
  const createdAtMs = now();
  const counting = await countIfLimited(storage, call, { nowMs: createdAtMs, mayReturn: false });
  const bare = projectFrom(project, takeIds(1 + project.targetLanguages.length), createdAtMs);
  const slots = chunkSlots(bare);
  const tasks = await encodeTasks(taskRunsOf(bare.taskId, bare.segments));
  const work = newWork(bare, bare.segments.length);
  const created = withWork(bare, work);
  const { id, customId } = created;
  const { document, isSmall, ...content } = await itemContent(created, slots, tasks);
  // The worker needs a work record. Without one, the work on a small project is what `newWork` makes of its head.
  const hasRecord = !isSmall || needsWorker(work);
  const data: ProjectRecord = {
    ...content.data,
    ...(remembered.length > 0 && { isRevised: true }),
    ...(freed && { customIdVersion: versionAfterTaking(freed) }),
    ...(hasRecord && { shownWorkVersion: 1 }),
  };
  const writes: Write[] = [{ kind: 'insert', key: projectKey(companyId, id), bytes: content.bytes, data }];
  if (hasRecord) writes.push({ kind: 'insert', key: workKey(companyId, id), data: await encodeWork(work) });
  const taken: CustomIdRecord = { projectId: id, createdAtMs };
  const customIdWrite: Write | undefined =
    customId === undefined ? undefined : takeCustomId(customIdKey(companyId, customId), taken, freed);
  if (customIdWrite) writes.push(customIdWrite);
  writes.push(...remembered);
  if (needsWorker(work)) writes.push(addJob({ companyId, projectId: id, atMs: createdAtMs }, call));
  const { sequence, eventUrl } = work;
  const event: NewEvent = { type: 'project.created', sequence, data: { projectId: id }, eventUrl };
  writes.push(outboxWrite({ now, newEventId }, call, event));
  if (counting) writes.push(counting.write);
  return { document, batch: { writes, deadline }, customIdWrite };
}

/** Returns the fault of a URL to which Segue sends no events. */
function receiverRefused(eventUrl: string): Fault {
  const detail =
    'Segue sends events only to public hosts, to port 443 or a port from 1024, and without credentials in the URL.';
  return {
    pointer: '/eventUrl',
    code: 'receiver-refused',
    detail: isLoopbackUrl(eventUrl) ? `${detail} ${LOOPBACK_HINT}` : detail,
  };
}

/** Yields the fault of a project whose events Segue would not send. */
export function* receiverFaults(
  { allowsLoopbackEvents = false }: HostedDeps,
  { eventUrl }: CheckedProject,
): Generator<Fault> {
  if (eventUrl !== undefined && !readReceiverUrl(eventUrl, allowsLoopbackEvents)) yield receiverRefused(eventUrl);
}

/**
 * Checks the rules that depend on the clock, on the settings and on the translation engine.
 * @throws {Problem} `invalid-project`; `unavailable` if the engine has to be asked, and does not answer
 */
export async function checkCreation(deps: HostedDeps, project: CheckedProject, call: CallContext): Promise<void> {
  const { now, startDateToleranceMs } = deps;
  checkDates(project, { nowMs: now(), toleranceMs: startDateToleranceMs }, [...receiverFaults(deps, project)]);
  if (call.supportsPair) await requirePairs(call.supportsPair, project, call);
}

/**
 * The maximum length of a packed head in the item of a project, in base64. Lists read the items of all projects. They
 * read a larger head from the payload, which costs less than the write units of a large item.
 */
const MAX_HEAD_LENGTH = 8_192;

/**
 * Makes the item fields for the head of a project. A small payload is inside the item, with the head.
 * @param bytes the payload
 */
export async function headFields(head: ServiceProject, bytes: Uint8Array): Promise<HeadFields> {
  return isInside(bytes) ? lengthOfHead(head) : packHead(head, MAX_HEAD_LENGTH);
}

/** The content of the item that stores a new project. */
interface ItemContent {
  readonly data: ProjectRecord;
  readonly bytes: Uint8Array;
  /** Whether the payload is inside the item. */
  readonly isSmall: boolean;
  readonly document: ProjectDocument;
}

/** Makes the data and the payload of the item that stores a new project, and the project's document. */
async function itemContent(project: Project, slots: readonly number[], tasks: StoredTasks): Promise<ItemContent> {
  const { document, payload } = await encodeProject(project, slots);
  const stored = withTexts({ payload, bytes: document.json.bytes }, { tasks: tasks.text });
  const data: ProjectRecord = {
    id: project.id,
    targetLanguages: project.targetLanguages.length,
    segments: project.segments.length,
    customId: project.customId ?? null,
    sourceLanguageId: project.sourceLanguageId,
    ...(await headFields(project, stored.bytes)),
    ...tasks.fields,
    payload: stored.payload,
  };
  return { data, bytes: stored.bytes, isSmall: isInside(stored.bytes), document };
}
