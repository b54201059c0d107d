import {
  isTag,
  LINE_BREAK,
  type Piece,
  type Scanned,
  type ScannedChoice,
  type Syntax,
  type Tag,
} from '../../content/scan.ts';

/** A sentence to translate. Its pieces begin and end with words or a placeholder, and every tag has its partner. */
export interface Sentence {
  readonly kind: 'sentence';
  readonly syntax: Syntax;
  readonly pieces: readonly SentencePiece[];
}

export type SentencePiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'markup' | 'placeholder'; readonly raw: string; readonly choice?: OutlinedChoice }
  | Tag;

export interface OutlinedChoice {
  readonly kind: 'choice';
  readonly parts: readonly (string | Outline)[];
}

/** What a translation is made of: texts that stay, sentences, and choices outside of sentences. */
export type Outline = readonly (string | Sentence | OutlinedChoice)[];

/** Finds the sentences in a content. */
export function outlineOf({ syntax, pieces }: Scanned): Outline {
  const outline: (string | Sentence | OutlinedChoice)[] = [];
  let line: Piece[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'break') {
      outline.push(...outlineOfLine(line, syntax), piece.raw);
      line = [];
    } else line.push(piece);
  }
  return [...outline, ...outlineOfLine(line, syntax)];
}

/** Returns all sentences of a content, also those inside of choices. */
export function sentencesOf(outline: Outline): Sentence[] {
  return outline.flatMap((part) => {
    if (typeof part === 'string') return [];
    if (part.kind === 'choice') return sentencesOfChoice(part);
    const choices = part.pieces.flatMap((piece) => ('choice' in piece && piece.choice ? [piece.choice] : []));
    return [part, ...choices.flatMap(sentencesOfChoice)];
  });
}

function sentencesOfChoice({ parts }: OutlinedChoice): Sentence[] {
  return parts.flatMap((part) => (typeof part === 'string' ? [] : sentencesOf(part)));
}

/** Puts a content together. `translated` returns the translation of a sentence in the syntax of the content. */
export function assemble(outline: Outline, translated: (sentence: Sentence) => string): string {
  const parts = outline.map((part) => {
    if (typeof part === 'string') return part;
    return part.kind === 'choice' ? assembleChoice(part, translated) : translated(part);
  });
  return parts.join('');
}

export function assembleChoice({ parts }: OutlinedChoice, translated: (sentence: Sentence) => string): string {
  return parts.map((part) => (typeof part === 'string' ? part : assemble(part, translated))).join('');
}

type LinePiece = Exclude<Piece, { kind: 'break' }>;

function outlineOfLine(pieces: readonly Piece[], syntax: Syntax): Outline {
  const line = pairTags(pieces.filter((piece) => piece.kind !== 'break'));
  const { before, inside, after } = peel(joinTexts(line));
  if (!inside.some((piece) => piece.kind === 'text' && /\p{L}/u.test(piece.text))) {
    const kept = inside.map((piece) =>
      'choice' in piece && piece.choice ? outlineOfChoice(piece.choice, syntax) : piece.raw,
    );
    return [before, ...kept, after];
  }
  const sentence = inside.map((piece): SentencePiece => {
    if (piece.kind === 'text') return { kind: 'text', text: syntax.isHtml ? oneLine(piece.text) : piece.text };
    if (isTag(piece)) return piece;
    const { kind, raw, choice } = piece;
    return { kind, raw, ...(choice && { choice: outlineOfChoice(choice, syntax) }) };
  });
  return [before, { kind: 'sentence', syntax, pieces: sentence }, after];
}

function outlineOfChoice(choice: ScannedChoice, syntax: Syntax): OutlinedChoice {
  return {
    kind: 'choice',
    parts: choice.map((part) => (typeof part === 'string' ? part : outlineOf({ syntax, pieces: part }))),
  };
}

/** In HTML, a line break is a space. */
function oneLine(text: string): string {
  return text.replace(LINE_BREAK, ' ');
}

/** Turns each tag without a partner in the same line into markup, so that the others are nested well. */
function pairTags(line: readonly LinePiece[]): LinePiece[] {
  const paired = [...line];
  const open: number[] = [];
  const single = (index: number, { raw }: LinePiece) => paired.splice(index, 1, { kind: 'markup', raw });
  line.forEach((piece, index) => {
    if (piece.kind === 'open') open.push(index);
    if (piece.kind !== 'close') return;
    const last = line[open.at(-1) ?? -1];
    if (last?.kind === 'open' && last.name === piece.name) open.pop();
    else single(index, piece);
  });
  for (const index of open) {
    const piece = line[index];
    if (piece) single(index, piece);
  }
  return paired;
}

function joinTexts(line: readonly LinePiece[]): LinePiece[] {
  const joined: LinePiece[] = [];
  for (const piece of line) {
    const last = joined.at(-1);
    if (piece.kind !== 'text' || last?.kind !== 'text') joined.push(piece);
    else joined.splice(-1, 1, { kind: 'text', raw: last.raw + piece.raw, text: last.text + piece.text });
  }
  return joined;
}

/** Takes away what surrounds a sentence: white space, markup, and a pair of tags around all of it. */
function peel(line: readonly LinePiece[]): { before: string; inside: LinePiece[]; after: string } {
  const partners = partnersOf(line);
  const isOuterAt = (index: number) => {
    const piece = line[index];
    return piece !== undefined && isOuter(piece);
  };
  let [start, end] = [0, line.length];
  for (;;) {
    while (start < end && isOuterAt(start)) start += 1;
    while (start < end && isOuterAt(end - 1)) end -= 1;
    if (start >= end || partners.get(start) !== end - 1) break;
    start += 1;
    end -= 1;
  }
  const rawOf = (pieces: readonly LinePiece[]) => pieces.map(({ raw }) => raw).join('');
  const { lead, trail, trimmed } = trimEnds(line.slice(start, end));
  return { before: rawOf(line.slice(0, start)) + lead, inside: trimmed, after: trail + rawOf(line.slice(end)) };
}

function isOuter(piece: LinePiece): boolean {
  return (piece.kind === 'markup' && !piece.isWord) || (piece.kind === 'text' && piece.raw.trim() === '');
}

function trimEnds(pieces: readonly LinePiece[]): { lead: string; trail: string; trimmed: LinePiece[] } {
  const trimmed = [...pieces];
  const [first] = trimmed;
  let lead = '';
  let trail = '';
  if (first?.kind === 'text') {
    lead = first.raw.slice(0, first.raw.length - first.raw.trimStart().length);
    trimmed[0] = { kind: 'text', raw: first.raw.trimStart(), text: first.text.trimStart() };
  }
  const last = trimmed.at(-1);
  if (last?.kind === 'text') {
    trail = last.raw.slice(last.raw.trimEnd().length);
    trimmed[trimmed.length - 1] = { kind: 'text', raw: last.raw.trimEnd(), text: last.text.trimEnd() };
  }
  return { lead, trail, trimmed };
}

/** Returns the position of the end tag of each start tag. */
function partnersOf(line: readonly LinePiece[]): ReadonlyMap<number, number> {
  const partners = new Map<number, number>();
  const open: number[] = [];
  line.forEach((piece, index) => {
    if (piece.kind === 'open') open.push(index);
    if (piece.kind === 'close') partners.set(open.pop() ?? -1, index);
  });
  return partners;
}
