import { hasNoSyntax, NO_SYNTAX, type Piece, type Scanned, scan, syntaxOf } from '../../content/scan.ts';
import type { TextFailureReason } from '../../service/translation-engine.ts';

/**
 * Compares everything of a translation that is no words with its source: tags, entities, placeholders and the syntax of
 * choices. It reads the finished translation again, so it does not depend on how the translation was made.
 * @returns why the translation cannot be used; `undefined` if it can
 */
export function differenceFrom(source: Scanned, translation: string): TextFailureReason | undefined {
  if (source.syntax === NO_SYNTAX && hasNoSyntax(translation)) return undefined;
  const { isHtml, isMessage } = syntaxOf(translation);
  if (!source.syntax.isHtml && (isHtml || tagStartsIn(translation) !== tagStartsIn(rawOf(source))))
    return 'markup-lost';
  const result = scan(translation, source.syntax);
  if (typeof result === 'string' || isMessage !== source.syntax.isMessage) return 'placeholder-lost';
  if ([...source.pieces, ...result.pieces].every(({ kind }) => kind === 'text')) return undefined;
  if (signature(result.pieces, false) !== signature(source.pieces, false)) return 'placeholder-lost';
  return signature(result.pieces, true) === signature(source.pieces, true) ? undefined : 'markup-lost';
}

/** Counts what a browser would take for the start of a tag, if an end followed somewhere. */
function tagStartsIn(text: string): number {
  return text.match(/<[a-z/!?]/gi)?.length ?? 0;
}

function rawOf({ pieces }: Scanned): string {
  return pieces.map(({ raw }) => raw).join('');
}

/** Returns a text that is equal for pieces that differ only in their words and in the order of what is between them. */
function signature(pieces: readonly Piece[], isMarkup: boolean): string {
  const kept = pieces.flatMap((piece) => {
    if (piece.kind === 'text') return [];
    if (piece.kind !== 'placeholder') return isMarkup && piece.raw.trim() !== '' ? [piece.raw] : [];
    if (!piece.choice) return isMarkup ? [] : [piece.raw];
    return [joined(piece.choice.map((part) => (typeof part === 'string' ? part : signature(part, isMarkup))))];
  });
  return joined(kept.sort());
}

/** Joins texts so that no other texts give the same. Quoting them would double their quotes at each level of choices. */
function joined(texts: readonly string[]): string {
  return texts.map((text) => `${text.length}:${text}`).join('');
}
