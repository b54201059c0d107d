import type { TranslationEngine } from '../../lib/service/translation-engine.ts';

/** Whether the engine translates between two languages. The first call loads the engine. */
export const supportsPair: TranslationEngine['supports'] = async (...pair) => {
  const { translationEngine } = await import('./translation.ts');
  return (await translationEngine())?.supports(...pair) ?? false;
};
