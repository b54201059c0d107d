import { type Piece, type Syntax, scan, syntaxOf } from '../content/scan.ts';
import type { Quote, ValidAnswer } from '../contract/answers.ts';
import type { Price } from '../contract/price.ts';
import type { CheckedProject } from '../contract/project.ts';
import { isTranslatedNow } from './creation-counts.ts';
import { languageOf } from './project-from.ts';
import { characterCount } from './translation-engine.ts';
import { inTurns } from './turn.ts';

/** The engine of automatic translation, as a quote names it. */
export interface QuotedEngine {
  readonly name: string;
  /** The price of a million characters; absent if the operator has set none. */
  readonly price?: Price | undefined;
}

/** What a quote depends on besides the project. */
interface QuoteOptions {
  /** Absent if Segue translates nothing automatically. */
  readonly engine?: QuotedEngine | undefined;
  /** How many characters the engine would get now; by default, those of all contents in each automatic language. */
  readonly automaticCharacters?: number | undefined;
}

/** Returns what a valid project asks for. @param engine absent if Segue translates nothing automatically */
export async function validAnswer(project: CheckedProject, engine: QuotedEngine | undefined): Promise<ValidAnswer> {
  const { segments, targetLanguages } = project;
  const quote = await quoteOf(project, { engine });
  const counts = { segments: segments.length, targetLanguages: targetLanguages.length, characters: quote.characters };
  return { valid: true, ...counts, quote };
}

/** Counts what a project asks for, in turns of the event loop. */
export function quoteOf(project: CheckedProject, options: QuoteOptions): Promise<Quote> {
  return inTurns(quoteSteps(project, options));
}

/**
 * The length of the contents that one step reads, in UTF-16 code units: some milliseconds. A longer content is divided, so
 * that no part has more pieces than `scan` accepts.
 */
const STEP_LENGTH = 4_096;
/** The least length that a content counts for. */
const MIN_LENGTH = 32;

/** Counts what a project asks for, in steps. */
export function* quoteSteps(
  { sourceLanguageId, sourceLanguageCode, targetLanguages, segments }: CheckedProject,
  { engine, automaticCharacters }: QuoteOptions,
): Generator<void, Quote> {
  const { langCode } = languageOf(sourceLanguageId, sourceLanguageCode);
  const segmenter = new Intl.Segmenter(langCode, { granularity: 'word' });
  const counted = new Map<string, { words: number; characters: number }>();
  let [words, characters, repeats, length] = [0, 0, 0, 0];
  for (const { content } of segments) {
    let counts = counted.get(content);
    if (counts) repeats += 1;
    else {
      counts = { words: 0, characters: 0 };
      const syntax: Syntax = { ...syntaxOf(content), isOneLine: true };
      for (const part of partsOf(content, syntax)) {
        if (length > 0 && length + part.length > STEP_LENGTH) {
          yield;
          length = 0;
        }
        length += Math.max(part.length, MIN_LENGTH);
        counts.words += wordsIn(part, syntax, segmenter);
        counts.characters += characterCount([part]);
      }
      counted.set(content, counts);
    }
    words += counts.words;
    characters += counts.characters;
  }
  const sent = automaticCharacters ?? characters * targetLanguages.filter(isTranslatedNow).length;
  const automaticTranslation = engine
    ? { engine: engine.name, characters: sent, cost: engine.price ? costOf(sent, engine.price) : null }
    : null;
  return { words, characters, repeats, automaticTranslation };
}

function costOf(characters: number, { amount, currency }: Price): Price {
  return { amount: Math.round(characters * amount) / 1_000_000, currency };
}

/** Divides a long content: after a tag, or after white space, or in a text without both, such as Chinese, anywhere. */
function* partsOf(content: string, { isHtml }: Syntax): Generator<string> {
  let start = 0;
  while (content.length - start > STEP_LENGTH) {
    const middle = start + STEP_LENGTH / 2;
    const half = content.slice(middle, start + STEP_LENGTH);
    const afterTag = isHtml ? half.lastIndexOf('>') + 1 : 0;
    const end = middle + (afterTag || half.search(/\s\S*$/) + 1 || half.search(/[\ud800-\udbff]?$/));
    yield content.slice(start, end);
    start = end;
  }
  yield content.slice(start);
}

/** Counts the words of a content, or of a part of one. @param syntax that of the whole content */
function wordsIn(text: string, syntax: Syntax, segmenter: Intl.Segmenter): number {
  let scanned = scan(text, syntax);
  // A message that was divided, or that has a fault.
  if (typeof scanned === 'string') scanned = scan(text, { ...syntax, isMessage: false });
  const prose = typeof scanned === 'string' ? text : proseOf(scanned.pieces);
  let words = 0;
  for (const { isWordLike } of segmenter.segment(prose)) if (isWordLike) words += 1;
  return words;
}

/** Returns the words of a content. A tag in a word does not divide it; everything else that is no text does. */
function proseOf(pieces: readonly Piece[]): string {
  const texts = pieces.map((piece) => {
    if (piece.kind === 'text') return piece.text;
    if (piece.kind === 'open' || piece.kind === 'close') return '';
    const choice = 'choice' in piece ? piece.choice : undefined;
    return choice ? choice.map((part) => (typeof part === 'string' ? '\n' : proseOf(part))).join('') : '\n';
  });
  return texts.join('');
}
