import { type DocumentedTargetLanguage, hasDocumentedTypes, type ProjectHead } from '../client/index.ts';
import { Badge, Bar } from './design/status.tsx';
import { languageLabel, languageName, percent, text } from './values.ts';
import { LANGUAGE_STATES, wordsFor } from './words.ts';

/** Returns the target languages of a project. @returns none if the service sends something else */
export function targetLanguagesOf(project: ProjectHead): readonly DocumentedTargetLanguage[] {
  return hasDocumentedTypes(project) ? (project.targetLanguages ?? []) : [];
}

/** Returns the codes of the target languages of a project. A service may leave them out. */
export function targetCodesOf(project: ProjectHead): readonly string[] {
  return targetLanguagesOf(project).flatMap(({ targetLanguageCode: code }) => (code ? [code] : []));
}

/** The name of a language, with its code behind it. */
export function LanguageName({ code }: { readonly code: string }) {
  const name = languageName(code);
  return (
    <span dir="auto">
      <bdi class="name">{name}</bdi> {name !== code && <span class="quiet id">{code}</span>}
    </span>
  );
}

/** The choices of a field for a language. */
export function LanguageOptions({ codes }: { readonly codes: readonly string[] }) {
  return (
    <>
      {codes.map((code) => (
        <option key={code} value={code}>
          {languageLabel(code)}
        </option>
      ))}
    </>
  );
}

/** Whether the service works on a target language of a project, so that its progress moves. */
export function isInWork(project: ProjectHead): boolean {
  return targetLanguagesOf(project).some(
    ({ state, progress }) => state !== 'InPreparation' && typeof progress === 'number' && progress < 100,
  );
}

/** Whether a project has passed its deadline, and is not done. The clock of the browser decides. */
export function isOverdue(project: ProjectHead): boolean {
  const due = project['endDateUtc'];
  const isDone = targetLanguagesOf(project).every(({ progress }) => progress === 100);
  return !isDone && typeof due === 'string' && Date.parse(due) < Date.now();
}

/** How many languages of a project a list shows. */
const SHOWN = 6;

/** The progress of a project in each target language, the least finished first. */
export function LanguageChips({ project }: { readonly project: ProjectHead }) {
  const languages = targetLanguagesOf(project);
  const done = languages.filter(({ progress }) => progress === 100).length;
  return (
    <ul class="chips" aria-label="Progress by language">
      {leastFinishedFirst(languages)
        .slice(0, SHOWN)
        .map((language, index) => (
          <li key={index}>
            {text(language.targetLanguageCode)} <Progress value={language.progress} />{' '}
            {isNotable(language) && <LanguageState state={language.state} progress={language.progress} />}{' '}
            <AutomaticProblem language={language} />
          </li>
        ))}
      {languages.length > SHOWN && (
        <li class="quiet">
          {languages.length - SHOWN} more languages; {done} of {languages.length} done
        </li>
      )}
    </ul>
  );
}

/** Whether a language is in another state than its bar says. */
function isNotable({ state }: DocumentedTargetLanguage): boolean {
  return typeof state === 'string' && state !== 'InProgress';
}

/** The progress of a language, in percent. A service may leave it out, or send another value. */
interface Progressing {
  readonly progress?: unknown;
}

/** Returns how much of a language is done, in percent. */
function progressOf({ progress }: Progressing): number {
  return typeof progress === 'number' ? progress : 0;
}

/** Returns languages in the order of their progress, the least finished first. */
export function leastFinishedFirst<L extends Progressing>(languages: readonly L[]): L[] {
  return languages.toSorted((one, other) => progressOf(one) - progressOf(other));
}

/** The state of a target language in words. A language with all translations is done. */
export function LanguageState({ state, progress }: { readonly state: unknown; readonly progress: unknown }) {
  if (progress === 100) return <Badge tone="ok">Done</Badge>;
  return <Badge tone={state === 'InProgress' ? 'info' : 'plain'}>{wordsFor(LANGUAGE_STATES, text(state))}</Badge>;
}

/** Why the automatic translation into a language failed or waits; nothing if it has no problem. */
export function AutomaticProblem({ language }: { readonly language: DocumentedTargetLanguage }) {
  const problem = automaticField(language, 'problem');
  if (typeof problem !== 'string') return null;
  if (problem.includes('quota-exceeded')) {
    return (
      <span class="waits">
        Waits for the next day: the company has used up its automatic translation for today.{' '}
        <a href="#/limits">Limits</a>
      </span>
    );
  }
  return <span class="waits">Automatic translation: {problem}</span>;
}

/** Returns a field of the automatic translation into a language. A service may send any JSON value. */
export function automaticField(
  { automaticTranslation: value }: DocumentedTargetLanguage,
  name: 'state' | 'problem',
): unknown {
  return new Map<string, unknown>(Object.entries(Object(value))).get(name);
}

/** Whether the engine has given up on a language, so that only a new start goes on. */
export function hasFailed(language: DocumentedTargetLanguage): boolean {
  return automaticField(language, 'state') === 'failed';
}

/** A percentage with a bar, or any other value as text. */
export function Progress({ value, word }: { readonly value: unknown; readonly word?: string }) {
  if (typeof value !== 'number') return <>{text(value)}</>;
  return (
    <Bar value={value}>
      {percent(value)} {word}
    </Bar>
  );
}
