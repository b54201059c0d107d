const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

/** The structure of a JSON text, counted without parsing it. */
interface Outline {
  /** The number of members of all objects. */
  readonly members: number;
  /** The number of different names of members, `maxNames` + 1 at most. Names with different escapes count as different. */
  readonly names: number;
  /** The depth of nesting. */
  readonly depth: number;
  /** The number of objects, arrays and commas. It is at least the number of values minus one. */
  readonly parts: number;
  /** The number of values, including the outermost value. */
  readonly values: number;
}

/** The limits above which the text is rejected. Counting stops as soon as a limit is exceeded. */
interface OutlineBounds {
  readonly maxLevels?: number;
  readonly maxValues?: number;
  /** The limit of different names, for a text with more than `manyMembers` members. Default: names are not counted. */
  readonly maxNames?: number;
  readonly manyMembers?: number;
}

/** How many names are compared before they are looked up in the set of all names. They differ by their lengths. */
const RECENT_NAMES = 64;

/**
 * Counts the members, names, levels and values of a JSON text without parsing it. If the text is not valid JSON, the
 * counts are meaningless.
 */
export function outlineOf(
  text: string,
  { maxLevels = Infinity, maxValues = Infinity, maxNames = -1, manyMembers = Infinity }: OutlineBounds = {},
): Outline {
  let members = 0;
  let level = 0;
  let depth = 0;
  let parts = 0;
  let empty = 0;
  let start = 0;
  let end = 0;
  const names = new Set<string>();
  // Most members have a name that was there before: to compare it is faster than to look it up.
  const recent: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      start = at + 1;
      end = at = endOfString(text, at);
    } else if (unit === COLON) {
      members++;
      if (names.size > maxNames) {
        if (members > manyMembers) break;
        continue;
      }
      const from = start;
      // A text that is not JSON may have many colons after one long string. It counts once.
      start = end;
      const place = (end - from) % RECENT_NAMES;
      const last = recent[place];
      if (last !== undefined && last.length === end - from && text.startsWith(last, from)) continue;
      recent[place] = text.slice(from, end);
      names.add(recent[place]);
    } else if (unit === COMMA) {
      parts++;
      if (1 + parts - empty > maxValues) break;
    } else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      parts++;
      depth = Math.max(depth, ++level);
      if (depth > maxLevels) break;
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      level--;
      if (closesEmpty(text, at)) empty++;
    }
  }
  // There is one value after each comma, and one after each bracket that opens a non-empty object or array.
  return { members, names: names.size, depth, parts, values: 1 + parts - empty };
}

/** Returns the index of a string's closing quote: the first quote that follows an even number of backslashes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}

/** Whether the closing bracket at an index ends an empty object or array. */
function closesEmpty(text: string, at: number): boolean {
  let before = at - 1;
  while (isSpace(text.charCodeAt(before))) before--;
  const unit = text.charCodeAt(before);
  return unit === OPEN_BRACE || unit === OPEN_BRACKET;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}
