import { piecesOf } from './text-pieces.ts';

/** A text whose tags and placeholders stay whole and legible among words from right to left. */
export function WithTags({ content }: { readonly content: string }) {
  return (
    <>
      {piecesOf(content).map((piece, at) =>
        piece.isTag ? (
          <bdi key={at} dir="ltr" class="tag">
            {piece.text}
          </bdi>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}
