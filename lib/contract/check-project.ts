import * as z from 'zod/mini';
import { distanceMs, instantAt, instantOf, utc } from './date.ts';
import { invalidProject, teamWithoutTranslator } from './failures.ts';
import { FaultList, type FaultSteps } from './fault-list.ts';
import type { Fault } from './faults.ts';
import { loopbackOrHttpsUrl, withoutNulls } from './fields.ts';
import { hot } from './hot.ts';
import { lazy } from './lazy.ts';
import { LIMITS } from './limits.ts';
import { fieldsOf, isListOf } from './pointer.ts';
import type { Problem } from './problem.ts';
import {
  ABSENT_IF_EMPTY,
  CHECKED,
  type CheckedProject,
  LanguageNote,
  ProjectRequest,
  Segment,
  type SegmentRequest,
  TargetLanguage,
  type TargetLanguageRequest,
  TeamMember,
} from './project.ts';
import * as tables from './project-fields.ts';
import { isOfService, namesWhere } from './project-fields.ts';
import { languageFaults, noteFaults, taskFaults, teamFaults, translatorFaults } from './rules.ts';
import { faultsOf, type NamesAt, namesOf } from './schema-faults.ts';
import { sentenceFaults } from './sentence-count.ts';
import { atOnce } from './steps.ts';

/** The time that a start date is compared with, and the allowed difference. */
export interface Clock {
  /** Segue's time, in milliseconds since 1970. */
  readonly nowMs: number;
  /** How much a start date may differ from Segue's time, in milliseconds. */
  readonly toleranceMs: number;
}

/** The rules for a project that depend on Segue: its clock, and where it sends events. */
interface ProjectRules extends Clock {
  /** Whether `eventUrl` may also be `http://127.0.0.1:<port>`. */
  readonly allowsLoopbackEvents?: boolean | undefined;
  /**
   * Whether Segue has set the start date to the time of this attempt, because the request has none. The end date is
   * then compared with the clock.
   */
  readonly isStamped?: boolean;
  /**
   * Whether the project is to be put. Its dates are then not compared with the clock or with each other: a project that
   * exists keeps its start date, and only the service knows whether it exists.
   */
  readonly isPut?: boolean;
  /** The custom id by which a put names the project. It is added to a project that has none. */
  readonly customId?: string | undefined;
  /** Whether the project must have a custom id, because the request names its project by it. */
  readonly requiresCustomId?: boolean;
}

/**
 * The schema of a project without the entries of its two long lists. The entries are checked one by one, so that
 * checking can stop early.
 */
const Frame = z.extend(ProjectRequest, {
  targetLanguages: ProjectRequest.shape.targetLanguages.def.in,
  segments: ProjectRequest.shape.segments.def.in,
});

const loopbackFrame = lazy(() => z.extend(Frame, { eventUrl: z.optional(z.nullable(loopbackOrHttpsUrl())) }));

const projectNames = namesOf(ProjectRequest, namesWhere(tables.PROJECT, isOfService));
const targetLanguageNames = namesOf(
  TargetLanguage,
  namesWhere(tables.TARGET_LANGUAGE, isOfService),
  ProjectRequest.shape.targetLanguages,
);
const memberNames = namesOf(TeamMember, namesWhere(tables.TEAM_MEMBER, isOfService), TargetLanguage.shape.team);
const segmentNames = namesOf(Segment, namesWhere(tables.SEGMENT, isOfService), ProjectRequest.shape.segments);
const noteNames = namesOf(
  LanguageNote,
  namesWhere(tables.LANGUAGE_NOTE, isOfService),
  Segment.shape.languageSpecificNotes,
);

const frame = hot(Frame);
const targetLanguage = hot(TargetLanguage);
const segment = hot(Segment);

/**
 * Checks a project against every rule that needs only the request, and reports the first 100 faults together.
 *
 * A wrong body takes no longer to check than a valid one: the length of a list is checked before its entries, and
 * checking stops when there are more than 100 faults.
 *
 * A retry with an idempotency key may come hours after the first request, when its start date is too old. It must still
 * get the first result. So the rules that depend on the clock are left to `checkDates`, which runs after the lookup of
 * the key, and not at all if the key has a result. This function checks those rules only if it has found other faults,
 * to report all faults together. If `isStamped`, they include the rule that the end date is after the start date.
 * @throws {Problem} `team-without-translator` if a team has a proofreader but no translator, even if there are other
 *   faults; otherwise `invalid-project`
 */
export function checkProject(value: unknown, rules: ProjectRules): CheckedProject {
  return atOnce(projectChecks(value, rules));
}

/**
 * Checks a project like `checkProject`, in steps of some milliseconds. Yields after each step of a large project, so
 * that other work can run.
 * @throws {Problem} like `checkProject`
 */
export function* projectChecks(
  value: unknown,
  {
    isStamped = false,
    isPut = false,
    customId,
    requiresCustomId = false,
    allowsLoopbackEvents = false,
    ...clock
  }: ProjectRules,
): Generator<void, CheckedProject> {
  const sent = fieldsOf(value);
  if (!sent || Array.isArray(value)) {
    throw problemOf([{ pointer: '', code: 'wrong-type', detail: 'A project must be a JSON object.' }]);
  }
  const project = withCustomId(withoutEmpty(sent), customId);
  const faults = new FaultList();
  const targetLanguages: TargetLanguageRequest[] = [];
  const segments: SegmentRequest[] = [];

  faults.add(translatorFaults(project['targetLanguages']));
  const read = (allowsLoopbackEvents ? loopbackFrame() : frame()).safeParse(project);
  if (!read.success) faults.add(faultsOf(read.error.issues, project, [], () => projectNames));
  if (customId !== undefined) faults.add(customIdFaults(project, customId));
  if (requiresCustomId && (project['customId'] ?? null) === null) faults.add([CUSTOM_ID_REQUIRED]);
  if (!isStamped && !isPut) faults.add(endFaults(project));
  faults.add(languageFaults(project));
  if (isListOf(project['targetLanguages'], LIMITS.targetLanguages)) {
    faults.add(teamFaults(project['targetLanguages']));
    yield* faults.addInSteps(readTargetLanguages(project['targetLanguages'], targetLanguages));
  }
  if (isListOf(project['segments'], LIMITS.segments)) {
    yield* faults.addInSteps(readSegments(project['segments'], segments));
    faults.add(sentenceFaults(targetLanguages, segments));
  }
  faults.add(taskFaults(project));

  if (!read.success || faults.found.length > 0) {
    if (isStamped && !isPut) faults.add(endFaults(project));
    if (!isPut) faults.add(startFaults(project['startDateUtc'], clock));
    throw problemOf(faults.found);
  }
  return { ...withoutNulls(read.data), targetLanguages, segments, [CHECKED]: true };
}

/**
 * Checks the rules that depend on the clock: the start date must be near Segue's time, and the end date must be
 * after the start date. The second rule depends on the clock if Segue has set the start date.
 * @param others faults to report together with those of the dates
 * @throws {Problem} `invalid-project`
 */
export function checkDates(project: CheckedProject, clock: Clock, others: readonly Fault[] = []): void {
  const faults = [...startFaults(project.startDateUtc, clock), ...endFaults(project), ...others];
  if (faults.length > 0) throw problemOf(faults);
}

/**
 * Checks the rules of a put that depend on the project that it changes: its end date must be after the start date of the
 * project, which stays.
 * @param startDateUtc that of the project
 * @param others faults to report together with that of the date
 * @throws {Problem} `invalid-project`
 */
export function checkEnd({ endDateUtc }: CheckedProject, startDateUtc: string, others: readonly Fault[]): void {
  const faults = [...endFaults({ startDateUtc, endDateUtc }), ...others];
  if (faults.length > 0) throw problemOf(faults);
}

/**
 * Yields the fault of a put whose project has another custom id than the project that it names.
 * @param own the custom id of the named project; null if it has none
 */
export function* customIdFaults({ customId }: Readonly<Record<string, unknown>>, own: string | null): Generator<Fault> {
  if (typeof customId !== 'string' || customId === own) return;
  const detail = 'A put cannot change the custom id of a project. Leave it out, or send that of the project.';
  yield { pointer: '/customId', code: 'not-the-same', detail };
}

const CUSTOM_ID_REQUIRED: Fault = {
  pointer: '/customId',
  code: 'required',
  detail: 'A put needs the custom id of its project: it names the project that is created or changed.',
};

/** How many segments, notes, target languages and members are checked in one step. */
const STEP_ENTRIES = 5_000;

/** Returns the fields of a project without those that count as absent because they are empty. */
function withoutEmpty(project: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const empty = ABSENT_IF_EMPTY.filter((name) => project[name] === '');
  return empty.length === 0 ? project : { ...project, ...Object.fromEntries(empty.map((name) => [name, null])) };
}

function withCustomId(
  project: Readonly<Record<string, unknown>>,
  customId: string | undefined,
): Readonly<Record<string, unknown>> {
  return customId === undefined ? project : { ...project, customId: project['customId'] ?? customId };
}

function* readTargetLanguages(entries: readonly unknown[], into: TargetLanguageRequest[]): FaultSteps {
  const namesAt: NamesAt = (path) => (path.length > 0 ? memberNames : targetLanguageNames);
  let inStep = 0;
  for (const [index, entry] of entries.entries()) {
    const read = targetLanguage().safeParse(entry);
    if (read.success) into.push(withoutNulls(read.data));
    else yield* faultsOf(read.error.issues, entry, ['targetLanguages', index], namesAt);
    inStep += 1 + (read.data?.team?.length ?? 0);
    if (inStep < STEP_ENTRIES) continue;
    yield;
    inStep = 0;
  }
}

function* readSegments(entries: readonly unknown[], into: SegmentRequest[]): FaultSteps {
  const namesAt: NamesAt = (path) => (path.length > 0 ? noteNames : segmentNames);
  let inStep = 0;
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index];
    const read = segment().safeParse(entry);
    if (read.success) into.push(withoutNulls(read.data));
    else yield* faultsOf(read.error.issues, entry, ['segments', index], namesAt);
    const notes = fieldsOf(entry)?.['languageSpecificNotes'];
    inStep += 1;
    if (notes !== undefined && isListOf(notes, LIMITS.notesPerSegment)) {
      yield* noteFaults(notes, ['segments', index, 'languageSpecificNotes']);
      inStep += notes.length;
    }
    if (inStep < STEP_ENTRIES) continue;
    yield;
    inStep = 0;
  }
}

function* endFaults({ startDateUtc, endDateUtc }: Readonly<Record<string, unknown>>): Generator<Fault> {
  const start = typeof startDateUtc === 'string' ? instantOf(startDateUtc) : undefined;
  const end = typeof endDateUtc === 'string' ? instantOf(endDateUtc) : undefined;
  if (start !== undefined && end !== undefined && end <= start) {
    yield {
      pointer: '/endDateUtc',
      code: 'end-not-after-start',
      detail: 'The end date must be after the start date.',
    };
  }
}

function* startFaults(startDateUtc: unknown, { nowMs, toleranceMs }: Clock): Generator<Fault> {
  const start = typeof startDateUtc === 'string' ? instantOf(startDateUtc) : undefined;
  if (start !== undefined && distanceMs(start, instantAt(nowMs)) > toleranceMs) {
    yield {
      pointer: '/startDateUtc',
      code: 'start-not-now',
      detail: `The start date must be within ${toleranceMs / 1000} seconds of Segue’s time, ${utc(nowMs)}.`,
      allowed: [utc(nowMs)],
    };
  }
}

function problemOf(errors: readonly Fault[]): Problem {
  return errors.some(({ code }) => code === 'team-without-translator')
    ? teamWithoutTranslator(errors)
    : invalidProject(errors);
}
