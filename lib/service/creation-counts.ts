import type { CheckedProject, TargetLanguageRequest } from '../contract/project.ts';
import type { PutCounts } from './put.ts';
import { characterCount } from './translation-engine.ts';

/** Whether an engine translates into a target language as soon as the project has it. */
export function isTranslatedNow({
  serviceAutomaticTranslation,
  state,
}: Pick<TargetLanguageRequest, 'serviceAutomaticTranslation' | 'state'>): boolean {
  return serviceAutomaticTranslation === true && state !== 'InPreparation';
}

/** Returns the counts of a put that creates a project. */
export function creationCounts({ segments, targetLanguages }: CheckedProject): PutCounts {
  const automatic = targetLanguages.filter(isTranslatedNow).length;
  const characters = automatic === 0 ? 0 : characterCount(segments.map(({ content }) => content));
  return {
    segments: { kept: 0, changed: 0, added: segments.length, removed: 0 },
    targetLanguages: { kept: 0, added: targetLanguages.length, removed: 0 },
    automaticCharacters: automatic * characters,
  };
}
