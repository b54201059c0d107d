import * as z from 'zod/mini';
import { DEFAULT_TRANSLATION_ENGINE, translationSecret } from '#platform';
import { lazy } from '../../lib/contract/lazy.ts';
import { TRANSLATION_PRICE } from '../../lib/contract/price.ts';
import { readSetting, type TranslationEngineName, type Variables } from '../../lib/contract/settings.ts';
import { cachedSecret } from '../../lib/credentials/cached-secret.ts';
import { httpTransport } from '../../lib/service/http-client/transport.ts';
import { logStaleSecret } from '../../lib/service/log.ts';
import type { QuotedEngine } from '../../lib/service/quote.ts';
import type { TranslationEngine } from '../../lib/service/translation-engine.ts';
import { type TranslationSettings, translationSettings } from './environment.ts';

/** The settings of automatic translation. Reading them throws if one is wrong. */
export const translation = /* @__PURE__ */ lazy(() => translationSettings(DEFAULT_TRANSLATION_ENGINE));

/**
 * The engine of automatic translation; `undefined` if nothing is translated automatically. Only the code of this engine
 * is loaded. Every caller shares the engine, so that it asks for its languages once.
 */
export const translationEngine = /* @__PURE__ */ lazy(
  async (): Promise<TranslationEngine | undefined> => ENGINES[translation().engine](translation()),
);

/**
 * Returns the engine and its price, for quotes; `undefined` if nothing is translated automatically.
 * @throws if a setting is wrong
 */
export function quotedEngine(
  { engine }: Pick<TranslationSettings, 'engine'> = translation(),
  env: Variables = process.env,
): QuotedEngine | undefined {
  return engine === 'none' ? undefined : { name: engine, price: readSetting(TRANSLATION_PRICE, env) };
}

type Open = (settings: TranslationSettings) => Promise<TranslationEngine | undefined>;

const ENGINES: Readonly<Record<TranslationEngineName, Open>> = {
  none: async () => undefined,
  pseudo: async () => (await import('../../lib/hosted/translation/engines/pseudo.ts')).pseudoEngine,
  async apertium({ url }) {
    const { apertiumEngine } = await import('../../lib/hosted/translation/engines/apertium.ts');
    return apertiumEngine(connection(url));
  },
  async libretranslate({ url }) {
    const { libreTranslateEngine } = await import('../../lib/hosted/translation/engines/libretranslate.ts');
    return libreTranslateEngine({ ...connection(url), key: apiKey() });
  },
  async deepl({ url }) {
    const { deepLEngine, DEEPL_URL } = await import('../../lib/hosted/translation/engines/deepl.ts');
    return deepLEngine({ ...connection(url ?? new URL(DEEPL_URL)), key: required(apiKey()) });
  },
  async amazon() {
    const { amazonTranslateEngine, translateClient } = await import('../../lib/aws/amazon-translate.ts');
    return amazonTranslateEngine(translateClient());
  },
};

function connection(url: URL | undefined) {
  return { transport: httpTransport(required(url), Date.now), now: Date.now };
}

const ApiKey = z.object({ key: z.string().check(z.regex(/^[\x21-\x7e]{1,1024}$/)) });

/** Returns the function that reads the API key; `undefined` if none is set. */
function apiKey(): (() => Promise<string>) | undefined {
  const read = translationSecret();
  if (!read) return undefined;
  const onStale = logStaleSecret('staleTranslationSecret');
  const secret = cachedSecret(read, (value) => ApiKey.parse(value).key, { now: Date.now, onStale });
  return () => secret.read();
}

/** Returns a setting that the engine needs. `translationSettings` has checked that it is there. */
function required<T>(setting: T | undefined): T {
  if (setting === undefined) throw new RangeError('A setting of the translation engine is missing');
  return setting;
}
