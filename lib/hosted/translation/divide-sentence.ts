import type { Outline, Sentence, SentencePiece } from './sentences.ts';

/**
 * Divides the sentences of an outline that are too long for an engine. They are divided at full stops outside of tags, as
 * near to the middle as possible. A sentence without a full stop stays too long.
 */
export function divideLongSentences(outline: Outline, isTooLong: (sentence: Sentence) => boolean): Outline {
  return outline.flatMap((part): Outline => {
    if (typeof part === 'string') return [part];
    if (part.kind === 'sentence') return divide(part, isTooLong);
    const parts = part.parts.map((inner) =>
      typeof inner === 'string' ? inner : divideLongSentences(inner, isTooLong),
    );
    return [{ kind: 'choice', parts }];
  });
}

function divide(sentence: Sentence, isTooLong: (sentence: Sentence) => boolean): Outline {
  const stop = isTooLong(sentence) ? middleStop(sentence.pieces) : undefined;
  if (!stop) return [sentence];
  const { pieces } = sentence;
  const before = [...pieces.slice(0, stop.piece), ...words(stop.before)];
  const after = [...words(stop.after), ...pieces.slice(stop.piece + 1)];
  return [
    ...divide({ ...sentence, pieces: before }, isTooLong),
    stop.gap,
    ...divide({ ...sentence, pieces: after }, isTooLong),
  ];
}

/** A full stop: the number of the piece that it stands in, and the text of this piece around the space after it. */
interface Stop {
  readonly piece: number;
  readonly before: string;
  readonly gap: string;
  readonly after: string;
}

/** The space after a full stop. In Chinese and Japanese there is none. */
const GAP = /(?<=[.!?…]["'”’)\]]?)\s+(?=\S)|(?<=[。！？])\s*(?=\S)/gu;

/** Finds the full stop that is nearest to the middle. */
function middleStop(pieces: readonly SentencePiece[]): Stop | undefined {
  const middle = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0) / 2;
  let depth = 0;
  let passed = 0;
  let best: { readonly stop: Stop; readonly distance: number } | undefined;
  for (const [number, piece] of pieces.entries()) {
    if (piece.kind === 'open') depth += 1;
    if (piece.kind === 'close') depth -= 1;
    if (piece.kind === 'text' && depth === 0) {
      for (const { 0: gap, index } of piece.text.matchAll(GAP)) {
        const distance = Math.abs(passed + index - middle);
        if (best && best.distance <= distance) continue;
        const [before, after] = [piece.text.slice(0, index), piece.text.slice(index + gap.length)];
        best = { stop: { piece: number, before, gap, after }, distance };
      }
    }
    passed += lengthOf(piece);
  }
  return best?.stop;
}

function lengthOf(piece: SentencePiece): number {
  return piece.kind === 'text' ? piece.text.length : piece.raw.length;
}

function words(text: string): SentencePiece[] {
  return text === '' ? [] : [{ kind: 'text', text }];
}
