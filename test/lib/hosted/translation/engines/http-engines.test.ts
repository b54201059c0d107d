import { gzipSync } from 'node:zlib';
import { DeepLClient, type SourceLanguageCode, type TargetLanguageCode } from 'deepl-node';
import { describe, expect, it } from 'vitest';
import { apertiumEngine } from '../../../../../lib/hosted/translation/engines/apertium.ts';
import { deepLEngine } from '../../../../../lib/hosted/translation/engines/deepl.ts';
import { libreTranslateEngine } from '../../../../../lib/hosted/translation/engines/libretranslate.ts';
import { httpTransport } from '../../../../../lib/service/http-client/transport.ts';
import {
  EngineFailure,
  type EngineFailureCode,
  type TranslationEngine,
} from '../../../../../lib/service/translation-engine.ts';
import { heldNow, NOW_MS } from '../../../support.ts';
import { breakOff, json, type Play, type PlayedService, playService, text } from '../../../upstream/server.ts';
import { CALL, shown, translate } from '../world.ts';

/** An engine of a kind, and a server that speaks its language. */
interface Kind {
  readonly open: (url: string) => TranslationEngine;
  /** The lists of languages, by path. */
  readonly lists: Readonly<Record<string, unknown>>;
  /** A correct answer to a translation. */
  readonly answer: (texts: readonly string[]) => unknown;
}

const options = (url: string) => ({ transport: httpTransport(new URL(url), heldNow), now: heldNow });

const KINDS: Readonly<Record<string, Kind>> = {
  libretranslate: {
    open: (url) => libreTranslateEngine({ ...options(url), key: async () => 'the-key' }),
    lists: {
      '/languages': [
        { code: 'en', name: 'English', targets: ['de', 'en', 'pb', 'zh', 'zt'] },
        { code: 'de', name: 'German', targets: ['en'] },
      ],
    },
    answer: (texts) => ({ translatedText: texts, detectedLanguage: [] }),
  },
  apertium: {
    open: (url) => apertiumEngine(options(url)),
    lists: {
      '/listPairs': {
        responseData: [
          { sourceLanguage: 'eng', targetLanguage: 'deu' },
          { sourceLanguage: 'spa', targetLanguage: 'eng' },
          { sourceLanguage: 'spa', targetLanguage: 'eng_US' },
          { sourceLanguage: 'eng', targetLanguage: 'cat_valencia' },
        ],
        responseDetails: null,
        responseStatus: 200,
      },
    },
    answer: ([translatedText]) => ({ responseData: { translatedText }, responseDetails: null, responseStatus: 200 }),
  },
  deepl: {
    open: (url) => deepLEngine({ ...options(url), key: async () => 'the-key' }),
    lists: {
      '/v2/languages?type=source': ['DE', 'EN', 'ZH', 'PT'].map((language) => ({ language, name: language })),
      '/v2/languages?type=target': ['DE', 'EN-GB', 'EN-US', 'PT-BR', 'PT-PT', 'ZH-HANS', 'ZH-HANT'].map((language) => ({
        language,
        name: language,
        supports_formality: false,
      })),
    },
    answer: (texts) => ({ translations: texts.map((text) => ({ detected_source_language: 'EN', text })) }),
  },
};
const KIND_NAMES = Object.keys(KINDS);

/** Returns the kind with a name. */
function kindOf(name: string): Kind {
  const kind = KINDS[name];
  if (!kind) throw new RangeError(`There is no engine ${name}`);
  return kind;
}

/** Starts a server that answers with the lists of languages, and plays something for each translation. */
async function serve(name: string, play: Play): Promise<PlayedService & { engine: TranslationEngine }> {
  const kind = kindOf(name);
  const server = await playService((request, response) => {
    const list = kind.lists[request.url];
    if (list === undefined) play(request, response);
    else json(200, list)(request, response);
  });
  return { ...server, engine: kind.open(server.url) };
}

/** Returns the texts in a request. */
function textsIn(body: string): string[] {
  if (body.startsWith('{')) return JSON.parse(body).q;
  const form = new URLSearchParams(body);
  return [...form.getAll('text'), ...form.getAll('q')];
}

const GZIP = { 'content-encoding': 'gzip' };

/** Answers with a body that never ends. */
const endless: Play = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  };
  response.on('drain', more);
  more();
};

const correct =
  (name: string): Play =>
  (request, response) =>
    json(200, kindOf(name).answer(textsIn(request.body).map((text) => text.toUpperCase())))(request, response);

async function failureOf(work: Promise<unknown>): Promise<Pick<EngineFailure, 'code' | 'retryAfterMs'>> {
  try {
    await work;
  } catch (error) {
    if (error instanceof EngineFailure) return { code: error.code, retryAfterMs: error.retryAfterMs };
    throw error;
  }
  throw new Error('There was no failure');
}

describe.each(KIND_NAMES)('%s', (name) => {
  const batch = { source: 'en-GB', target: 'de-DE', format: 'plain', texts: ['hello'] } as const;

  it('translates, in requests within its limits', async () => {
    const { engine, received } = await serve(name, correct(name));
    const { results, failure } = await translate(engine, ['hello', 'you & <me', '1', 'é'.repeat(2_000)]);
    expect(failure).toBeUndefined();
    expect(results.map(shown)).toEqual(['HELLO', 'YOU & <ME', '1', 'É'.repeat(2_000)]);
    const lists = received.filter(({ method }) => method === 'GET').map(({ url }) => url);
    expect(new Set(lists)).toEqual(new Set(Object.keys(kindOf(name).lists)));
    expect(Math.max(...received.map(({ bytes }) => bytes.length))).toBeLessThanOrEqual(131_072);
  });

  it('sends a batch of its largest size in 128 KiB', async () => {
    const { engine, received } = await serve(name, correct(name));
    const { texts, batchBytes, textBytes } = engine.limits;
    const length = Math.floor(Math.min(textBytes.plain, batchBytes / texts) / 2);
    await engine.translate({ ...batch, texts: Array.from({ length: texts }, () => 'é'.repeat(length)) }, CALL);
    expect(received.at(-1)?.bytes.length).toBeLessThanOrEqual(131_072);
  });

  it('knows its pairs, and asks for them only once', async () => {
    const { engine, received } = await serve(name, correct(name));
    expect(await engine.supports('en-US', 'de-AT', CALL)).toBe(true);
    expect(await engine.supports('en', 'sw', CALL)).toBe(false);
    expect(await engine.supports('en-US', 'en-GB', CALL)).toBe(name === 'deepl');
    expect(received).toHaveLength(Object.keys(kindOf(name).lists).length);
    expect(await failureOf(engine.translate({ ...batch, target: 'sw' }, CALL))).toEqual({
      code: 'unsupported-pair',
      retryAfterMs: undefined,
    });
  });

  it.each<[what: string, play: Play, code: EngineFailureCode, retryAfterMs: number | undefined]>([
    ['400', json(400, { error: 'no' }), 'rejected', undefined],
    ['401', json(401, {}), 'unauthorized', undefined],
    ['403', json(403, {}), 'unauthorized', undefined],
    ['404', text(404, ''), 'failed', 5_000],
    ['413', text(413, ''), 'rejected', undefined],
    ['429', json(429, {}), 'busy', 5_000],
    ['429 with seconds', json(429, {}, { 'retry-after': '17' }), 'busy', 17_000],
    ['429 with a date', json(429, {}, { 'retry-after': new Date(NOW_MS + 9_000).toUTCString() }), 'busy', 9_000],
    ['429 with nonsense', json(429, {}, { 'retry-after': 'soon' }), 'busy', 5_000],
    ['429 with a year', json(429, {}, { 'retry-after': '31536000' }), 'busy', 3_600_000],
    ['456', json(456, {}), 'quota-exceeded', undefined],
    ['500', text(500, ''), 'failed', 5_000],
    ['503', json(503, {}, { 'retry-after': '2' }), 'busy', 2_000],
    ['a redirect', text(307, '', { location: 'http://127.0.0.1:1/' }), 'invalid-answer', 5_000],
    ['no JSON', text(200, '<html>'), 'invalid-answer', 5_000],
    ['an empty body', text(200, ''), 'invalid-answer', 5_000],
    ['JSON of another kind', json(200, [1]), 'invalid-answer', 5_000],
    ['text of another kind', json(200, kindOf(name).answer([1 as never])), 'invalid-answer', 5_000],
    ['invalid UTF-8', text(200, Buffer.from([0x22, 0xff, 0x22])), 'invalid-answer', 5_000],
    ['5 MB', text(200, 'x'.repeat(5_000_000)), 'invalid-answer', 5_000],
    ['a body without an end', endless, 'invalid-answer', 5_000],
    ['invalid gzip', text(200, 'x', GZIP), 'invalid-answer', 5_000],
    ['5 MB in gzip', text(200, gzipSync(Buffer.alloc(5_000_000, ' ')), GZIP), 'invalid-answer', 5_000],
    ['half an answer', breakOff(200), 'unreachable', 5_000],
    ['a closed connection', (_, response) => response.socket?.destroy(), 'unreachable', 5_000],
  ])('fails after %s', async (_, play, code, retryAfterMs) => {
    const { engine } = await serve(name, play);
    expect(await failureOf(engine.translate(batch, CALL))).toEqual({ code, retryAfterMs });
  });

  it('gives up a server that does not answer, and ends the request', async () => {
    const closed = Promise.withResolvers<void>();
    const { engine } = await serve(name, (_, response) => response.on('close', () => closed.resolve()));
    await engine.supports('en', 'de', CALL);
    const late = { ...CALL, deadline: { remainingMs: () => 20 } };
    expect((await failureOf(engine.translate(batch, late))).code).toBe('timed-out');
    await closed.promise;
  });

  it('ends the request if its call is aborted', async () => {
    const aborting = new AbortController();
    const closed = Promise.withResolvers<void>();
    const { engine } = await serve(name, (_, response) => {
      response.on('close', () => closed.resolve());
      aborting.abort();
    });
    expect((await failureOf(engine.translate(batch, { ...CALL, signal: aborting.signal }))).code).toBe('aborted');
    await closed.promise;
  });

  it('is unreachable if nobody listens, and asks again later', async () => {
    let down = true;
    const kind = kindOf(name);
    const server = await playService((request, response) => {
      const list = kind.lists[request.url];
      if (down) response.socket?.destroy();
      else json(200, list ?? kind.answer(['HALLO']))(request, response);
    });
    const engine = kind.open(server.url);
    expect((await failureOf(engine.supports('en', 'de', CALL))).code).toBe('unreachable');
    down = false;
    expect(await engine.supports('en', 'de', CALL)).toBe(true);
  });

  it.each([
    ['too many', ['a', 'b', 'c']],
    ['too few', []],
  ])('refuses %s translations', async (_, texts) => {
    if (name === 'apertium') return;
    const { engine } = await serve(name, json(200, kindOf(name).answer(texts)));
    expect((await failureOf(engine.translate(batch, CALL))).code).toBe('invalid-answer');
  });

  it('returns what is translated before a 429', async () => {
    let calls = 0;
    const { engine } = await serve(name, (request, response) => {
      calls += 1;
      const play = calls === 1 ? correct(name) : json(429, {}, { 'retry-after': '30' });
      play(request, response);
    });
    const one = { ...engine, limits: { ...engine.limits, texts: 1, concurrentCalls: 1 } };
    const { results, failure, usedCharacters } = await translate(one, ['first', 'second', 'third']);
    expect(results.map(shown)).toEqual(['FIRST', 'pending', 'pending']);
    expect([failure?.code, failure?.retryAfterMs, usedCharacters]).toEqual(['busy', 30_000, 5]);
  });
});

describe('the requests', () => {
  it('of libretranslate have the texts, the format and the key', async () => {
    const { engine, received } = await serve('libretranslate', correct('libretranslate'));
    await engine.translate({ source: 'en-GB', target: 'pt-BR', format: 'html', texts: ['a', '<b id="1">b</b>'] }, CALL);
    await engine.translate({ source: 'en', target: 'zh-TW', format: 'plain', texts: ['a'] }, CALL);
    expect(received.filter(({ method }) => method === 'POST').map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      ['/translate', { q: ['a', '<b id="1">b</b>'], source: 'en', target: 'pb', format: 'html', api_key: 'the-key' }],
      ['/translate', { q: ['a'], source: 'en', target: 'zt', format: 'text', api_key: 'the-key' }],
    ]);
  });

  it('of apertium have one text and the names of the pair', async () => {
    const { engine, received } = await serve('apertium', correct('apertium'));
    await engine.translate({ source: 'en-GB', target: 'de', format: 'html', texts: ['a & <b id="1">é</b>'] }, CALL);
    await engine.translate({ source: 'es-CO', target: 'en-US', format: 'plain', texts: ['a'] }, CALL);
    const forms = received.filter(({ method }) => method === 'POST').map(({ body }) => [...new URLSearchParams(body)]);
    expect(forms.map((form) => Object.fromEntries(form))).toEqual([
      { langpair: 'eng|deu', format: 'html', markUnknown: 'no', q: 'a & <b id="1">é</b>' },
      { langpair: 'spa|eng_US', format: 'txt', markUnknown: 'no', q: 'a' },
    ]);
  });

  it.each<[source: string, target: string, SourceLanguageCode, TargetLanguageCode]>([
    ['en-GB', 'de-AT', 'en', 'de'],
    ['de', 'en', 'de', 'en-US'],
    ['de', 'en-GB', 'de', 'en-GB'],
    ['en', 'pt', 'en', 'pt-PT'],
    ['en', 'pt-BR', 'en', 'pt-BR'],
    ['en', 'zh-TW', 'en', 'zh-HANT'],
    ['zh-Hant', 'zh-Hans', 'zh', 'zh-HANS'],
  ])('of deepl, from %s to %s, are those of DeepL’s own client', async (source, target, from, to) => {
    const { engine, received, url } = await serve('deepl', correct('deepl'));
    const texts = ['one <b id="1">&amp;</b>', 'twö+ %'];
    const client = new DeepLClient('the-key', { serverUrl: url, maxRetries: 1 });
    const theirs = await client.translateText(texts, from, to, { tagHandling: 'html' });
    const ours = await engine.translate({ source, target, format: 'html', texts }, CALL);
    expect(ours.map((result) => shown(result))).toEqual(theirs.map(({ text }) => text));
    const [first, second] = received
      .filter(({ method }) => method === 'POST')
      .map(({ url: path, headers, body }) => {
        const form = [...new URLSearchParams(body)].map(([name, value]) =>
          name.endsWith('_lang') ? [name, value.toLowerCase()] : [name, value],
        );
        const { authorization, 'content-type': type } = headers;
        return { path, authorization, type: type?.split(';')[0], form: form.sort() };
      });
    // Only their client asks how many characters were billed.
    expect(second).toEqual({ ...first, form: first?.form.filter(([name]) => name !== 'show_billed_characters') });
  });
});
