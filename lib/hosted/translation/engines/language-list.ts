import { type EngineCall, EngineFailure } from '../../../service/translation-engine.ts';

/** How long an engine's list of languages is used, in milliseconds. */
const MAX_AGE_MS = 3_600_000;

/**
 * Keeps the list of languages of an engine that has to be asked for it. A failed request is not kept.
 * @param ask requests the list
 * @param now returns the current time, in milliseconds since 1970
 */
export function languageList<T>(ask: (call: EngineCall) => Promise<T>, now: () => number) {
  let kept: { readonly list: T; readonly atMs: number } | undefined;
  return async (call: EngineCall): Promise<T> => {
    const ageMs = kept ? now() - kept.atMs : -1;
    if (kept && ageMs >= 0 && ageMs < MAX_AGE_MS) return kept.list;
    const list = await ask(call);
    kept = { list, atMs: now() };
    return list;
  };
}

/** Returns the codes of a pair. @throws {EngineFailure} `unsupported-pair` if one of them is missing */
export function requirePair<T>(pair: T | undefined): T {
  if (pair === undefined) throw new EngineFailure('unsupported-pair');
  return pair;
}
