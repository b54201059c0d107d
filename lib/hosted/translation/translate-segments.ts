import { setTimeout } from 'node:timers/promises';
import type { Deadline, Timer } from '../../service/deadline.ts';
import {
  EngineFailure,
  type EngineFailureCode,
  type TextFailureReason,
  type TextFormat,
  type TextResult,
  type TranslationEngine,
} from '../../service/translation-engine.ts';
import { batchesOf, callEngine, isTooLong } from './call-engine.ts';
import { type Scanned, scan } from './content.ts';
import { divideLongSentences } from './divide-sentence.ts';
import { decodeSentence, type EncodedSentence, encodeSentence } from './sentence-codec.ts';
import { assemble, assembleChoice, type Outline, outlineOf, type Sentence, sentencesOf } from './sentences.ts';
import { differenceFrom } from './signature.ts';

/** The contents of segments that have to be translated into one language. */
export interface SegmentsRequest {
  /** A code of Segue's language catalogue. */
  readonly source: string;
  readonly target: string;
  readonly texts: readonly string[];
  readonly deadline: Deadline;
  /** Stops the work early. What has been translated is returned. */
  readonly signal?: AbortSignal | undefined;
  /** The timer of time limits. Default: a real timer. */
  readonly timer?: Timer | undefined;
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

/** The maximum number of additional calls that look for the text for which an engine refuses a batch. */
const MAX_DIVISIONS = 20;

/** The number of refused texts after which an engine that answered nothing is not asked again. */
const MAX_REFUSED = 5;

const FORMATS: readonly TextFormat[] = ['plain', 'html'];
const REJECTED: TextResult = { kind: 'failed', reason: 'rejected' };

/**
 * Translates the contents of segments. Tags, entities, placeholders and ICU choices come back unchanged, or the segment
 * fails. A content without words is its own translation. If the engine fails, the segments that are complete are
 * returned, and the others are pending. Never throws because of an engine.
 */
export async function translateSegments(
  engine: TranslationEngine,
  request: SegmentsRequest,
): Promise<SegmentsTranslation> {
  const encode = encoder(engine);
  const isLong = (sentence: Sentence) => isTooLong(encode(sentence), engine.limits);
  const contents = request.texts.map((text) => readContent(text, isLong));
  const results = new Map<EncodedSentence, TextResult>();
  const open = new Set<EncodedSentence>();
  for (const sentence of contents.flatMap(({ sentences }) => sentences)) {
    if (isLong(sentence)) results.set(encode(sentence), { kind: 'failed', reason: 'too-long' });
    else open.add(encode(sentence));
  }
  const { failure, usedCharacters } = await translateSentences(engine, request, [...open], (sent, result) =>
    results.set(sent, result),
  );
  const find = (sentence: Sentence) => ({ sent: encode(sentence), result: results.get(encode(sentence)) });
  return {
    results: contents.map((content) => resultOf(content, find)),
    usedCharacters,
    ...(failure && { failure }),
  };
}

/** Returns a function that encodes sentences for an engine. Equal sentences become the same object, and are sent once. */
function encoder({ placeholderElement }: TranslationEngine): (sentence: Sentence) => EncodedSentence {
  const encoded = new Map<Sentence, EncodedSentence>();
  const equal = new Map<string, EncodedSentence>();
  return (sentence) => {
    const known = encoded.get(sentence);
    if (known) return known;
    const sent = encodeSentence(sentence, placeholderElement);
    const key = `${sent.format} ${sent.text}`;
    const first = equal.get(key) ?? sent;
    equal.set(key, first);
    encoded.set(sentence, first);
    return first;
  };
}

interface Content {
  readonly text: string;
  readonly scanned: Scanned | undefined;
  readonly outline: Outline;
  readonly sentences: readonly Sentence[];
}

function readContent(text: string, isLong: (sentence: Sentence) => boolean): Content {
  const scanned = scan(text);
  const outline = scanned ? divideLongSentences(outlineOf(scanned), isLong) : [];
  return { text, scanned, outline, sentences: sentencesOf(outline) };
}

interface Outcome {
  readonly usedCharacters: number;
  readonly failure?: EngineFailure | undefined;
}

/** The failures after which the engine may charge for the texts. */
const MAY_HAVE_COST: readonly EngineFailureCode[] = ['timed-out', 'aborted', 'unreachable', 'invalid-answer'];

/** Sends sentences in batches, several at the same time. After a failure, no more batches are sent. */
async function translateSentences(
  engine: TranslationEngine,
  { source, target, deadline, signal, timer = setTimeout }: SegmentsRequest,
  sentences: readonly EncodedSentence[],
  found: (sent: EncodedSentence, result: TextResult) => void,
): Promise<Outcome> {
  const queue = FORMATS.flatMap((format) =>
    batchesOf(
      sentences.filter((sent) => sent.format === format),
      engine.limits,
    ),
  );
  const refused: EncodedSentence[] = [];
  let refusal: EngineFailure | undefined;
  let answers = 0;
  let divisions = 0;
  let usedCharacters = 0;
  let failure: EngineFailure | undefined;

  async function send(batch: readonly EncodedSentence[]): Promise<void> {
    const texts = batch.map(({ text }) => text);
    const format = batch[0]?.format ?? 'plain';
    try {
      const results = await callEngine(engine, { source, target, format, texts }, { deadline, signal, timer });
      usedCharacters += charactersIn(texts);
      answers += 1;
      for (const [index, sent] of batch.entries()) found(sent, results[index] ?? REJECTED);
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      if (MAY_HAVE_COST.includes(error.code)) usedCharacters += charactersIn(texts);
      if (error.code !== 'rejected' && error.code !== 'invalid-answer') failure ??= error;
      else if (batch.length > 1 && divisions < MAX_DIVISIONS) {
        // One of the texts may be the cause, so each half is sent alone.
        divisions += 1;
        const middle = Math.ceil(batch.length / 2);
        queue.unshift(batch.slice(0, middle), batch.slice(middle));
      } else if (batch.length > 1) failure ??= answers > 0 ? new EngineFailure('invalid-answer') : error;
      else {
        refused.push(...batch);
        refusal = error;
        if (answers === 0 && refused.length >= MAX_REFUSED) failure ??= error;
      }
    }
  }

  async function sendNext(): Promise<void> {
    for (let batch = queue.shift(); batch; batch = failure ? undefined : queue.shift()) await send(batch);
  }

  await Promise.all(Array.from({ length: engine.limits.concurrentCalls }, sendNext));
  // An engine that answers other texts is not broken: it cannot handle these.
  const isOfTexts = answers > 0 || (refusal?.code === 'rejected' && refused.length < MAX_REFUSED);
  if (isOfTexts) for (const sent of refused) found(sent, REJECTED);
  else failure ??= refusal;
  return { usedCharacters, failure };
}

function charactersIn(texts: readonly string[]): number {
  // Engines charge for code points, and a surrogate pair is one.
  return texts.reduce(
    (sum, text) => sum + text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0),
    0,
  );
}

/** Puts a content together from the results of its sentences, and checks it. */
function resultOf(
  { text, scanned, outline, sentences }: Content,
  find: (sentence: Sentence) => { readonly sent: EncodedSentence; readonly result: TextResult | undefined },
): SegmentResult {
  if (!scanned) return { kind: 'failed', reason: 'message-unreadable' };
  if (sentences.length === 0) return { kind: 'translated', text };
  let reason: TextFailureReason | undefined;
  let isPending = false;
  const translation = assemble(outline, translated);
  if (!reason && isPending) return { kind: 'pending' };
  reason ??= differenceFrom(scanned, translation);
  return reason ? { kind: 'failed', reason } : { kind: 'translated', text: translation };

  function translated(sentence: Sentence): string {
    const { sent, result } = find(sentence);
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
