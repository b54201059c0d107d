import { isDeepStrictEqual } from 'node:util';
import type { JobRef } from '../../background/job-list.ts';
import type { EngineCall, EngineFailure, EngineFailureCode } from '../../service/translation-engine.ts';
import { assignLanguage } from '../people/assign-language.ts';
import { readProject } from '../read-projects.ts';
import { foldEdit } from './fold-edits.ts';
import { removeAll, removeEmptySlots } from './remove-translations.ts';
import { type JobRun, type LanguageEnd, type TranslationDeps, translateLanguage } from './translate-language.ts';
import { openView } from './translation-view.ts';
import { changeWork, type WorkEvent, workerOrigin } from './work-change.ts';
import { codeOf, isAssignmentDue, isQueued, type LanguageWork } from './work-record.ts';

/** The end of a run: there is nothing more to do, or the job is due again later. */
export type JobEnd =
  /** `isGone`: the project was deleted. */
  | { readonly kind: 'done'; readonly isGone: boolean }
  | { readonly kind: 'later'; readonly dueMs: number; readonly failures: number; readonly failure?: EngineFailure };

/** How many runs of a job may fail one after the other. After that, the automatic translation has failed. */
const MAX_FAILURES = 8;
/** The longest pause after failed runs, in milliseconds. */
const MAX_PAUSE_MS = 600_000;
/** The pause after the first failed run, in milliseconds. It doubles with each further one. */
const FIRST_PAUSE_MS = 2_000;

/**
 * Does the pending work of a project: folds edits, removes deleted translations, assigns tasks, and translates. It may be stopped at
 * any point, because each step is one commit, and the next run finds the rest. Two runs at once store nothing twice.
 * @param failures how many runs failed one after the other before this one
 */
export async function runJob(deps: TranslationDeps, job: JobRef, failures: number, call: EngineCall): Promise<JobEnd> {
  const { companyId, projectId } = job;
  const { storage, now } = deps;
  const run: JobRun = { ...call, segments: new Map(), known: new Map() };
  const isTimeLeft = () => call.deadline.remainingMs() > 0;
  let waiting: JobEnd | undefined;
  while (isTimeLeft()) {
    const project = await readProject(storage, companyId, projectId);
    if (!project) {
      if (await removeAll(storage, job, isTimeLeft)) return { kind: 'done', isGone: true };
      continue;
    }
    const { id, record, work } = project;
    const { edits } = await openView(storage, { companyId, id, slots: record.payload.slots }, work);
    const [edit] = edits;
    if (edit) {
      await foldEdit(storage, companyId, project, edit);
      continue;
    }
    if (work.hasRemoved) {
      await removeEmptySlots(storage, companyId, project, isTimeLeft);
      continue;
    }
    const due = work.languages.findIndex(isAssignmentDue);
    if (due !== -1) {
      await assignLanguage(deps, companyId, project, due);
      continue;
    }
    if (waiting) return waiting;
    const index = work.languages.findIndex(isQueued);
    if (index === -1) return { kind: 'done', isGone: false };
    const end = await translateLanguage(deps, { companyId, index }, project, run);
    if (end.kind === 'changed') continue;
    const ended = endOf(end, failures, now());
    await endLanguage(deps, job, index, ended);
    waiting = ended.job;
  }
  return waiting ?? { kind: 'later', dueMs: now(), failures: 0 };
}

/** What the end of a run over a language means for the language and its job. */
interface EndedLanguage {
  readonly automatic: NonNullable<LanguageWork['automatic']>;
  /** Present if the job waits. */
  readonly job?: JobEnd;
}

/** The end of a run over a language that has not changed meanwhile. */
type EndedRun = Exclude<LanguageEnd, { readonly kind: 'changed' }>;

function endOf(end: EndedRun, failures: number, nowMs: number): EndedLanguage {
  if (end.kind === 'done') return { automatic: { state: 'done', problem: null } };
  if (end.kind === 'limited') {
    return {
      automatic: {
        state: 'queued',
        problem: 'The company has used up its characters for today. Segue continues tomorrow (UTC).',
      },
      job: { kind: 'later', dueMs: end.untilMs, failures },
    };
  }
  const { failure, hasProgress } = end;
  const { code, retryAfterMs } = failure;
  const count = hasProgress ? 1 : failures + 1;
  if (retryAfterMs === undefined || count >= MAX_FAILURES) {
    return { automatic: { state: 'failed', problem: PROBLEMS[code] } };
  }
  const pauseMs = Math.max(retryAfterMs, Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), MAX_PAUSE_MS));
  return {
    automatic: { state: 'running', problem: PROBLEMS[code] },
    job: { kind: 'later', dueMs: nowMs + pauseMs, failures: count, failure },
  };
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
};

/** Stores the end of a run over a language, unless nothing changes, or nobody wants the translation any more. */
async function endLanguage(
  deps: TranslationDeps,
  { companyId, projectId }: JobRef,
  index: number,
  { automatic }: EndedLanguage,
): Promise<void> {
  for (;;) {
    const project = await readProject(deps.storage, companyId, projectId);
    const language = project?.work.languages[index];
    if (!project || !language || !isQueued(language) || isDeepStrictEqual(language.automatic, automatic)) return;
    const { languageId } = language;
    const data = { languageId, languageCode: codeOf(languageId), segments: project.work.segments - language.final };
    const events: WorkEvent[] = automatic.state === 'failed' ? [{ type: 'translation.failed', data }] : [];
    const languages = project.work.languages.with(index, { ...language, automatic });
    const { writes } = await changeWork(
      deps,
      workerOrigin(deps, companyId),
      project,
      { ...project.work, languages },
      events,
    );
    if ((await deps.storage.commit({ writes })).ok) return;
  }
}
