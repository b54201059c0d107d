import { LIMITS } from '../../contract/limits.ts';
import {
  type CharacterBudget,
  characterCount,
  EngineFailure,
  type TextFailureReason,
  type TextFormat,
  type TextResult,
  type TranslationEngine,
} from '../../service/translation-engine.ts';
import { eachInTurns } from '../../service/turn.ts';
import { batchesOf } from './call-engine.ts';
import type { ContentReader, Prepared, SentSentence, TranslatedSentences } from './content-reader.ts';
import { type SentencesRequest, translateSentences } from './translate-sentences.ts';

/** The contents of segments that have to be translated into one language. */
export interface SegmentsRequest extends SentencesRequest {
  readonly texts: readonly string[];
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
const PENDING = { kind: 'pending' } as const;

/**
 * Translates the contents of segments. Tags, entities, placeholders and ICU choices come back unchanged, or the segment
 * fails. A content without words is its own translation. If the engine fails, the segments that are complete are
 * returned, and the others are pending. So is a segment for which no day has enough characters. Never throws because of an engine or a content.
 */
export async function translateSegments(
  engine: TranslationEngine,
  reader: ContentReader,
  request: SegmentsRequest,
): Promise<SegmentsTranslation> {
  const prepared = await reader.prepare(request.texts, engine);
  const open: Record<TextFormat, Map<string, SentSentence>> = { plain: new Map(), html: new Map() };
  const overLimit = new Set(prepared.filter((content) => isOverLimit(content, request.budget)));
  const sentences = prepared.flatMap((content) => (overLimit.has(content) ? [] : sentencesIn(content)));
  await eachInTurns(sentences, (one) => {
    if (!one.isLong) open[one.format].set(one.text, one);
  });
  const queue: SentSentence[][] = [];
  for (const format of FORMATS) {
    for (const batch of await batchesOf([...open[format].values()], engine.limits)) queue.push(batch);
  }
  const found: Results = { plain: new Map(), html: new Map() };
  const { failure: ofCalls, usedCharacters } = await translateSentences(
    engine,
    request,
    queue,
    ({ format, text }, result) => found[format].set(text, result),
  );

  const results: SegmentResult[] = [];
  const complete: (TranslatedSentences & { readonly index: number })[] = [];
  await eachInTurns(
    request.texts.entries(),
    ([index, content]) => {
      const open = prepared[index];
      const one = translationsOf(open, found);
      if (Array.isArray(one)) {
        const read = open?.kind === 'open' ? open.read : undefined;
        complete.push({ content, translations: one, index, ...(read && { read }) });
      } else results[index] = one;
    },
    ([index]) => sentencesIn(prepared[index]).length || 1,
  );
  const assembled = await reader.assemble(complete, engine);
  for (const [n, { index }] of complete.entries()) results[index] = within(assembled[n] ?? PENDING);
  const isWaiting = prepared.some((content, index) => overLimit.has(content) && results[index]?.kind === 'pending');
  const failure = ofCalls ?? (isWaiting ? new EngineFailure('over-limit') : undefined);
  return {
    results: request.texts.map((_, index) => results[index] ?? PENDING),
    usedCharacters,
    ...(failure && { failure }),
  };
}

/** The results of sentences, by their format and text. Equal sentences are sent once. */
type Results = Readonly<Record<TextFormat, Map<string, TextResult>>>;

function sentencesIn(content: Prepared | undefined): readonly SentSentence[] {
  return content?.kind === 'open' ? content.sentences : [];
}

/** Whether no day has enough characters for a content. Its first sentences would be sent, and paid, every day. */
function isOverLimit(content: Prepared, budget: CharacterBudget | undefined): boolean {
  return !!budget?.perDay && characterCount(sentencesIn(content).map(({ text }) => text)) > budget.perDay;
}

/** Returns the translations of all sentences of a content, or a result if one of them has none. */
function translationsOf(content: Prepared | undefined, found: Results): string[] | SegmentResult {
  if (content?.kind !== 'open') return content ?? PENDING;
  const translations: string[] = [];
  let isPending = false;
  for (const { format, text, isLong } of content.sentences) {
    const result = isLong ? failed('too-long') : found[format].get(text);
    if (result?.kind === 'failed') return result;
    if (result) translations.push(result.text);
    else isPending = true;
  }
  return isPending ? PENDING : translations;
}

/** The maximum length of a translation as JSON, in bytes. So a segment with one translation always fits into an answer. */
const MAX_BYTES = 4 * LIMITS.contentBytes;
/** How many bytes of JSON a UTF-16 code unit has at most. */
const UNIT_BYTES = 6;

/** Refuses a translation that is too long for an answer. */
function within(result: SegmentResult): SegmentResult {
  if (result.kind !== 'translated' || UNIT_BYTES * result.text.length <= MAX_BYTES) return result;
  return Buffer.byteLength(JSON.stringify(result.text)) > MAX_BYTES ? failed('implausible') : result;
}

function failed(reason: TextFailureReason): TextResult {
  return { kind: 'failed', reason };
}
