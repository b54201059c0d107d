import { describe, expect, it } from 'vitest';
import { amazonTranslateEngine, translateClient } from '../../../lib/aws/amazon-translate.ts';
import { EngineFailure, type EngineFailureCode } from '../../../lib/service/translation-engine.ts';
import { CALL, shown, translate } from '../hosted/translation/world.ts';
import { type Play, playService } from '../upstream/server.ts';

const CREDENTIALS = { accessKeyId: 'nobody', secretAccessKey: 'nothing' };

/** Starts a server in place of Amazon Translate, and opens an engine that calls it through the SDK's client. */
async function serve(play: Play) {
  const { url, received } = await playService(play);
  const client = translateClient({ endpoint: url, region: 'eu-west-1', credentials: CREDENTIALS });
  return { engine: amazonTranslateEngine(client), received };
}

/** Answers as Amazon Translate does: in the JSON protocol 1.1. */
const answer =
  (status: number, body: unknown): Play =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
  };

const upper: Play = (request, response) => {
  const { Text, Document, SourceLanguageCode, TargetLanguageCode } = JSON.parse(request.body);
  const pair = { SourceLanguageCode, TargetLanguageCode };
  if (Text !== undefined) return answer(200, { ...pair, TranslatedText: Text.toUpperCase() })(request, response);
  const html = Buffer.from(Document.Content, 'base64').toString();
  const translated = html.replace(/<[^>]*>[^<]*<\/span>|<[^>]*>|\p{L}/gu, (part) =>
    part.length > 1 ? part : part.toUpperCase(),
  );
  const TranslatedDocument = { Content: Buffer.from(translated).toString('base64') };
  return answer(200, { ...pair, TranslatedDocument })(request, response);
};

async function codeOf(work: Promise<unknown>): Promise<EngineFailureCode> {
  try {
    await work;
  } catch (error) {
    if (error instanceof EngineFailure) return error.code;
    throw error;
  }
  throw new Error('There was no failure');
}

describe('the engine Amazon Translate', () => {
  const batch = { source: 'en-GB', target: 'de-DE', format: 'plain', texts: ['hello'] } as const;

  it('sends words as text, and sentences with tags or placeholders as documents', async () => {
    const { engine, received } = await serve(upper);
    const { results, failure } = await translate(engine, ['hello', '<p>add <b class="x">é</b> %{count} files</p>']);
    expect(failure).toBeUndefined();
    expect(results.map(shown)).toEqual(['HELLO', '<p>ADD <b class="x">É</b> %{count} FILES</p>']);
    const bodies = received.map(({ headers, body }) => [headers['x-amz-target'], JSON.parse(body)]);
    const html = 'add <b id="1">é</b> <span translate="no" id="5">%{count}</span> files';
    const pair = { SourceLanguageCode: 'en', TargetLanguageCode: 'de' };
    expect(new Map(bodies.map(([target, body]) => [target, body]))).toEqual(
      new Map([
        ['AWSShineFrontendService_20170701.TranslateText', { ...pair, Text: 'hello' }],
        [
          'AWSShineFrontendService_20170701.TranslateDocument',
          { ...pair, Document: { Content: Buffer.from(html).toString('base64'), ContentType: 'text/html' } },
        ],
      ]),
    );
  });

  it('keeps the limits of a text and of a document, in bytes', async () => {
    const { engine, received } = await serve(upper);
    const { results } = await translate(engine, [
      'é'.repeat(5_000),
      'é'.repeat(5_001),
      `%s ${'x'.repeat(90_000)}`,
      `%s ${'x'.repeat(100_000)}`,
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['translated', 'failed', 'translated', 'failed']);
    expect(received).toHaveLength(2);
  });

  it.each([
    ['en-US', 'de-AT', true],
    ['zh-Hant', 'zh-Hans', true],
    ['en', 'sr-Latn', false],
    ['en-GB', 'en-US', false],
    ['en', 'nn', true],
    ['en', 'aa', false],
  ])('supports %s to %s: %s', async (source, target, isSupported) => {
    const { engine } = await serve(upper);
    expect(await engine.supports(source, target, CALL)).toBe(isSupported);
    if (!isSupported)
      expect(await codeOf(engine.translate({ ...batch, source, target }, CALL))).toBe('unsupported-pair');
  });

  it.each<[name: string, status: number, code: EngineFailureCode]>([
    ['TooManyRequestsException', 400, 'busy'],
    ['ThrottlingException', 400, 'busy'],
    ['LimitExceededException', 400, 'busy'],
    ['ServiceUnavailableException', 503, 'busy'],
    ['InternalServerException', 500, 'failed'],
    ['UnsupportedLanguagePairException', 400, 'unsupported-pair'],
    ['TextSizeLimitExceededException', 400, 'rejected'],
    ['InvalidRequestException', 400, 'rejected'],
    ['AccessDeniedException', 400, 'unauthorized'],
    ['UnrecognizedClientException', 400, 'unauthorized'],
    ['SomethingNewException', 400, 'failed'],
  ])('reads the error %s, and does not retry', async (name, status, code) => {
    const { engine, received } = await serve(answer(status, { __type: name, message: 'a message with the text' }));
    expect(await codeOf(engine.translate(batch, CALL))).toBe(code);
    expect(received).toHaveLength(1);
  });

  it.each<[string, Play, EngineFailureCode]>([
    ['no JSON', (_, response) => response.writeHead(200).end('<html>'), 'failed'],
    ['no translation', answer(200, {}), 'invalid-answer'],
    // The SDK counts a lost connection as a time limit.
    ['a closed connection', (_, response) => response.socket?.destroy(), 'timed-out'],
  ])('fails after %s', async (_, play, code) => {
    const { engine } = await serve(play);
    expect(await codeOf(engine.translate(batch, CALL))).toBe(code);
    expect(await codeOf(engine.translate({ ...batch, format: 'html' }, CALL))).toBe(code);
  });

  it('is unreachable if nobody listens', async () => {
    const client = translateClient({ endpoint: 'http://127.0.0.1:1', region: 'eu-west-1', credentials: CREDENTIALS });
    expect(await codeOf(amazonTranslateEngine(client).translate(batch, CALL))).toBe('unreachable');
  });

  it('ends the request if its call is aborted', async () => {
    const aborting = new AbortController();
    const closed = Promise.withResolvers<void>();
    const { engine } = await serve((_, response) => {
      response.on('close', () => closed.resolve());
      aborting.abort();
    });
    expect(await codeOf(engine.translate(batch, { ...CALL, signal: aborting.signal }))).toBe('aborted');
    await closed.promise;
  });
});
