import type { TranslationEngine } from '../../lib/service/translation-engine.ts';

// The first call of each loads the settings of the engine.

/** Whether the engine translates between two languages. */
export const supportsPair: TranslationEngine['supports'] = async (...pair) => {
  const { translationEngine } = await import('./translation.ts');
  return (await translationEngine())?.supports(...pair) ?? false;
};

/** Returns the engine and its price, for quotes. */
export const quotedEngine = async () => (await import('./translation.ts')).quotedEngine();
