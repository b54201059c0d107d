/** A part of a text: words, or a tag or placeholder that stands for itself. */
export interface TextPiece {
  readonly text: string;
  readonly isTag: boolean;
}

/** A tag such as `</p>`, or a placeholder such as `{name}` or `{{name}}`. No match has a bracket inside. */
const TAG = /<\/?[a-z][^<>]*>|\{\{[\w.$-]+\}\}|\{[\w.$-]+\}/gi;
/** What follows so many pieces is not divided, so that no text makes a page slow. */
const MAX_PIECES = 200;

/**
 * Divides a text into words, and tags and placeholders, which are read from left to right in every language. The pieces
 * together are the text. Takes a time that grows with the length of the text.
 */
export function piecesOf(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const { 0: tag, index } of text.matchAll(TAG)) {
    if (index > end) pieces.push({ text: text.slice(end, index), isTag: false });
    pieces.push({ text: tag, isTag: true });
    end = index + tag.length;
    if (pieces.length >= MAX_PIECES) break;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isTag: false });
  return pieces;
}
