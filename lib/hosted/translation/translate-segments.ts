import type {
  EngineFailure,
  TextFailureReason,
  TextFormat,
  TextResult,
  TranslationEngine,
} from '../../service/translation-engine.ts';
import { batchesOf, isTooLong } from './call-engine.ts';
import { type Scanned, scan } from './content.ts';
import { divideLongSentences } from './divide-sentence.ts';
import { decodeSentence, type EncodedSentence, encodeSentence } from './sentence-codec.ts';
import { assemble, assembleChoice, type Outline, outlineOf, type Sentence, sentencesOf } from './sentences.ts';
import { differenceFrom } from './signature.ts';
import { type SentencesRequest, translateSentences } from './translate-sentences.ts';

/** The contents of segments that have to be translated into one language. */
export interface SegmentsRequest extends SentencesRequest {
  readonly texts: readonly string[];
  /** The contents that requests of the same project have read. */
  readonly known?: KnownContents | undefined;
}

/** The result for one segment. `pending`: it was not translated yet, so a later request can include it again. */
export type SegmentResult = TextResult | { readonly kind: 'pending' };

export interface SegmentsTranslation {
  /** One result for each text, in the same order. */
  readonly results: readonly SegmentResult[];
  /** The number of characters that the engine received, and may have charged for. */
  readonly usedCharacters: number;
  /** Why there are pending results, and when to go on. */
  readonly failure?: EngineFailure;
}

const FORMATS: readonly TextFormat[] = ['plain', 'html'];
const TOO_LONG: TextResult = { kind: 'failed', reason: 'too-long' };

/**
 * Translates the contents of segments. Tags, entities, placeholders and ICU choices come back unchanged, or the segment
 * fails. A content without words is its own translation. If the engine fails, the segments that are complete are
 * returned, and the others are pending. Never throws because of an engine.
 */
export async function translateSegments(
  engine: TranslationEngine,
  request: SegmentsRequest,
): Promise<SegmentsTranslation> {
  const contents = request.texts.map((text) => readOnce(text, engine, request.known));
  const results: Results = { plain: new Map(), html: new Map() };
  const open: Record<TextFormat, Map<string, EncodedSentence>> = { plain: new Map(), html: new Map() };
  for (const { sent } of contents) {
    for (const one of sent) {
      const { format, text, isLong } = one;
      if (isLong) results[format].set(text, TOO_LONG);
      else open[format].set(text, one);
    }
  }
  const queue = FORMATS.flatMap((format) => batchesOf([...open[format].values()], engine.limits));
  const { failure, usedCharacters } = await translateSentences(engine, request, queue, ({ format, text }, result) =>
    results[format].set(text, result),
  );
  return {
    results: contents.map((content) => resultOnce(content, results)),
    usedCharacters,
    ...(failure && { failure }),
  };
}

/** The results of sentences, by their format and text. Equal sentences are sent once. */
type Results = Readonly<Record<TextFormat, Map<string, TextResult>>>;

interface SentSentence extends EncodedSentence {
  /** Whether the engine does not accept a sentence of this length. */
  readonly isLong: boolean;
}

/** A content of a segment, as it was read. */
interface Content {
  readonly text: string;
  readonly scanned: Scanned | undefined;
  readonly outline: Outline;
  readonly sentences: ReadonlyMap<Sentence, SentSentence>;
  readonly sent: readonly SentSentence[];
  /** The last result, with the results of the sentences that it was made of. */
  last?: { readonly of: readonly (TextResult | undefined)[]; readonly result: SegmentResult };
}

/** Contents of a project that were read for an engine, by their texts. Each of its languages needs the same ones. */
export type KnownContents = Map<string, Content>;

/** How many contents are remembered, so that they need no more than some megabytes. */
const MAX_KNOWN = 10_000;

function readOnce(text: string, engine: TranslationEngine, known: KnownContents = new Map()): Content {
  const before = known.get(text);
  if (before) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const content = readContent(text, engine);
  known.set(text, content);
  return content;
}

function readContent(text: string, { limits, placeholderElement }: TranslationEngine): Content {
  const encode = (sentence: Sentence) => {
    const sent = encodeSentence(sentence, placeholderElement);
    return { ...sent, isLong: isTooLong(sent, limits) };
  };
  const scanned = scan(text);
  const outline = scanned ? divideLongSentences(outlineOf(scanned), (sentence) => encode(sentence).isLong) : [];
  const sentences = new Map(sentencesOf(outline).map((sentence) => [sentence, encode(sentence)]));
  return { text, scanned, outline, sentences, sent: [...sentences.values()] };
}

/** Returns the result of a content. Segments with the same text mostly get the same translation, so it is made once. */
function resultOnce(content: Content, results: Results): SegmentResult {
  const of = content.sent.map(({ format, text }) => results[format].get(text));
  if (content.last && isSame(of, content.last.of)) return content.last.result;
  const result = resultOf(content, results);
  content.last = { of, result };
  return result;
}

function isSame(some: readonly (TextResult | undefined)[], others: readonly (TextResult | undefined)[]): boolean {
  return some.every((one, index) => {
    const other = others[index];
    return one?.kind === 'translated' && other?.kind === 'translated' && one.text === other.text;
  });
}

/** Puts a content together from the results of its sentences, and checks it. */
function resultOf({ text, scanned, outline, sentences }: Content, results: Results): SegmentResult {
  if (!scanned) return { kind: 'failed', reason: 'message-unreadable' };
  if (sentences.size === 0) return { kind: 'translated', text };
  let reason: TextFailureReason | undefined;
  let isPending = false;
  const translation = assemble(outline, translated);
  if (!reason && isPending) return { kind: 'pending' };
  reason ??= differenceFrom(scanned, translation);
  return reason ? { kind: 'failed', reason } : { kind: 'translated', text: translation };

  function translated(sentence: Sentence): string {
    const sent = sentences.get(sentence);
    const result = sent && results[sent.format].get(sent.text);
    if (!result) {
      isPending = true;
      return '';
    }
    const decoded = result.kind === 'failed' ? result : decodeSentence(sentence, sent, result.text, restored);
    if (decoded.kind === 'translated') return decoded.text;
    reason ??= decoded.reason;
    return '';
  }

  function restored(piece: Exclude<Sentence['pieces'][number], { kind: 'text' }>): string {
    return 'choice' in piece && piece.choice ? assembleChoice(piece.choice, translated) : piece.raw;
  }
}
