import {
  TranslateClient,
  type TranslateClientConfig,
  TranslateDocumentCommand,
  TranslateTextCommand,
} from '@aws-sdk/client-translate';
import { type CodeAliases, engineCode } from '../service/engine-codes.ts';
import {
  type EngineCall,
  EngineFailure,
  type EngineFailureCode,
  type TranslationEngine,
} from '../service/translation-engine.ts';

/** The languages of Amazon Translate, as listed in 2026-11. Each pair of them is supported. */
const LANGUAGES =
  `af sq am ar hy az bn bs bg ca zh zh-TW hr cs da fa-AF nl en et fa tl fi fr fr-CA ka de el gu ht ha he hi
  hu is id ga it ja kn kk ko lv lt mk ms ml mt mr mn no ps pl pt pt-PT pa ro ru sr si sk sl so es es-MX sw sv ta te th tr
  uk ur uz vi cy`.split(/\s+/);

const ALIASES: CodeAliases = { 'zh-Hant': 'zh-TW', fil: 'tl', nb: 'no', nn: 'no' };

/** What the errors of Amazon Translate mean, by their names. Any other error is a failure of the service. */
const FAILURES: Readonly<Record<string, EngineFailureCode>> = {
  TooManyRequestsException: 'busy',
  ThrottlingException: 'busy',
  LimitExceededException: 'busy',
  ServiceUnavailableException: 'busy',
  InternalServerException: 'failed',
  UnsupportedLanguagePairException: 'unsupported-pair',
  TextSizeLimitExceededException: 'rejected',
  InvalidRequestException: 'rejected',
  InvalidParameterValueException: 'rejected',
  ValidationException: 'rejected',
  AccessDeniedException: 'unauthorized',
  UnrecognizedClientException: 'unauthorized',
  InvalidSignatureException: 'unauthorized',
  IncompleteSignatureException: 'unauthorized',
  SubscriptionRequiredException: 'unauthorized',
  OptInRequired: 'unauthorized',
  ExpiredTokenException: 'failed',
  TimeoutError: 'timed-out',
  AbortError: 'aborted',
};

/** Creates a client of Amazon Translate. Region, credentials and endpoint come from the settings of the AWS SDK. */
export function translateClient(settings: TranslateClientConfig = {}): TranslateClient {
  return new TranslateClient({
    // The caller decides when to repeat a call, because every call may have a cost.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 20_000, throwOnRequestTimeout: true },
    ...settings,
  });
}

/** The engine Amazon Translate. Words are sent as text, and sentences with tags or placeholders as HTML documents. */
export function amazonTranslateEngine(client: Pick<TranslateClient, 'send'>): TranslationEngine {
  return {
    name: 'amazon',
    limits: {
      texts: 1,
      textBytes: { plain: 10_000, html: 100_000 },
      batchBytes: 100_000,
      concurrentCalls: 8,
      callMs: 20_000,
    },
    placeholderElement: 'no-translate',
    supports: async (source, target) => pairOf(source, target) !== undefined,
    async translate({ source, target, format, texts: [text = ''] }, call) {
      const pair = pairOf(source, target);
      if (!pair) throw new EngineFailure('unsupported-pair');
      const translate = format === 'html' ? translateHtml : translateText;
      return [{ kind: 'translated', text: await translate(text, pair, call) }];
    },
  };

  async function translateText(Text: string, pair: Pair, { signal }: EngineCall): Promise<string> {
    const { TranslatedText } = await sent(
      client.send(new TranslateTextCommand({ ...pair, Text }), { abortSignal: signal }),
    );
    if (TranslatedText === undefined) throw new EngineFailure('invalid-answer');
    return TranslatedText;
  }

  async function translateHtml(html: string, pair: Pair, { signal }: EngineCall): Promise<string> {
    const Document = { Content: Buffer.from(html), ContentType: 'text/html' };
    const command = new TranslateDocumentCommand({ ...pair, Document });
    const { TranslatedDocument } = await sent(client.send(command, { abortSignal: signal }));
    if (!TranslatedDocument?.Content) throw new EngineFailure('invalid-answer');
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(TranslatedDocument.Content);
  }
}

interface Pair {
  readonly SourceLanguageCode: string;
  readonly TargetLanguageCode: string;
}

function pairOf(source: string, target: string): Pair | undefined {
  const from = engineCode(source, LANGUAGES, ALIASES);
  const to = engineCode(target, LANGUAGES, ALIASES);
  if (from === undefined || to === undefined || from === to) return undefined;
  return { SourceLanguageCode: from, TargetLanguageCode: to };
}

async function sent<T>(sending: Promise<T>): Promise<T> {
  try {
    return await sending;
  } catch (error) {
    // The message may quote the text, so only the name is read.
    throw new EngineFailure(codeOf(error));
  }
}

function codeOf(error: unknown): EngineFailureCode {
  if (!(error instanceof Error)) return 'failed';
  const known = FAILURES[error.name];
  if (known !== undefined) return known;
  // Only errors of connections have a code.
  return 'code' in error ? 'unreachable' : 'failed';
}
