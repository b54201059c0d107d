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
      {targetLanguagesOf(project).map(({ targetLanguageCode, progress, state }, index) => (
        <li key={index}>
          {text(targetLanguageCode)} <Progress value={progress} /> <span class="quiet">{text(state)}</span>
        </li>
      ))}
    </ul>
  );
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
