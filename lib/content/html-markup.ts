import { Tokenizer } from 'htmlparser2';
import { isBlock } from '../contract/sentence-count.ts';
import { maskTemplates } from './templates.ts';

/** A part of HTML, as it was written. Together the parts are the HTML. */
export type MarkupPart =
  | { readonly kind: 'text'; readonly raw: string }
  /** A character reference, such as `&amp;`. `character` is what it stands for. */
  | { readonly kind: 'entity'; readonly raw: string; readonly character: string }
  | { readonly kind: 'open' | 'close' | 'void'; readonly raw: string; readonly name: string }
  /** A comment or a declaration. */
  | { readonly kind: 'comment'; readonly raw: string };

/** The names of the character references that need no semicolon. */
export const LEGACY_NAMES =
  `AElig AMP Aacute Acirc Agrave Aring Atilde Auml COPY Ccedil ETH Eacute Ecirc Egrave Euml GT Iacute
  Icirc Igrave Iuml LT Ntilde Oacute Ocirc Ograve Oslash Otilde Ouml QUOT REG THORN Uacute Ucirc Ugrave Uuml Yacute aacute
  acirc acute aelig agrave amp aring atilde auml brvbar ccedil cedil cent copy curren deg divide eacute ecirc egrave eth euml
  frac12 frac14 frac34 gt iacute icirc iexcl igrave iquest iuml laquo lt macr micro middot nbsp not ntilde oacute ocirc ograve
  ordf ordm oslash otilde ouml para plusmn pound quot raquo reg sect shy sup1 sup2 sup3 szlig thorn times uacute ucirc ugrave
  uml uuml yacute yen yuml`
    .split(/\s+/)
    .join('|');

const MARKUP = new RegExp(
  `</?[a-z][^<>]*>|<!--|&(?:(?:[a-z][a-z0-9]{1,31}|#\\d{1,7}|#x[0-9a-f]{1,6});|(?:${LEGACY_NAMES})(?![a-z0-9=]))`,
  'i',
);

/** Whether a text is HTML: it has a tag, a comment or a character reference. Any other text is plain. */
export function isHtml(text: string): boolean {
  return MARKUP.test(text);
}

/** The elements that never have an end tag. */
const VOID = words('area base br col embed hr img input link meta param source track wbr');

/** The elements whose content is not prose, or is protected as in apps for Android. That of the last five is no markup either. */
const VERBATIM = words(
  'xliff:g script style code pre kbd samp var svg math template object canvas iframe noframes noembed xmp plaintext',
);

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

/** The names of the attributes that people read, as a pattern. */
export const READ_ATTRIBUTES =
  'alt|title|abbr|placeholder|aria-(?:label|description|placeholder|roledescription|valuetext)';

/** Whether the start tag of an element says that nothing of it is translated. */
export function isUntranslated(raw: string): boolean {
  return /\stranslate\s*=\s*["']?no\b/i.test(raw) || /\sclass\s*=\s*(?:"[^"]*|'[^']*|)\bnotranslate\b/i.test(raw);
}

/** Whether the start tag is that of a name or another text that is not translated, and that a sentence needs. */
export function isName(raw: string): boolean {
  return isUntranslated(raw) || /^<xliff:g\b/i.test(raw);
}

/** Whether the content of an element must stay as it is: its start tag says so, or it is no prose. */
export function isVerbatim(raw: string, name: string): boolean {
  return VERBATIM.has(name) || isUntranslated(raw);
}

/** The start of a part. Its end is the start of the next part. */
type Start =
  | { readonly kind: 'text' | 'comment'; readonly at: number }
  | { readonly kind: 'entity'; readonly at: number; readonly end: number; readonly character: string }
  | { readonly kind: 'open' | 'close'; readonly at: number; readonly name: string };

/** An element whose content stays as it is: a `break` if its tags end a sentence. */
interface VerbatimPart {
  readonly kind: 'break' | 'verbatim';
  readonly raw: string;
  /** The start tag of the element. */
  readonly tag: string;
}

/** Joins each element whose content must stay as it is into one part. Without an end tag, it takes the rest. */
export function joinVerbatim(parts: readonly MarkupPart[]): (MarkupPart | VerbatimPart)[] {
  const joined: (MarkupPart | VerbatimPart)[] = [];
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (part === undefined) break;
    if (part.kind !== 'open' || !isVerbatim(part.raw, part.name)) {
      joined.push(part);
      continue;
    }
    const start = index;
    for (let depth = 1; depth > 0 && index + 1 < parts.length; ) {
      index += 1;
      const inner = parts[index];
      if (inner?.kind === 'open' && inner.name === part.name) depth += 1;
      if (inner?.kind === 'close' && inner.name === part.name) depth -= 1;
    }
    const raw = parts.slice(start, index + 1).map((inner) => inner.raw);
    joined.push({ kind: isBlock(part.name) ? 'break' : 'verbatim', raw: raw.join(''), tag: part.raw });
  }
  return joined;
}

/**
 * Divides HTML into its parts. Nothing is repaired: HTML with faults has the same parts that a browser would see. Code of
 * template languages is text, or a part of a tag.
 */
export function splitMarkup(html: string): MarkupPart[] {
  return splitMarkupWithin(html, Number.POSITIVE_INFINITY) ?? [];
}

/**
 * Divides HTML into its parts, unless it has more tags, character references and comments than a maximum. It reads no
 * further than to the first one too many.
 */
export function splitMarkupWithin(html: string, max: number): MarkupPart[] | undefined {
  const starts = startsOf(maskTemplates(html, 'x'), max);
  return starts?.flatMap((start, index): MarkupPart[] => {
    const raw = html.slice(start.at, starts[index + 1]?.at);
    if (start.kind === 'entity') {
      const entity = { ...start, raw: html.slice(start.at, start.end) };
      const rest = raw.slice(entity.raw.length);
      return rest === '' ? [entity] : [entity, { kind: 'text', raw: rest }];
    }
    if (start.kind !== 'open') return [{ ...start, raw }];
    const isVoid = VOID.has(start.name) || raw.endsWith('/>');
    return [{ kind: isVoid ? 'void' : 'open', name: start.name, raw }];
  });
}

function startsOf(html: string, max: number): Start[] | undefined {
  const starts: Start[] = [];
  let count = 0;
  // The callbacks get the position after `<` or `<!--`, and the position after an entity.
  const add = (start: Start) => {
    const last = starts.at(-1);
    if (start.at === last?.at) return;
    // A text after a text begins with a `<` or `&` that begins nothing else.
    if (start.kind !== 'text' || last?.kind === 'text') count += 1;
    if (count > max) tokenizer.pause();
    // At its end the tokenizer drops a `<` that begins nothing.
    starts.push(starts.length === 0 ? { ...start, at: 0 } : start);
  };
  const addComment = (start: number) => add({ kind: 'comment', at: html.lastIndexOf('<', start - 1) });
  const ignore = () => {};
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: (at) => add({ kind: 'text', at }),
      ontextentity: (codePoint, end) => {
        const at = html.lastIndexOf('&', end - 1);
        const last = starts.at(-1);
        // A few character references stand for two characters.
        const before = last?.kind === 'entity' && last.at === at ? last.character : '';
        if (before !== '') {
          starts.pop();
          count -= 1;
        }
        add({ kind: 'entity', at, end, character: before + String.fromCodePoint(codePoint) });
      },
      onopentagname: (at, end) => add({ kind: 'open', at: at - 1, name: html.slice(at, end).toLowerCase() }),
      onclosetag: (at, end) =>
        add({ kind: 'close', at: html.lastIndexOf('<', at - 1), name: html.slice(at, end).toLowerCase() }),
      oncomment: addComment,
      oncdata: addComment,
      ondeclaration: addComment,
      onprocessinginstruction: addComment,
      onopentagend: ignore,
      onselfclosingtag: ignore,
      onattribdata: ignore,
      onattribend: ignore,
      onattribentity: ignore,
      onattribname: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  if (count > max) return undefined;
  if (starts.length === 0 && html !== '') starts.push({ kind: 'text', at: 0 });
  return starts;
}
