import type { Fault } from '../contract/faults.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { CallContext } from '../service/port.ts';
import { languageOf } from '../service/project-from.ts';
import { EngineFailure, type TranslationEngine } from '../service/translation-engine.ts';

/**
 * Refuses a project with automatic translation between languages that the engine does not translate.
 * @param supports whether the engine translates between two languages
 * @throws {Problem} `invalid-project`; `unavailable` if the engine does not answer
 */
export async function requirePairs(
  supports: TranslationEngine['supports'],
  { sourceLanguageId, sourceLanguageCode, targetLanguages }: CheckedProject,
  { deadline }: CallContext,
): Promise<void> {
  const source = languageOf(sourceLanguageId, sourceLanguageCode).langCode;
  const { signal } = new AbortController();
  const faults: Fault[] = [];
  for (const [index, entry] of targetLanguages.entries()) {
    if (!entry.serviceAutomaticTranslation) continue;
    const target = languageOf(entry.targetLanguageId, entry.targetLanguageCode).langCode;
    if (await supports(source, target, { deadline, signal }).catch(noAnswer)) continue;
    faults.push({
      pointer: `/targetLanguages/${index}/serviceAutomaticTranslation`,
      code: 'unsupported-pair',
      detail: `The translation engine does not translate from ${source} to ${target}. Leave the field out, or send the request without handling=strict.`,
    });
  }
  if (faults.length === 0) return;
  const detail = 'Some of the automatic translations are not possible. Nothing was stored.';
  throw new Problem('invalid-project', { detail, errors: faults });
}

function noAnswer(error: unknown): never {
  if (!(error instanceof EngineFailure)) throw error;
  const detail = 'The translation engine does not say which languages it translates. Nothing was stored.';
  throw new Problem('unavailable', { detail, retryAfterSeconds: 5 }, { cause: error });
}
