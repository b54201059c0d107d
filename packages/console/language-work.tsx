import { useState } from 'preact/hooks';
import type { LanguageState } from '../../lib/contract/language-states.ts';
import { type Assignee, type DocumentedTargetLanguage, SegueError } from '../client/index.ts';
import { Failure } from './page.tsx';
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

/** Whether the engine has given up on a language, so that only a new start goes on. */
function hasFailed({ automaticTranslation: automatic }: DocumentedTargetLanguage): boolean {
  return typeof automatic === 'object' && automatic !== null && 'state' in automatic && automatic.state === 'failed';
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
/** How many tasks of a person are named. */
const NAMED = 3;

interface AssigneesProps {
  readonly language: DocumentedTargetLanguage;
  readonly assignees: readonly Assignee[];
}

/** Who works on which tasks of a language. */
export function Assignees({ language, assignees }: AssigneesProps) {
  const own = assignees.filter(({ languageCode }) => languageCode === language.targetLanguageCode);
  const groups = Map.groupBy(own, ({ memberId, role }) => `${memberId} ${text(role)}`);
  if (own.length === 0) return null;
  return (
    <ul class="chips more" aria-label={`Tasks in ${languageLabel(text(language.targetLanguageCode))}`}>
      {Array.from(groups, ([key, tasks]) => {
        const [first] = tasks;
        const member = language.team?.find(({ id }) => id === first?.memberId);
        const role = text(first?.role);
        const named = tasks.slice(0, NAMED).map(({ taskId }) => taskId ?? 'segments without a task');
        return (
          <li key={key}>
            <bdi>{member?.name ?? `Member ${text(first?.memberId)}`}</bdi> {ROLES[role] ?? role}{' '}
            <bdi>{named.join(', ')}</bdi>
            {tasks.length > NAMED && ` and ${count(tasks.length - NAMED)} more`}
          </li>
        );
      })}
    </ul>
  );
}
