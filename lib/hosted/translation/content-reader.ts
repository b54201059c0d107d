import { type Scanned, scan } from '../../content/scan.ts';
import type { TextFailureReason, TextResult, TranslationEngine } from '../../service/translation-engine.ts';
import { nextTurn } from '../../service/turn.ts';
import { isTooLong } from './call-engine.ts';
import { divideLongSentences } from './divide-sentence.ts';
import { decodeSentence, type EncodedSentence, encodeSentence } from './sentence-codec.ts';
import { assemble, assembleChoice, type Outline, outlineOf, type Sentence, sentencesOf } from './sentences.ts';
import { differenceFrom } from './signature.ts';

/** What the sentences of a content depend on. */
export type SentenceRules = Pick<TranslationEngine, 'placeholderElement'> & {
  readonly limits: Pick<TranslationEngine['limits'], 'textBytes' | 'batchBytes'>;
};

/** A sentence for an engine. */
export interface SentSentence extends EncodedSentence {
  /** Whether the engine does not accept a sentence of this length. */
  readonly isLong: boolean;
}

/** What an engine has to translate of a content, or the result of a content that no engine has to see. */
export type Prepared = OpenContent | TextResult;

interface OpenContent {
  readonly kind: 'open';
  readonly sentences: readonly SentSentence[];
  /** What this thread has read, so that `assemble` need not look for it. */
  readonly read?: ReadContent | undefined;
}

/** A content with the translations of its sentences, in the order of `Prepared`. */
export interface TranslatedSentences extends Pick<OpenContent, 'read'> {
  readonly content: string;
  readonly translations: readonly string[];
}

/**
 * Reads the contents of segments for an engine, and makes their translations. Neither rejects because of a content: one
 * that cannot be handled has a failed result. The time and the memory are linear in the length of the contents.
 */
export interface ContentReader {
  /** Finds the sentences of contents. @returns one result for each content, in the same order */
  prepare(contents: readonly string[], rules: SentenceRules): Promise<readonly Prepared[]>;
  /** Puts contents together from the translations of all their sentences, and checks them. */
  assemble(contents: readonly TranslatedSentences[], rules: SentenceRules): Promise<readonly TextResult[]>;
}

/** The length of contents after which other work has a turn, in UTF-16 code units. They are read in some milliseconds. */
const SLICE_LENGTH = 8_192;
/** The least length that a content counts for. */
const MIN_LENGTH = 32;

/**
 * Creates a reader that works in this thread. It remembers contents, because each language of a project needs the same.
 * @param maxKnown the weight of the contents that are remembered, about the number of bytes
 */
export function contentReader(maxKnown = MAX_KNOWN): ContentReader {
  const known = new KnownContents(maxKnown);
  return {
    prepare: (contents, rules) =>
      inSlices(contents, lengthOf, (content) => {
        const read = known.read(content, rules);
        return typeof read === 'string' ? { kind: 'failed', reason: read } : read.prepared;
      }),
    assemble: (contents, rules) =>
      inSlices(
        contents,
        (item) => Math.max(lengthOfTranslated(item), MIN_LENGTH),
        ({ content, translations, read = known.read(content, rules) }) => {
          return typeof read === 'string' ? { kind: 'failed', reason: read } : resultOnce(read, translations);
        },
      ),
  };
}

/** The length of a content and its translations, in UTF-16 code units. */
export function lengthOfTranslated({ content, translations }: TranslatedSentences): number {
  let { length } = content;
  for (const translation of translations) length += translation.length;
  return length;
}

const lengthOf = (content: string) => Math.max(content.length, MIN_LENGTH);

/** Makes a result of each item. Other work has a turn after some items, and before and after a long one. */
async function inSlices<T, R>(items: readonly T[], lengthOf: (item: T) => number, resultOf: (item: T) => R) {
  const results: R[] = [];
  let length = 0;
  for (const item of items) {
    length += lengthOf(item);
    if (length > SLICE_LENGTH && results.length > 0) {
      await nextTurn();
      length = lengthOf(item);
    }
    results.push(resultOf(item));
  }
  return results;
}

/** A content of a segment, as it was read. */
class ReadContent {
  readonly scanned: Scanned;
  readonly outline: Outline;
  /** The sentences of the outline with what the engine gets of each. */
  readonly sentences: readonly Sentence[];
  readonly sent: readonly SentSentence[];
  /** What `prepare` returns, made once, because each language needs it. */
  readonly prepared: Prepared;
  /** The last result, with the translations of which it was made. */
  last: { readonly of: readonly string[]; readonly result: TextResult } | undefined;

  constructor(text: string, scanned: Scanned, outline: Outline, encode: (sentence: Sentence) => SentSentence) {
    this.scanned = scanned;
    this.outline = outline;
    this.sentences = sentencesOf(outline);
    this.sent = this.sentences.map(encode);
    const isOpen = this.sent.length > 0;
    this.prepared = isOpen ? { kind: 'open', sentences: this.sent, read: this } : { kind: 'translated', text };
  }
}

/**
 * The weight of the contents that are remembered, after which they are forgotten. A weight is about the number of bytes. No
 * content has more than 20 MB.
 */
const MAX_KNOWN = 25_165_824;
const WEIGHTS = { content: 600, character: 8, piece: 120, sentence: 600 };

/** The contents that were read last, by their texts. */
class KnownContents {
  readonly #contents = new Map<string, ReadContent>();
  readonly #maxWeight: number;
  #rules: SentenceRules | undefined;
  #weight = 0;

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  read(text: string, rules: SentenceRules): ReadContent | TextFailureReason {
    const hasRules = hasEqualRules(rules, this.#rules);
    const before = hasRules ? this.#contents.get(text) : undefined;
    if (before) return before;
    if (!hasRules || this.#weight > this.#maxWeight) {
      this.#contents.clear();
      this.#weight = 0;
      this.#rules = rules;
    }
    const content = readContent(text, rules);
    if (typeof content === 'string') return content;
    this.#contents.set(text, content);
    const { scanned, sent } = content;
    this.#weight += WEIGHTS.content + WEIGHTS.character * text.length;
    this.#weight += WEIGHTS.piece * scanned.pieces.length + WEIGHTS.sentence * sent.length;
    return content;
  }
}

function hasEqualRules(one: SentenceRules, other: SentenceRules | undefined): boolean {
  if (one === other) return true;
  if (!other || one.placeholderElement !== other.placeholderElement) return false;
  const [{ textBytes, batchBytes }, limits] = [one.limits, other.limits];
  const { plain, html } = limits.textBytes;
  return batchBytes === limits.batchBytes && textBytes.plain === plain && textBytes.html === html;
}

function readContent(text: string, { limits, placeholderElement }: SentenceRules): ReadContent | TextFailureReason {
  const scanned = scan(text);
  if (typeof scanned === 'string') return scanned;
  const encode = (sentence: Sentence) => {
    const sent = encodeSentence(sentence, placeholderElement);
    return { ...sent, isLong: isTooLong(sent, limits) };
  };
  const outline = divideLongSentences(outlineOf(scanned), (sentence) => encode(sentence).isLong);
  return new ReadContent(text, scanned, outline, encode);
}

/** Returns the result of a content. Segments with the same text mostly get the same translation, so it is made once. */
function resultOnce(content: ReadContent, of: readonly string[]): TextResult {
  const { last } = content;
  if (last && isSame(of, last.of)) return last.result;
  const result = resultOf(content, of);
  content.last = { of, result };
  return result;
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  for (let index = 0; index < some.length; index++) if (some[index] !== others[index]) return false;
  return true;
}

/** Puts a content together from the translations of its sentences, and checks it. */
function resultOf({ scanned, outline, sentences, sent }: ReadContent, translations: readonly string[]): TextResult {
  const indexes = new Map(sentences.map((sentence, index) => [sentence, index]));
  let failure: TextResult | undefined;
  const text = assemble(outline, translated);
  if (failure) return failure;
  const reason = differenceFrom(scanned, text);
  return reason ? { kind: 'failed', reason } : { kind: 'translated', text };

  function translated(sentence: Sentence): string {
    const index = indexes.get(sentence) ?? -1;
    const [one, translation] = [sent[index], translations[index]];
    if (!one || translation === undefined) throw new RangeError('A sentence has no translation');
    const decoded = decodeSentence(sentence, one, translation, restored);
    if (decoded.kind === 'translated') return decoded.text;
    failure ??= decoded;
    return '';
  }

  function restored(piece: Exclude<Sentence['pieces'][number], { kind: 'text' }>): string {
    return 'choice' in piece && piece.choice ? assembleChoice(piece.choice, translated) : piece.raw;
  }
}
