import { isDeepStrictEqual } from 'node:util';
import { lazy } from '../../contract/lazy.ts';
import { type JobRef, nextDayMs } from '../../deliveries/jobs.ts';
import { deadlineAt } from '../../service/deadline.ts';
import { type EngineCall, EngineFailure, type EngineFailureCode } from '../../service/translation-engine.ts';
import { assignLanguage } from '../people/assign-language.ts';
import { readProject, type StoredProject } from '../read-projects.ts';
import { type DailyCharacters, dailyCharacters } from './daily-characters.ts';
import { foldEdit } from './fold-edits.ts';
import { type Backoff, NO_BACKOFF, pauseAfter } from './jobs.ts';
import { readLayout } from './project-parts.ts';
import { removeAll, removeStale } from './remove-translations.ts';
import { type JobRun, type TranslationDeps, translateLanguage } from './translate-language.ts';
import { openView } from './translation-view.ts';
import { changeWork, type WorkEvent, workerOrigin } from './work-change.ts';
import { codeOf, isAssignmentDue, isCompletionDue, isQueued, type LanguageWork } from './work-record.ts';

/** The end of a run: there is nothing more to do, or the job is due again later. */
export type JobEnd = RunReport &
  (
    | { readonly kind: 'done' /** Whether the project was deleted. */; readonly isGone: boolean }
    | { readonly kind: 'later'; readonly dueMs: number }
  );

interface RunReport {
  /** What the next run of the job has to know. */
  readonly backoff: Backoff;
  /** Why a language was not translated, or what ended the run. */
  readonly failure?: unknown;
}

/** The time of a run, and what it reports. */
export interface RunCall extends EngineCall {
  /** Called once the run has stored results. */
  readonly onProgress: () => Promise<void>;
}

/** How many runs of a job may fail one after the other. After that, the automatic translation has failed. */
const MAX_FAILURES = 8;
/** After how many failed runs the cause is not the translation. Then Segue only removes deleted content. */
const MAX_OTHER_FAILURES = 2 * MAX_FAILURES;
/** The time after which a run makes way for other jobs, in milliseconds. It still ends its step or chunk. */
const RUN_MS = 20_000;

/**
 * Does the pending work of a project: folds edits, removes deleted translations, assigns tasks, and translates. It may be stopped at
 * any point, because each step is one commit, and the next run finds the rest. Two runs at once store nothing twice.
 * @param before the backoff after the runs before this one
 */
export async function runJob(deps: TranslationDeps, job: JobRef, before: Backoff, call: RunCall): Promise<JobEnd> {
  const budget = lazy(async (): Promise<DailyCharacters | undefined> => {
    const perDay = Math.min(
      deps.charactersPerDay ?? Number.POSITIVE_INFINITY,
      (await deps.charactersPerDayOf?.(job.companyId)) ?? Number.POSITIVE_INFINITY,
    );
    return Number.isFinite(perDay) ? dailyCharacters(deps, job.companyId, perDay) : undefined;
  });
  let isOpen = false;
  const openBudget = () => {
    isOpen = true;
    return budget();
  };
  try {
    return await runSteps(deps, job, before, { ...call, openBudget });
  } finally {
    // The run has ended, also if the store fails now. Then the characters stay counted.
    if (isOpen)
      await budget()
        .then((opened) => opened?.release())
        .catch(() => {});
  }
}

/** Opens the characters of the company. Only a run that translates needs them. */
type OpenBudget = () => Promise<DailyCharacters | undefined>;

async function runSteps(
  deps: TranslationDeps,
  job: JobRef,
  before: Backoff,
  { openBudget, ...call }: RunCall & { readonly openBudget: OpenBudget },
): Promise<JobEnd> {
  const { companyId, projectId } = job;
  const { storage, now } = deps;
  const turn = deadlineAt(now() + RUN_MS, now);
  const isTimeLeft = () => call.deadline.remainingMs() > 0 && turn.remainingMs() > 0;
  let failures = before.failures;
  // A run that ends is the end of a series of deaths. If somebody starts a language again, one run may try it.
  let report: RunReport = { backoff: { ...before, failures: Math.min(before.failures, MAX_FAILURES - 1) } };
  let dueMs = before.retryAtMs !== undefined && before.retryAtMs > now() ? before.retryAtMs : undefined;
  /** The languages with texts for which no day has enough characters. The others go on. */
  const overLimit = new Set<number>();
  const run: Omit<JobRun, 'budget'> = {
    ...call,
    isTimeLeft,
    async onProgress() {
      await call.onProgress();
      failures = 0;
      report = { ...report, backoff: NO_BACKOFF };
    },
    segments: new Map(),
  };
  while (isTimeLeft()) {
    const project = await readProject(storage, companyId, projectId);
    if (!project) {
      if (await removeAll(storage, job, isTimeLeft)) return { kind: 'done', isGone: true, ...report };
      continue;
    }
    const { work } = project;
    const index = work.languages.findIndex((language) => isQueued(language) && !overLimit.has(language.languageId));
    if (before.failures >= MAX_FAILURES && index !== -1) {
      // The languages are translated in their order, so this one was the last. Each of the others gets runs of its own.
      await fail(index, new EngineFailure('interrupted'));
      return { kind: 'later', dueMs: now(), ...report };
    }
    if (before.failures >= MAX_OTHER_FAILURES && !work.hasStale) return { kind: 'done', isGone: false, ...report };
    const layout = await readLayout(storage, project);
    if (!layout) continue;
    const view = await openView(storage, companyId, project, layout);
    const [edit] = view.edits;
    if (edit) {
      await foldEdit(storage, companyId, project, view, edit);
      continue;
    }
    if (work.hasStale) {
      await removeStale(storage, companyId, project, view, isTimeLeft);
      continue;
    }
    if (work.languages.some((language) => isCompletionDue(work, language))) {
      await reportCompletions(deps, companyId, project);
      continue;
    }
    const due = work.languages.findIndex(isAssignmentDue);
    if (due !== -1) {
      await assignLanguage(deps, companyId, project, due, isTimeLeft);
      continue;
    }
    if (index === -1 && overLimit.size > 0) return { kind: 'later', dueMs: nextDayMs(now()), ...report };
    if (index === -1) return { kind: 'done', isGone: false, ...report };
    if (dueMs !== undefined) return { kind: 'later', dueMs, ...report };
    const end = await translateLanguage(deps, { companyId, index }, project, {
      ...run,
      budget: await openBudget(),
    });
    if (end.kind === 'done') await endLanguage(deps, job, index, { state: 'done', problem: null });
    if (end.kind === 'failed' && end.failure.code === 'over-limit') {
      const languageId = work.languages[index]?.languageId;
      if (languageId !== undefined) overLimit.add(languageId);
      await endLanguage(deps, job, index, { state: 'queued', problem: PROBLEMS['over-limit'] });
    } else if (end.kind === 'failed') await fail(index, end.failure);
  }
  return { kind: 'later', dueMs: now(), ...report };

  async function fail(index: number, failure: EngineFailure): Promise<void> {
    const ended = endOf(failure, failures, now());
    await endLanguage(deps, job, index, ended.automatic, failure);
    report = { backoff: ended.backoff ?? report.backoff, failure: ended.backoff && failure };
    dueMs = ended.dueMs;
  }
}

/** Reports completed languages for which an earlier commit had no room. */
async function reportCompletions(deps: TranslationDeps, companyId: string, project: StoredProject): Promise<void> {
  const { work } = project;
  const languages = work.languages.map((language) =>
    isCompletionDue(work, language) ? { ...language, isCompleted: true } : language,
  );
  const origin = workerOrigin(deps, companyId);
  const { writes } = await changeWork(deps, origin, project, { ...work, languages }, [], { isAssigning: true });
  await deps.storage.commit({ writes });
}

/** What a failure means for the language and its job. */
interface FailedLanguage {
  readonly automatic: NonNullable<LanguageWork['automatic']>;
  /** Absent if the failure is not counted. */
  readonly backoff?: Backoff;
  /** When the job continues. Absent if the language has failed for good. */
  readonly dueMs?: number;
}

/** @param failures how many runs failed one after the other before this one */
function endOf({ code, retryAfterMs }: EngineFailure, failures: number, nowMs: number): FailedLanguage {
  const problem = PROBLEMS[code];
  const state = code === 'limited' ? 'queued' : 'running';
  if (code === 'limited' || code === 'aborted') {
    return { automatic: { state, problem }, dueMs: nowMs + (retryAfterMs ?? 0) };
  }
  const count = Math.min(failures + 1, MAX_FAILURES);
  const retryAtMs = nowMs + Math.max(retryAfterMs ?? 0, pauseAfter(count));
  if (retryAfterMs === undefined || count === MAX_FAILURES) {
    const backoff = { failures: Math.min(count, MAX_FAILURES - 1), retryAtMs };
    return { automatic: { state: 'failed', problem }, backoff };
  }
  return { automatic: { state, problem }, backoff: { failures: count, retryAtMs }, dueMs: retryAtMs };
}

/** The texts of `automaticTranslation.problem`. */
const PROBLEMS: Readonly<Record<EngineFailureCode, string>> = {
  busy: 'The translation engine is busy.',
  unreachable: 'The translation engine did not answer.',
  failed: 'The translation engine reported a failure of its own.',
  'timed-out': 'The translation engine did not answer in time.',
  aborted: 'Segue stopped before the translation engine answered.',
  'invalid-answer': 'The answer of the translation engine was invalid.',
  rejected: 'The translation engine does not accept the texts.',
  unauthorized: 'The translation engine does not accept the credentials of the operator.',
  'quota-exceeded': 'The operator’s account at the translation engine is used up.',
  'no-engine': 'The operator has set up no translation engine.',
  'unsupported-pair': 'The translation engine does not translate between these languages.',
  limited:
    'The company has used up its characters for today (quota-exceeded). Segue continues tomorrow (UTC), or at once with a higher limit.',
  'over-limit':
    'A text is longer than the company’s characters of a day (quota-exceeded). It needs a limit above the longest text.',
  interrupted: 'Segue stopped again and again while it translated.',
};

/** Stores the end of a run over a language, unless nothing changes, or nobody wants the translation any more. */
async function endLanguage(
  deps: TranslationDeps,
  { companyId, projectId }: JobRef,
  index: number,
  automatic: NonNullable<LanguageWork['automatic']>,
  failure?: EngineFailure,
): Promise<void> {
  for (;;) {
    const project = await readProject(deps.storage, companyId, projectId);
    const language = project?.work.languages[index];
    if (!project || !language || !isQueued(language) || isDeepStrictEqual(language.automatic, automatic)) return;
    const { languageId } = language;
    const languageCode = codeOf(languageId);
    const data = { languageId, languageCode, segments: project.work.segments - language.final };
    const events: WorkEvent[] = automatic.state === 'failed' ? [{ type: 'translation.failed', data }] : [];
    const languages = project.work.languages.with(index, { ...language, automatic });
    const { writes } = await changeWork(
      deps,
      workerOrigin(deps, companyId),
      project,
      { ...project.work, languages },
      events,
    );
    if (!(await deps.storage.commit({ writes })).ok) continue;
    if (failure && automatic.state === 'failed') {
      deps.onFailed?.({ companyId, projectId, languageCode, traceId: deps.traceId, failure });
    }
    return;
  }
}
