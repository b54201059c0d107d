import * as z from 'zod/mini';
import { ISO_639_2_TO_1 } from '../../../contract/iso639.data.ts';
import { engineCode } from '../../../service/engine-codes.ts';
import type { EngineCall, TextFormat, TranslationEngine } from '../../../service/translation-engine.ts';
import { askEngine, type HttpEngineOptions } from './http-engine.ts';
import { languageList, requirePair } from './language-list.ts';

const Pairs = z.object({
  responseData: z.array(z.object({ sourceLanguage: z.string(), targetLanguage: z.string() })),
});
type Pairs = z.infer<typeof Pairs>['responseData'];
const Translated = z.object({ responseData: z.object({ translatedText: z.string() }) });

const FORMATS: Readonly<Record<TextFormat, string>> = { plain: 'txt', html: 'html' };

/** The two-letter code of each three-letter code. */
const TWO_LETTERS: ReadonlyMap<string, string> = new Map(
  Array.from(ISO_639_2_TO_1.matchAll(/(\w+):(\w+)/g), ([, three = '', two = '']) => [three, two]),
);

/** An engine that speaks the HTTP interface of Apertium APy. It translates one text with each request. */
export function apertiumEngine(options: HttpEngineOptions): TranslationEngine {
  const pairs = languageList(
    async (call) => (await askEngine(options, { method: 'GET', path: '/listPairs' }, Pairs, call)).responseData,
    options.now,
  );

  return {
    name: 'apertium',
    limits: {
      texts: 1,
      textBytes: { plain: 20_000, html: 20_000 },
      batchBytes: 20_000,
      concurrentCalls: 4,
      callMs: 30_000,
    },
    // Apertium translates the text of every element, and keeps empty ones where they belong.
    placeholderElement: 'empty',
    supports: async (source, target, call) => pairOf(await pairs(call), source, target) !== undefined,
    async translate({ source, target, format, texts: [text = ''] }, call: EngineCall) {
      const langpair = requirePair(pairOf(await pairs(call), source, target));
      // Without `markUnknown`, words that it does not know get an asterisk.
      const form = new URLSearchParams({ langpair, format: FORMATS[format], markUnknown: 'no', q: text });
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const request = { method: 'POST', path: '/translate', headers, body: form.toString() } as const;
      const { responseData } = await askEngine(options, request, Translated, call);
      return [{ kind: 'translated', text: responseData.translatedText }];
    },
  };
}

/** Returns the name of a pair: `eng|spa` for `en-GB` and `es-ES`. */
function pairOf(pairs: Pairs, source: string, target: string): string | undefined {
  const from = apertiumCodes(
    source,
    pairs.map(({ sourceLanguage }) => sourceLanguage),
  );
  for (const own of from) {
    const targets = pairs.filter(({ sourceLanguage }) => sourceLanguage === own);
    const [to] = apertiumCodes(
      target,
      targets.map(({ targetLanguage }) => targetLanguage),
    );
    if (to !== undefined) return `${own}|${to}`;
  }
  return undefined;
}

/** Returns Apertium's codes for a language: `eng_US` and `eng` for `en-US`, the most exact first. */
function apertiumCodes(code: string, codes: readonly string[]): string[] {
  // Apertium has codes of three letters, and regions after an underscore.
  const shortened = new Map(
    codes.map((own) => {
      const [three = '', ...rest] = own.split('_');
      return [[TWO_LETTERS.get(three) ?? three, ...rest].join('-'), own];
    }),
  );
  const exact = engineCode(code, shortened.keys());
  const base = engineCode(new Intl.Locale(code).language, shortened.keys());
  return [...new Set([exact, base])].flatMap((form) => (form === undefined ? [] : [shortened.get(form) ?? form]));
}
