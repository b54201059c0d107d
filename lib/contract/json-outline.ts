const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

/** What a JSON text is made of, as far as that can be told before it is read. */
export interface Outline {
  /** How many members its objects have. */
  readonly members: number;
  /** How deep it is nested. */
  readonly depth: number;
  /** How many objects and arrays there are, and how many commas in them: at least half of all values. */
  readonly parts: number;
  /** How many values there are, the outermost one included. */
  readonly values: number;
}

/** Where an outline ends early: a text beyond one of these is refused anyway. */
export interface OutlineBounds {
  readonly mostLevels?: number;
  readonly mostValues?: number;
}

/** Right for JSON, harmless for anything else. */
export function outlineOf(text: string, { mostLevels = Infinity, mostValues = Infinity }: OutlineBounds = {}): Outline {
  let members = 0;
  let level = 0;
  let depth = 0;
  let parts = 0;
  let empty = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (unit === COLON) members++;
    else if (unit === COMMA) {
      parts++;
      if (1 + parts - empty > mostValues) break;
    } else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      parts++;
      depth = Math.max(depth, ++level);
      if (depth > mostLevels) break;
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      level--;
      if (closesEmpty(text, at)) empty++;
    }
  }
  // Each comma and each object or array that is not empty has one value behind it.
  return { members, depth, parts, values: 1 + parts - empty };
}

/**
 * Counts the different names of members in a text, as they are written.
 * @param most it stops at one more than this
 */
export function countNames(text: string, most: number): number {
  const names = new Set<string>();
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    const start = at;
    at = endOfString(text, at);
    if (text.charCodeAt(skipSpace(text, at + 1, 1)) !== COLON) continue;
    names.add(text.slice(start + 1, at));
    if (names.size > most) break;
  }
  return names.size;
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

/** Whether there is only white space between a closing bracket and the opening one before it. */
function closesEmpty(text: string, at: number): boolean {
  const before = text.charCodeAt(skipSpace(text, at - 1, -1));
  return before === OPEN_BRACE || before === OPEN_BRACKET;
}

/** The first place from here on that is no white space, in either direction. */
function skipSpace(text: string, from: number, step: 1 | -1): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += step;
  return at;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}
