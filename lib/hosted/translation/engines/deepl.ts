import * as z from 'zod/mini';
import { type CodeAliases, engineCode } from '../../../service/engine-codes.ts';
import { type EngineCall, EngineFailure, type TranslationEngine } from '../../../service/translation-engine.ts';
import { askEngine, type HttpEngineOptions } from './http-engine.ts';
import { languageList, requirePair } from './language-list.ts';

/** DeepL's server. Keys of free accounts end with `:fx`, and work only at `https://api-free.deepl.com`. */
export const DEEPL_URL = 'https://api.deepl.com';

/** A target in English, Portuguese or Chinese needs a region or script. A source in these languages has none. */
const ALIASES: CodeAliases = { en: 'EN-US', pt: 'PT-PT', 'zh-Hant': 'ZH', no: 'NB', nn: 'NB', fil: 'TL' };

const Languages = z.array(z.object({ language: z.string() }));
const Translated = z.object({ translations: z.array(z.object({ text: z.string() })) });

export interface DeepLOptions extends HttpEngineOptions {
  /** Returns the API key. */
  readonly key: () => Promise<string>;
}

/**
 * The engine DeepL. It speaks the HTTP interface itself, because the package `deepl-node` follows redirects, does not
 * limit the size of an answer, and hides `Retry-After`. A test compares its requests with those of the package.
 */
export function deepLEngine(options: DeepLOptions): TranslationEngine {
  const sources = languageList((call) => languages('source', call), options.now);
  const targets = languageList((call) => languages('target', call), options.now);

  async function headers() {
    return { authorization: `DeepL-Auth-Key ${await options.key()}` };
  }

  async function languages(type: 'source' | 'target', call: EngineCall): Promise<string[]> {
    const request = { method: 'GET', path: `/v2/languages?type=${type}`, headers: await headers() } as const;
    const list = await askEngine(options, request, Languages, call);
    return list.map(({ language }) => language);
  }

  async function pairOf(source: string, target: string, call: EngineCall) {
    const from = engineCode(source, await sources(call), ALIASES);
    const to = engineCode(target, await targets(call), ALIASES);
    return from === undefined || to === undefined || from === to ? undefined : { from, to };
  }

  return {
    name: 'deepl',
    limits: {
      texts: 50,
      textBytes: { plain: 30_000, html: 30_000 },
      // A request has at most 128 KiB, and percent-encoding makes up to three bytes of one.
      batchBytes: 40_000,
      concurrentCalls: 4,
      callMs: 30_000,
    },
    placeholderElement: 'no-translate',
    supports: async (source, target, call) => (await pairOf(source, target, call)) !== undefined,
    async translate({ source, target, format, texts }, call) {
      const { from, to } = requirePair(await pairOf(source, target, call));
      const form = new URLSearchParams({ source_lang: from, target_lang: to });
      if (format === 'html') form.append('tag_handling', 'html');
      for (const text of texts) form.append('text', text);
      const request = {
        method: 'POST',
        path: '/v2/translate',
        headers: { ...(await headers()), 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
      } as const;
      const { translations } = await askEngine(options, request, Translated, call);
      if (translations.length !== texts.length) throw new EngineFailure('invalid-answer');
      return translations.map(({ text }) => ({ kind: 'translated', text }));
    },
  };
}
