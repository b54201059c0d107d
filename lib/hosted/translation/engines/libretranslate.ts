import * as z from 'zod/mini';
import { type CodeAliases, engineCode } from '../../../service/engine-codes.ts';
import { type EngineCall, EngineFailure, type TranslationEngine } from '../../../service/translation-engine.ts';
import { askEngine, type HttpEngineOptions } from './http-engine.ts';
import { languageList, requirePair } from './language-list.ts';

/** Codes that versions of LibreTranslate spell differently. */
const ALIASES: CodeAliases = { 'pt-BR': 'pb', 'zh-Hans': 'zh', 'zh-Hant': 'zt', no: 'nb', fil: 'tl' };

const Languages = z.array(z.object({ code: z.string(), targets: z.array(z.string()) }));
const Translated = z.object({ translatedText: z.array(z.string()) });

export interface LibreTranslateOptions extends HttpEngineOptions {
  /** Returns the API key, if the server needs one. */
  readonly key?: (() => Promise<string>) | undefined;
}

/** An engine that speaks the HTTP interface of LibreTranslate. */
export function libreTranslateEngine(options: LibreTranslateOptions): TranslationEngine {
  const languages = languageList(
    (call) => askEngine(options, { method: 'GET', path: '/languages' }, Languages, call),
    options.now,
  );

  async function pairOf(source: string, target: string, call: EngineCall) {
    const list = await languages(call);
    const from = engineCode(
      source,
      list.map(({ code }) => code),
      ALIASES,
    );
    const to = engineCode(target, list.find(({ code }) => code === from)?.targets ?? [], ALIASES);
    return from === undefined || to === undefined || from === to ? undefined : { source: from, target: to };
  }

  return {
    name: 'libretranslate',
    limits: {
      texts: 50,
      // Servers usually limit a request to a number of characters: LT_CHAR_LIMIT.
      textBytes: { plain: 5_000, html: 5_000 },
      batchBytes: 5_000,
      concurrentCalls: 2,
      callMs: 60_000,
    },
    // The elements `code` and `time` are not translated. The attribute `translate` means nothing.
    placeholderElement: 'code',
    supports: async (source, target, call) => (await pairOf(source, target, call)) !== undefined,
    async translate({ source, target, format, texts }, call) {
      const pair = requirePair(await pairOf(source, target, call));
      const body = { q: texts, ...pair, format: format === 'html' ? 'html' : 'text', api_key: await options.key?.() };
      const request = {
        method: 'POST',
        path: '/translate',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      } as const;
      const { translatedText } = await askEngine(options, request, Translated, call);
      if (translatedText.length !== texts.length) throw new EngineFailure('invalid-answer');
      return translatedText.map((text) => ({ kind: 'translated', text }));
    },
  };
}
