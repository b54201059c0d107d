import * as z from 'zod/mini';
import * as failures from '../contract/failures.ts';
import { languageByCode } from '../contract/languages.ts';
import type { TargetLanguageAnswer } from '../contract/project-answer.ts';
import type { LanguageChange } from '../contract/translations.ts';
import { commitWithResult, type ResultWrite, retryRefused } from '../idempotency/commit.ts';
import type { KeyedOperation, RecordedOperation } from '../idempotency/keyed-operation.ts';
import type { CallContext, ProjectRef } from '../service/port.ts';
import { recordOf } from '../storage/record.ts';
import type { HostedDeps } from './deps.ts';
import { findProject, readHead, type StoredProject } from './read-projects.ts';
import { addJob } from './work/jobs.ts';
import { changeWork, type WorkEvent } from './work/work-change.ts';
import { codeOf, type LanguageWork, needsWorker, withWork } from './work/work-record.ts';

const LanguageChanged = recordOf(() => ({ projectId: z.int(), languageId: z.int() }));
type LanguageChanged = z.infer<typeof LanguageChanged>;

interface Change {
  readonly ref: ProjectRef;
  readonly languageCode: string;
  readonly to: LanguageChange;
}

/** What other requests need to know of a change of a language. */
export const RECORDED_LANGUAGE_CHANGE: RecordedOperation<LanguageChanged> = {
  name: 'change-language',
  recorded: LanguageChanged,
  deleted: 'The project was deleted after its language was changed with this idempotency key.',
};

/** A change of a language under its key. */
export const languageChange = (deps: HostedDeps): KeyedOperation<Change, LanguageChanged, TargetLanguageAnswer> => ({
  ...RECORDED_LANGUAGE_CHANGE,
  identity: (request) => request,
  another: 'another change of a language',
  replay: (changed, call) => getLanguage(deps, changed, call),
  shown: (language) => ({ language }),
});

/**
 * Changes the state of a target language. `InProgress` also starts a failed automatic translation again.
 * @param languageCode a code as the client sent it, which may be unknown
 * @param resultWrite makes the write of the result; `undefined` if the request has no idempotency key
 * @throws {Problem} `project-not-found`, `language-not-found`
 */
export function changeLanguage(
  deps: HostedDeps,
  ref: ProjectRef,
  languageCode: string,
  { state }: LanguageChange,
  call: CallContext,
  resultWrite: ResultWrite<LanguageChanged> | undefined,
): Promise<TargetLanguageAnswer> {
  const { storage, now } = deps;
  const { companyId, deadline } = call;
  return retryRefused(call, async () => {
    const project = await findProject(deps, ref, companyId);
    const { id, work } = project;
    const wanted = languageByCode(languageCode)?.id;
    const index = work.languages.findIndex(({ languageId }) => languageId === wanted);
    const before = work.languages[index];
    if (!before) throw failures.languageNotFound();
    const { languageId } = before;
    const after = withState(before, state);
    const event: WorkEvent = {
      type: 'language.state-changed',
      data: { languageId, languageCode: codeOf(languageId), state },
    };
    const languages = work.languages.with(index, after);
    const change = await changeWork(deps, call, project, { ...work, languages }, state === before.state ? [] : [event]);
    const jobs = needsWorker(change.work) ? [addJob({ companyId, projectId: id, atMs: now() }, call)] : [];
    // After the commit, nothing may fail or be repeated. So the answer is made before.
    const answer = await answerOf(deps, { ...project, work: change.work }, index);
    if (!answer) return undefined;
    const batch = { writes: [...change.writes, ...jobs], deadline };
    const refused = await commitWithResult(storage, batch, resultWrite, { projectId: id, languageId });
    return refused ? undefined : answer;
  });
}

/**
 * Reads a target language of a project as it stands.
 * @throws {Problem} `project-not-found`
 */
function getLanguage(
  deps: HostedDeps,
  { projectId, languageId }: LanguageChanged,
  call: CallContext,
): Promise<TargetLanguageAnswer> {
  return retryRefused(call, async () => {
    const project = await findProject(deps, { id: projectId }, call.companyId);
    const index = project.work.languages.findIndex((language) => language.languageId === languageId);
    return answerOf(deps, project, index);
  });
}

function withState(language: LanguageWork, state: LanguageWork['state']): LanguageWork {
  const isRetried = state === 'InProgress' && language.automatic?.state === 'failed';
  return { ...language, state, ...(isRetried && { automatic: { state: 'queued', problem: null } }) };
}

/** Returns a target language as the project shows it; `undefined` if the project has changed since it was read. */
async function answerOf(
  deps: HostedDeps,
  project: StoredProject,
  index: number,
): Promise<TargetLanguageAnswer | undefined> {
  const head = await readHead(deps, project.item);
  return head && withWork(head, project.work).targetLanguages[index];
}
