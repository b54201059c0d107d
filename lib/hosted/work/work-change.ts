import type { EventData, EventType } from '../../contract/event.ts';
import { projectKey } from '../../records/keys.ts';
import { type EventDeps, type EventOrigin, outboxWrite } from '../../records/outbox.ts';
import type { Item, Storage, Write } from '../../storage/port.ts';
import {
  codeOf,
  encodeWork,
  isAssignmentDue,
  isQueued,
  type LanguageWork,
  type WorkRecord,
  workKey,
} from './work-record.ts';

/** The id that changes of the worker have instead of the id of a request. */
const WORKER_ID = 'worker';

/** Returns the origin of a change of the worker. It has the trace of the job. */
export function workerOrigin({ traceId }: Pick<EventOrigin, 'traceId'>, companyId: string): EventOrigin {
  return { companyId, requestId: WORKER_ID, traceId };
}

/** An event of a project. The project id and the sequence number are added to it. */
export interface WorkEvent {
  readonly type: EventType;
  readonly data?: Omit<EventData, 'projectId'>;
}

/** The work on a project, as it was read from the store. */
export interface StoredWork {
  readonly id: number;
  /** The item of the project, and its data. */
  readonly item: Item;
  readonly record: ProjectData;
  readonly work: WorkRecord;
  /** The version of the work record; 0 if there is none yet, because the project is as it was created. */
  readonly workVersion: number;
}

/** The data of a project's item. */
interface ProjectData {
  /** The version of the work record that the payload shows. */
  readonly shownWorkVersion?: number | undefined;
}

/** What replaces the item of a project. */
interface Replacement {
  readonly data: ProjectData;
  readonly bytes?: Uint8Array;
  readonly drops?: string | undefined;
}

/** How many events one change reports. A commit has room for its other writes beside them; see `MAX_OPERATIONS`. */
export const MAX_EVENTS = 80;

/** A changed work record, and the writes that store it. */
export interface WorkChange {
  readonly work: WorkRecord;
  /** The first write is that of the work record, with its version. */
  readonly writes: readonly Write[];
}

/**
 * Changes the work record of a project, and reports the change: with the given events, and with `language.completed` for
 * each language whose last segment became final. A change of a language may be a reason to assign its tasks. The first
 * change of a project without work record also notes in its item that it has one.
 * @param caller the request that makes the change
 * @param after its languages that have not changed are the same objects as before
 * @param options `isAssigning`: the change is the assignment itself, which no page of segments shows; `replacement`: what
 *   replaces the project's item in the same commit
 */
export async function changeWork(
  deps: EventDeps,
  caller: EventOrigin,
  stored: StoredWork,
  after: WorkRecord,
  events: readonly WorkEvent[] = [],
  { isAssigning = false, replacement }: { readonly isAssigning?: boolean; readonly replacement?: Replacement } = {},
): Promise<WorkChange> {
  const { id, item, work: before, workVersion } = stored;
  const next = replacement ?? (workVersion === 0 ? unchanged(stored) : undefined);
  const completed = completedIn(before, after);
  const told = completed.slice(0, MAX_EVENTS - events.length);
  // The worker reports the others.
  const untold = new Set(completed.slice(told.length));
  const all = [...events, ...told.map((language) => completion(language, after))];
  const { heldUntilMs: _, ...changed } = after;
  const known = new Set(before.languages);
  const languages = after.languages
    .map((language) => (untold.has(language) ? { ...language, isCompleted: false } : language))
    .map((language) => (isAssigning || known.has(language) ? language : withAssignmentDue(language)));
  const work: WorkRecord = {
    ...changed,
    projectVersion: next ? item.version + 1 : before.projectVersion,
    languages,
    sequence: before.sequence + all.length,
    revision: before.revision + (isAssigning ? 0 : 1),
  };
  return {
    work,
    writes: [
      await workWrite(caller.companyId, stored, work),
      ...(next ? [itemWrite(caller.companyId, stored, next)] : []),
      ...eventWrites(deps, caller, id, { ...after, sequence: before.sequence }, all),
    ],
  };
}

/** Makes the write that stores the work record of a project. The first one is inserted. */
async function workWrite(companyId: string, { id, workVersion }: StoredWork, work: WorkRecord): Promise<Write> {
  const content = { key: workKey(companyId, id), data: await encodeWork(work) };
  return workVersion === 0 ? { kind: 'insert', ...content } : { kind: 'replace', version: workVersion, ...content };
}

/** The version of no work record: the document of a project is made with the present work whenever it is read. */
const NO_VERSION = 0;

/** Makes the write that replaces the item of a project. It notes that there is a work record, which the payload may not show. */
function itemWrite(companyId: string, { id, item: { version } }: StoredWork, { data, ...others }: Replacement): Write {
  const key = projectKey(companyId, id);
  return { kind: 'replace', key, version, ...others, data: { ...data, shownWorkVersion: NO_VERSION } };
}

/** Makes the content of a project's item as it is. Its payload is inside the item and stays, so nothing is dropped. */
function unchanged({ item, record }: StoredWork): Replacement {
  return { data: record, bytes: bytesInside(item) };
}

/** Returns the payload of a project without work record. @throws if it is not inside the item */
export function bytesInside({ bytes }: Item): Uint8Array {
  if (!bytes) throw new RangeError('The payload of a project without work record is not inside its item');
  return bytes;
}

function withAssignmentDue(language: LanguageWork): LanguageWork {
  return language.assignment ? { ...language, assignment: 'due' } : language;
}

/** How long a request holds the worker off, in milliseconds: longer than any change takes. */
const HOLD_MS = 5_000;

/** The pause before a worker that is held off looks again, in milliseconds. */
export const HELD_PAUSE_MS = 20;

/** Whether a request holds the worker off. */
export function isHeld({ heldUntilMs = 0 }: WorkRecord, nowMs: number): boolean {
  return heldUntilMs > nowMs;
}

/**
 * Holds the worker off until the next change of the project, so that this change is not refused again and again.
 * @returns whether the work record was written, so that it must be read again; `false` if no worker is at work, or a
 *   request holds it off already
 */
export async function holdOff(
  storage: Pick<Storage, 'commit'>,
  companyId: string,
  stored: StoredWork,
  nowMs: number,
): Promise<boolean> {
  const { work } = stored;
  const isAtWork = work.languages.some((language) => isQueued(language) || isAssignmentDue(language));
  if (!isAtWork || isHeld(work, nowMs)) return false;
  // A project without work record has nothing for the worker.
  const write = await workWrite(companyId, stored, { ...work, heldUntilMs: nowMs + HOLD_MS });
  await storage.commit({ writes: [write] });
  return true;
}

/** Makes the writes that record events of a project, with the sequence numbers after those of its work record. */
export function eventWrites(
  deps: EventDeps,
  caller: EventOrigin,
  projectId: number,
  { sequence, eventUrl }: Pick<WorkRecord, 'sequence' | 'eventUrl'>,
  events: readonly WorkEvent[],
): Write[] {
  return events.map(({ type, data }, n) =>
    outboxWrite(deps, caller, { type, sequence: sequence + n + 1, data: { projectId, ...data }, eventUrl }),
  );
}

/** Returns the languages whose last segment became final. */
function completedIn(before: WorkRecord, { languages }: WorkRecord): LanguageWork[] {
  const completed = new Set(
    before.languages.flatMap(({ languageId, isCompleted }) => (isCompleted ? [languageId] : [])),
  );
  return languages.filter(({ languageId, isCompleted }) => isCompleted && !completed.has(languageId));
}

function completion({ languageId }: LanguageWork, { segments }: WorkRecord): WorkEvent {
  return { type: 'language.completed', data: { languageId, languageCode: codeOf(languageId), segments } };
}
