import { DIRECTIVE, endOfArguments } from './blade.ts';
import { endOfPhp } from './php.ts';
import { searchOnce } from './search-once.ts';
import type { TextPart } from './split-text.ts';

/** What begins the code of a template language: PHP, ERB, JSP, Handlebars, Angular, Jinja, Twig, Liquid or Blade. */
const OPENING = new RegExp(`<\\?|<%(?:--)?|\\{\\{(?:\\{|!--|--)?|\\{%|\\{#|\\{!!|${DIRECTIVE}`, 'g');
const CLOSING = {
  '<?': '?>',
  '<%': '%>',
  '<%--': '--%>',
  '{{': '}}',
  '{{{': '}}}',
  '{{!--': '--}}',
  '{{--': '--}}',
  '{%': '%}',
  '{#': '#}',
  '{!!': '!!}',
} as const;
type Opening = keyof typeof CLOSING;

/** PHP may have no end: then all of the rest is code. Its short form needs an end, because `<?` is also text. */
const PHP = /^<\?(?:php\b|=)/i;
const SHORT_PHP = /^<\?\s/;
/** The longest code in braces, in characters. Braces are also text, and then another pair may be far away. */
const MAX_IN_BRACES = 1_000;

/** Divides a text into code of template languages, which are the matches, and what stands between. */
export function* splitTemplates(text: string): Generator<TextPart> {
  let end = 0;
  for (const template of templatesIn(text)) {
    if (template.start > end) yield { text: text.slice(end, template.start), isMatch: false };
    yield { text: text.slice(template.start, template.end), isMatch: true };
    end = template.end;
  }
  if (end < text.length) yield { text: text.slice(end), isMatch: false };
}

/** Replaces each character of the code of template languages, so that it is neither markup nor a quote. */
export function maskTemplates(text: string, character: string): string {
  let [masked, end] = ['', 0];
  for (const template of templatesIn(text)) {
    masked += text.slice(end, template.start) + character.repeat(template.end - template.start);
    end = template.end;
  }
  return end === 0 ? text : masked + text.slice(end);
}

/** Finds the code of template languages, in time proportional to the length of the text. */
function* templatesIn(text: string): Generator<{ readonly start: number; readonly end: number }> {
  const searches = new Map<string, (from: number) => number>();
  const find = (what: string, from: number) => {
    const search = searches.get(what) ?? searchOnce((at) => text.indexOf(what, at));
    searches.set(what, search);
    return search(from);
  };
  let after = 0;
  // Code without an end is read once. Up to here, other code is not read again.
  let phpUntil = 0;
  let bladeUntil = 0;
  for (const { 0: opening, index } of text.matchAll(OPENING)) {
    if (index < after) continue;
    const end = opening.startsWith('@') ? endOfDirective(opening, index) : isOpening(opening) && endOf(opening, index);
    if (!end) continue;
    yield { start: index, end };
    after = end;
  }

  function endOf(opening: Opening, start: number): number | undefined {
    const from = start + opening.length;
    const end = find(CLOSING[opening], from) + CLOSING[opening].length;
    const beginning = text.slice(start, start + 6);
    if (PHP.test(beginning)) return Math.min(endInPhp(from) ?? end, text.length);
    // What begins again before it ends is text.
    if (end > text.length || find(opening, from) < end) return undefined;
    if (opening === '{#' && closesBefore(from, end)) return undefined;
    if (opening !== '<?') return /^<|--$/.test(opening) || end - from <= MAX_IN_BRACES ? end : undefined;
    if (SHORT_PHP.test(beginning)) {
      const endOfCode = endInPhp(from) ?? end;
      return endOfCode > text.length ? end : endOfCode;
    }
    // Any other instruction ends at the next bracket.
    return find('>', from) === end - 1 ? end : undefined;
  }

  function endInPhp(from: number): number | undefined {
    if (from < phpUntil) return undefined;
    const end = endOfPhp(text, from);
    if (end === undefined || end > text.length) phpUntil = text.length;
    return end;
  }

  function endOfDirective(opening: string, start: number): number | undefined {
    const from = start + opening.length;
    const endOfBlock = opening === '@php' ? find('@endphp', from) : Number.POSITIVE_INFINITY;
    if (endOfBlock < text.length) return endOfBlock + '@endphp'.length;
    if (!opening.endsWith('(')) return from;
    if (from < bladeUntil) return undefined;
    const end = endOfArguments(text, from, MAX_IN_BRACES);
    if (end === undefined) bladeUntil = from + MAX_IN_BRACES;
    return end;
  }

  /** Whether the braces of `{#` close before its end, as in the choices `one {# file} other {every #}`. */
  function closesBefore(from: number, end: number): boolean {
    const closing = find('}', from);
    return closing < end - 1 && closing < find('{', from);
  }
}

function isOpening(text: string): text is Opening {
  return Object.hasOwn(CLOSING, text);
}
