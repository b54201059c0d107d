const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;

/** What a JSON text is made of, as far as that can be told before it is read. */
export interface Outline {
  /** How many members its objects have. */
  readonly members: number;
  /** How deep it is nested. */
  readonly depth: number;
  /** How many objects and arrays there are, and how many commas in them: at least half of all values. */
  readonly parts: number;
}

/** Right for JSON, harmless for anything else. */
export function outlineOf(text: string): Outline {
  let members = 0;
  let level = 0;
  let depth = 0;
  let parts = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === COLON) members++;
    else if (unit === COMMA) parts++;
    else if (unit === 0x7b || unit === 0x5b) {
      parts++;
      depth = Math.max(depth, ++level);
    } else if (unit === 0x7d || unit === 0x5d) level--;
  }
  return { members, depth, parts };
}

/** Where the closing quote of a string is: the next one before which there is no odd number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}
