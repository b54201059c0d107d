import * as z from 'zod/mini';
import { hot } from '../../contract/hot.ts';
import { STATES } from '../../contract/language-states.ts';
import { languageById } from '../../contract/languages.ts';
import type { ProjectHead, TargetLanguageAnswer } from '../../contract/project-answer.ts';
import { AUTOMATIC_STATES } from '../../contract/translation-status.ts';
import { companyPartition, paddedId } from '../../records/keys.ts';
import { PackedText, packText, unpackText } from '../../records/packed-text.ts';
import { encodeText } from '../../service/encoded-text.ts';
import type { Key } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';
import { rankOf, statusOf } from './status-text.ts';

/** The schema of the work on one target language. */
const LanguageWork = recordOf(() => ({
  languageId: z.int(),
  /** The edition of the layout in which a put added the language. Absent if the project always had it. */
  since: z.optional(z.int()),
  /** The language code of the request, or that of the catalogue if the request had none. */
  code: z.string(),
  state: z.enum(STATES),
  /** The status from which a translation is final. It depends on the services that the project asks for. */
  finalFrom: z.enum(['automatic', 'translated', 'proofread']),
  /** The number of segments with a final translation. */
  final: z.int(),
  /**
   * The number of final segments of each task, in the order of the tasks. Absent if none or all are final, or if the
   * project has too many tasks: then progress is counted from the chunks.
   */
  finalByTask: z.optional(z.array(z.int())),
  /** Whether all segments were final when the last of them changed. */
  isCompleted: z.boolean(),
  /** Absent if the project does not ask for automatic translation. */
  automatic: z.optional(recordOf(() => ({ state: z.enum(AUTOMATIC_STATES), problem: z.nullable(z.string()) }))),
  /** Present if an engine got a content that is too complex. */
  hasTooComplex: z.optional(z.literal(true)),
  /** Whether the worker still has to assign tasks. Absent if the company manages the work itself. */
  assignment: z.optional(z.enum(['due', 'done'])),
  /** The number of pages of the language's assignments. It never changes. Absent if nothing was assigned yet. */
  assignmentPages: z.optional(z.int()),
}));
export type LanguageWork = z.infer<typeof LanguageWork>;

/**
 * The schema of the record of the work on a project. Every change of a translation or a language replaces this record
 * with its version. So changes of one project have an order, each is counted once, and none follows a deletion.
 */
export const WorkRecord = recordOf(() => ({
  /** The version of the project's item to which the record belongs. The first change and a change of segments change both. */
  projectVersion: z.int(),
  /** The number of segments of the project. */
  segments: z.int(),
  /** The languages, in the order of `targetLanguages`. */
  languages: z.array(LanguageWork),
  /** The URL to which events are sent, if the project has one. */
  eventUrl: z.optional(z.string()),
  /** How often a translation or a language has changed. The pages of one list of segments have the same revision. */
  revision: z.int(),
  /** The sequence number of the last event of the project. */
  sequence: z.int(),
  /** The numbers of the oldest edit that is not folded yet, and of the next edit. */
  edits: recordOf(() => ({ first: z.int(), next: z.int() })),
  /**
   * Until when the worker stores nothing, in milliseconds since 1970. The worker changes the record often, so a slow
   * change of another request would never be in time.
   */
  heldUntilMs: z.optional(z.number()),
  /** Whether chunks may still have what a put or the deletion of a task has made stale, and pages such assignments. */
  hasStale: z.boolean(),
}));
export type WorkRecord = z.infer<typeof WorkRecord>;

/**
 * The stored form of a work record. Many languages are compressed, because each change writes the record, and lists read
 * those of all projects.
 */
const StoredWorkRecord = recordOf(() => ({
  ...WorkRecord.shape,
  languages: z.optional(WorkRecord.shape.languages),
  packedLanguages: z.optional(PackedText),
}));

const workRecord = hot(WorkRecord);
const storedWorkRecord = hot(StoredWorkRecord);

/** Makes the data of the item of a work record. */
export async function encodeWork({ languages, ...work }: WorkRecord): Promise<z.infer<typeof StoredWorkRecord>> {
  const text = await encodeText(JSON.stringify(languages));
  const packedLanguages = text.encoding === 'identity' ? undefined : packText(text);
  return packedLanguages ? { ...work, packedLanguages } : { ...work, languages };
}

/** Parses the data of the item of a work record. */
export function decodeWork(data: unknown): WorkRecord {
  const { packedLanguages, languages, ...work } = storedWorkRecord().parse(data);
  if (languages) return { ...work, languages };
  return workRecord().parse({ ...work, languages: packedLanguages && JSON.parse(unpackText(packedLanguages)) });
}

/** Returns the storage key of a project's work record. */
export function workKey(companyId: string, projectId: number): Key {
  return { partition: companyPartition(companyId), sort: WORK_PREFIX + paddedId(projectId) };
}

/** The prefix of the sort keys of all work records of a company. */
export const WORK_PREFIX = 'work/';

/**
 * Makes the work record of a new project. Its first event is `project.created`. A small project has no stored record
 * before its first change, so a later release must make the same of the same head.
 */
export function newWork({ targetLanguages, eventUrl }: ProjectHead, segments: number): WorkRecord {
  return {
    projectVersion: 1,
    segments,
    languages: targetLanguages.map(newLanguage),
    ...(eventUrl !== undefined && { eventUrl }),
    revision: 1,
    sequence: 1,
    edits: { first: 1, next: 1 },
    hasStale: false,
  };
}

/** Makes the work on a new target language. */
export function newLanguage(entry: TargetLanguageAnswer): LanguageWork {
  return {
    languageId: entry.targetLanguageId,
    code: entry.targetLanguageCode ?? codeOf(entry.targetLanguageId),
    state: entry.state,
    finalFrom: finalFrom(entry),
    final: 0,
    isCompleted: false,
    ...(entry.serviceAutomaticTranslation && { automatic: { state: 'queued', problem: null } }),
    ...(entry.managedProject && { assignment: 'due' }),
  };
}

function finalFrom(entry: TargetLanguageAnswer): LanguageWork['finalFrom'] {
  if (entry.serviceProofreading) return 'proofread';
  if (entry.serviceTranslation) return 'translated';
  return entry.serviceAutomaticTranslation ? 'automatic' : 'translated';
}

/** Returns the percentage of final segments, rounded down: 100 only if all segments are final, or if there are none. */
export function progressOf(final: number, total: number): number {
  return total === 0 ? 100 : Math.floor((final * 100) / total);
}

/** Whether an engine has work to do in a language. */
export function isQueued({ state, automatic }: LanguageWork): boolean {
  return state === 'InProgress' && (automatic?.state === 'queued' || automatic?.state === 'running');
}

/** Whether the worker has to assign tasks of a language. */
export function isAssignmentDue({ state, assignment }: LanguageWork): boolean {
  return state === 'InProgress' && assignment === 'due';
}

/** Whether the worker has to report that all segments of a language are final, because one commit had no room for it. */
export function isCompletionDue(
  { segments }: Pick<WorkRecord, 'segments'>,
  { final, isCompleted }: LanguageWork,
): boolean {
  return segments > 0 && final === segments && !isCompleted;
}

/** Whether a project has work for the worker. */
export function needsWorker(work: WorkRecord): boolean {
  const { languages, hasStale } = work;
  const isDue = (language: LanguageWork) =>
    isQueued(language) || isAssignmentDue(language) || isCompletionDue(work, language);
  return hasStale || languages.some(isDue);
}

/** Adds the present states and the progress to the target languages of a project. */
export function withWork<T extends Pick<ProjectHead, 'targetLanguages'>>(
  head: T,
  { languages, segments }: WorkRecord,
): T {
  const targetLanguages = head.targetLanguages.map((entry, index) => {
    const work = languages[index];
    return work ? { ...entry, ...presentFields(work, segments) } : entry;
  });
  return { ...head, targetLanguages };
}

const TOO_COMPLEX =
  'Some segments are not translated automatically (too-complex): they have too many lines, tags and placeholders. Divide them into several segments.';

/** Returns the present states and progress of the target languages. */
export function presentStates({ languages, segments }: WorkRecord) {
  return languages.map((language) => presentFields(language, segments));
}

/** Returns the fields of a target language that change while work is done. */
function presentFields({ state, final, automatic, hasTooComplex }: LanguageWork, segments: number) {
  const problem = automatic?.problem ?? (hasTooComplex ? TOO_COMPLEX : null);
  return {
    state,
    progress: progressOf(final, segments),
    ...(automatic && { automaticTranslation: { state: automatic.state, problem } }),
  };
}

/** Whether a translation with the status of a character is final in a language. */
export function isFinal({ finalFrom }: LanguageWork, character: string): boolean {
  return rankOf(statusOf(character)) >= rankOf(finalFrom);
}

/** Returns the code of a language in the catalogue. */
export function codeOf(languageId: number): string {
  const language = languageById(languageId);
  if (!language) throw new RangeError('A stored project has a language that is not in the catalogue');
  return language.langCode;
}
