import type { EventData, EventType } from '../../contract/event.ts';
import { type EventDeps, type EventOrigin, outboxWrite } from '../../records/outbox.ts';
import type { Storage, Write } from '../../storage/port.ts';
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
  readonly work: WorkRecord;
  readonly workVersion: number;
}

/** A changed work record, and the writes that store it. */
export interface WorkChange {
  readonly work: WorkRecord;
  /** The first write replaces the work record, with its version. */
  readonly writes: readonly Write[];
}

/**
 * Changes the work record of a project, and reports the change: with the given events, and with `language.completed` for
 * each language whose last segment became final. A change of a language may be a reason to assign its tasks.
 * @param caller the request that makes the change
 * @param after its languages that have not changed are the same objects as before
 * @param options `isAssigning`: the change is the assignment itself, which no page of segments shows
 */
export async function changeWork(
  deps: EventDeps,
  caller: EventOrigin,
  { id, work: before, workVersion }: StoredWork,
  after: WorkRecord,
  events: readonly WorkEvent[] = [],
  { isAssigning = false } = {},
): Promise<WorkChange> {
  const all = [...events, ...completions(before, after)];
  const { heldUntilMs: _, ...changed } = after;
  const languages = after.languages.map((language, index) =>
    isAssigning || language === before.languages[index] ? language : withAssignmentDue(language),
  );
  const work: WorkRecord = {
    ...changed,
    languages,
    sequence: before.sequence + all.length,
    revision: before.revision + (isAssigning ? 0 : 1),
  };
  return {
    work,
    writes: [
      { kind: 'replace', key: workKey(caller.companyId, id), version: workVersion, data: await encodeWork(work) },
      ...eventWrites(deps, caller, id, before, all),
    ],
  };
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
  { id, work, workVersion }: StoredWork,
  nowMs: number,
): Promise<boolean> {
  const isAtWork = work.languages.some((language) => isQueued(language) || isAssignmentDue(language));
  if (!isAtWork || isHeld(work, nowMs)) return false;
  const data = await encodeWork({ ...work, heldUntilMs: nowMs + HOLD_MS });
  await storage.commit({ writes: [{ kind: 'replace', key: workKey(companyId, id), version: workVersion, data }] });
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

function completions(before: WorkRecord, { languages, segments }: WorkRecord): WorkEvent[] {
  return languages
    .filter(({ isCompleted }, index) => isCompleted && !before.languages[index]?.isCompleted)
    .map(({ languageId }) => ({
      type: 'language.completed',
      data: { languageId, languageCode: codeOf(languageId), segments },
    }));
}
