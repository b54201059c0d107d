/** Where a page of segments starts, and which state of the project the pages show. */
export interface PageCursor {
  /** The number of segments before the page, in the order of the project. */
  readonly position: number;
  /** Names a state of the project: 1 to 64 letters, digits, `_` or `-` of ASCII. Each change of the project changes it. */
  readonly revision: string;
}

const CURSOR = /^s([1-9a-z][0-9a-z]{0,3})\.([A-Za-z0-9_-]{1,64})$/;

/** Writes a cursor as the text that a `Link` header contains. */
export function pageCursorText({ position, revision }: PageCursor): string {
  return `s${position.toString(36)}.${revision}`;
}

/** Reads a cursor from its text; `undefined` if the text is not a cursor. */
export function readPageCursor(text: string): PageCursor | undefined {
  const [, position, revision] = CURSOR.exec(text) ?? [];
  return position === undefined || revision === undefined
    ? undefined
    : { position: Number.parseInt(position, 36), revision };
}
