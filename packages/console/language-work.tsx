import { useState } from 'preact/hooks';
import type { LanguageState } from '../../lib/contract/language-states.ts';
import { type Assignee, type DocumentedTargetLanguage, SegueError } from '../client/index.ts';
import { hasFailed } from './languages.tsx';
import { Failure } from './page.tsx';
import { viewAddress } from './project-bar.tsx';
import { TO_DO } from './segment-filter.ts';
import { useClient } from './session.ts';
import { count, languageLabel, languageName, text } from './values.ts';

interface WorkProps {
  readonly projectId: number;
  readonly language: DocumentedTargetLanguage;
  readonly onChanged: (language: Pick<DocumentedTargetLanguage, 'state' | 'automaticTranslation'>) => void;
}

/** Starts or stops the work on a target language. */
export function LanguageWork({ projectId, language, onChanged }: WorkProps) {
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { targetLanguageCode: code, state } = language;
  if (typeof code !== 'string' || (state !== 'InProgress' && state !== 'InPreparation')) return null;
  const change = async (next: LanguageState) => {
    setBusy(true);
    setError(undefined);
    await client
      .changeLanguage(projectId, code, { state: next })
      .then(({ state: now, automaticTranslation }) => onChanged({ state: now, automaticTranslation }), setError);
    setBusy(false);
  };
  const next = state === 'InProgress' ? 'InPreparation' : 'InProgress';
  const verb = next === 'InProgress' ? 'Start' : 'Stop';
  const question = `Stop the work on ${languageName(code)}? You can start it again.`;
  return (
    <>
      <button
        type="button"
        class="subtle work"
        disabled={isBusy}
        aria-label={`${verb} this language: ${languageName(code)}`}
        onClick={() => (next === 'InProgress' || confirm(question)) && change(next)}
      >
        {verb} this language{next === 'InPreparation' && '…'}
      </button>
      {hasFailed(language) && (
        <span class="more">
          <button type="button" disabled={isBusy} onClick={() => change('InProgress')}>
            Translate into {languageName(code)} automatically again
          </button>
        </span>
      )}
      {error !== undefined && (
        <div class="more">
          <Failure error={advised(error)} />
        </div>
      )}
    </>
  );
}

/** A service behind Segue does its work itself. */
function advised(error: unknown): unknown {
  if (!(error instanceof SegueError) || error.type !== 'not-supported') return error;
  return new TypeError('The service behind Segue manages the work itself. Change it there.');
}

const ROLES: Readonly<Record<string, string>> = {
  translator: 'translates',
  proofreader: 'proofreads',
  inCountryReviewer: 'reviews',
};
/** The status of the texts that are left to a role. */
const LEFT: Readonly<Record<string, string>> = { translator: TO_DO, proofreader: 'translated' };
/** How many tasks of a person are named. */
const NAMED = 3;

interface TaskTexts extends Pick<Assignee, 'taskId' | 'languageCode'> {
  /** The status of the texts to show; without it, all. */
  readonly status: string | undefined;
}

/** Returns the address of the texts of a task in a language. */
export function taskAddress(projectId: number, { taskId, languageCode, status }: TaskTexts): string {
  return viewAddress(projectId, 'texts', { language: languageCode ?? undefined, task: taskId ?? undefined, status });
}

interface AssigneesProps {
  readonly projectId: number;
  readonly language: DocumentedTargetLanguage;
  readonly assignees: readonly Assignee[];
}

/** Who works on which tasks of a language. */
export function Assignees({ projectId, language, assignees }: AssigneesProps) {
  const own = assignees.filter(({ languageCode }) => languageCode === language.targetLanguageCode);
  const groups = Map.groupBy(own, ({ memberId, role }) => `${memberId} ${text(role)}`);
  if (own.length === 0) return null;
  return (
    <ul class="chips more" aria-label={`Tasks in ${languageLabel(text(language.targetLanguageCode))}`}>
      {Array.from(groups, ([key, tasks]) => {
        const [first] = tasks;
        const member = language.team?.find(({ id }) => id === first?.memberId);
        const role = text(first?.role);
        return (
          <li key={key}>
            <bdi>{member?.name ?? `Member ${text(first?.memberId)}`}</bdi> {ROLES[role] ?? role}{' '}
            {tasks.slice(0, NAMED).map(({ taskId, languageCode }, at) => (
              <>
                {at > 0 && ', '}
                <a href={taskAddress(projectId, { taskId, languageCode, status: LEFT[role] })}>
                  <bdi>{taskId ?? 'segments without a task'}</bdi>
                </a>
              </>
            ))}
            {tasks.length > NAMED && ` and ${count(tasks.length - NAMED)} more`}
          </li>
        );
      })}
    </ul>
  );
}
