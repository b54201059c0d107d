import { type DocumentedTargetLanguage, hasDocumentedTypes, type ProjectHead } from '../client/index.ts';
import { text } from './values.ts';

/** Returns the target languages of a project. @returns none if the service sends something else */
export function targetLanguagesOf(project: ProjectHead): readonly DocumentedTargetLanguage[] {
  return hasDocumentedTypes(project) ? (project.targetLanguages ?? []) : [];
}

/** The progress of a project in each target language. */
export function LanguageChips({ project }: { readonly project: ProjectHead }) {
  return (
    <ul class="chips" aria-label="Progress by language">
      {targetLanguagesOf(project).map((language, index) => (
        <li key={index}>
          {text(language.targetLanguageCode)} <Progress value={language.progress} />{' '}
          <span class="quiet">{text(language.state)}</span> <AutomaticProblem language={language} />
        </li>
      ))}
    </ul>
  );
}

/** Why the automatic translation into a language failed or waits; nothing if it has no problem. */
export function AutomaticProblem({ language }: { readonly language: DocumentedTargetLanguage }) {
  const problem = problemIn(language.automaticTranslation);
  if (typeof problem !== 'string') return null;
  if (problem.includes('quota-exceeded')) {
    return (
      <span class="waits">
        Waits for the next day: the company has used up its automatic translation for today.{' '}
        <a href="#/limits">Limits of a day</a>
      </span>
    );
  }
  return <span class="waits">Automatic translation: {problem}</span>;
}

/** Returns the problem of an automatic translation. A service may send any JSON value. */
function problemIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'problem' in value ? value.problem : undefined;
}

/** A percentage with a bar, or any other value as text. */
export function Progress({ value }: { readonly value: unknown }) {
  if (typeof value !== 'number') return <>{text(value)}</>;
  return (
    <>
      <progress max={100} value={value} aria-hidden="true" /> {Math.floor(value)} %
    </>
  );
}
