/** A part of a text: words, or a tag or placeholder that stands for itself. */
export interface TextPiece {
  readonly text: string;
  readonly isTag: boolean;
}

/** A tag such as `</p>` or `<0>`, or a placeholder. None backtracks past a bracket, or over more than 200 characters. */
const TAGS = [
  /<\/?(?:[a-z][^<>]*|\d{1,3} ?\/?)>/,
  // {{name}}, ${name}, %{name}, #{name}
  /\{{2,3}[^{}]{1,200}\}{2,3}|[$%#]\{[^{}]{1,200}\}/,
  // {count, plural,
  /\{\s*[\w.-]+\s*,\s*(?:plural|select|selectordinal)\s*,/,
  // {}, {0}, {name}, {price, number}
  /\{\s*(?:[\w.$@-]{1,200}\s*(?:[,:|!][^{}]{0,200})?)?\}/,
  // $t(key), %(name)s, %name%
  /\$t\([^()\n]{1,200}\)|%\([^()\n]{1,200}\)[-#0+\d.]{0,9}[a-z]|%[a-z_][\w.-]{2,60}%/,
  // %s, %1$d, %-5.2f, %@. The flag "space" is left out: "50% discount" is text.
  /%(?:\d{1,3}\$)?[-#0+\d.*]{0,9}(?:hh?|ll?|[qzjt])?[@diouxefgacspn](?![a-z])/,
]
  .map(({ source }) => source)
  .join('|');
const TAG = new RegExp(TAGS, 'gi');
/** In a branch of an ICU message, a bracket may end it. */
const TAG_IN_BRANCH = new RegExp(`${TAGS}|\\}`, 'gi');
/** What stands between the branches of an ICU message, such as `one {`, or its end. */
const BETWEEN_BRANCHES = /[^{}]*[{}]/y;
/** What follows so many pieces is not divided, so that no text makes a page slow. */
const MAX_PIECES = 200;

/**
 * Divides a text into words, and tags and placeholders, which are read from left to right in every language. The pieces
 * together are the text. Takes a time that grows with the length of the text.
 */
export function piecesOf(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  // How deep the text is in ICU messages: an odd number is between the branches of one.
  let depth = 0;
  while (pieces.length < MAX_PIECES) {
    const isBetween = depth % 2 === 1;
    const pattern = isBetween ? BETWEEN_BRANCHES : depth > 0 ? TAG_IN_BRANCH : TAG;
    pattern.lastIndex = end;
    const found = pattern.exec(text);
    if (!found) break;
    const [tag] = found;
    if (found.index > end) pieces.push({ text: text.slice(end, found.index), isTag: false });
    // What stands between two branches is one piece with the end of the first one.
    const before = isBetween ? pieces.pop()?.text : '';
    pieces.push({ text: `${before}${tag}`, isTag: true });
    end = found.index + tag.length;
    if (tag.endsWith(',') || (isBetween && tag.endsWith('{'))) depth += 1;
    else if (isBetween || tag === '}') depth -= 1;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isTag: false });
  return pieces;
}

/** The tags and placeholders of which two texts differ, each once and in a short form, such as `{name}` or `<a>`. */
export interface TagDifference {
  /** Those that the translation lacks. */
  readonly missing: readonly string[];
  /** Those that the source does not have. */
  readonly added: readonly string[];
}

/**
 * Compares the tags and placeholders of a translation with those of its source. Their order does not matter. Languages
 * have different plural forms, so in an ICU message it does not matter how often a placeholder occurs.
 * @returns no difference if there is no translation yet, or if a text has too many pieces
 */
export function tagDifference(source: string, translation: string): TagDifference {
  const texts = [source, translation].map((text) => piecesOf(text).flatMap((each) => (each.isTag ? [each.text] : [])));
  if (translation.trim() === '' || texts.some(({ length }) => length >= MAX_PIECES / 2)) {
    return { missing: [], added: [] };
  }
  const isMessage = texts.flat().some((tag) => /^\{[^{}]+[,{]$/.test(tag));
  const isNumbered = texts.flat().some((tag) => POSITION.test(tag));
  const [needed = [], found = []] = texts.map((tags) => {
    let position = 0;
    return tags.flatMap((tag) => {
      // If only one of the texts has positions, as in `%2$s`, the other one has those of its order.
      if (isNumbered && PRINTF.test(tag)) return tag.replace(/^%(?!\d+\$)/, () => `%${++position}$`);
      return shortFormOf(tag) ?? [];
    });
  });
  const left = [...found];
  const missing = needed.filter((tag) => {
    const at = left.indexOf(tag);
    if (at >= 0 && !isMessage) left.splice(at, 1);
    return at < 0;
  });
  return { missing: [...new Set(missing)], added: [...new Set(found.filter((tag) => !needed.includes(tag)))] };
}

const POSITION = /^%\d+\$/;
const PRINTF = /^%[^({].*[^%]$|^%.$/;

/** Returns what tags and placeholders with the same meaning share. @returns nothing for what stands between branches */
function shortFormOf(tag: string): string | undefined {
  const compact = tag.replaceAll(/\s*([{}])\s*/g, '$1');
  const [, start] = /^(<\/?[\w:-]+|\{[\w.$@-]*)[^\w:{-]/.exec(compact) ?? [];
  if (start) return start + (start.startsWith('<') ? '>' : '}');
  return /^[{$%#]/.test(compact) ? compact : undefined;
}
