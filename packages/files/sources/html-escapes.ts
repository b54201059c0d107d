import { LEGACY_NAMES } from '../../../lib/content/html-markup.ts';
import { splitTemplates } from '../../../lib/content/templates.ts';
import { partsOf } from '../markup.ts';
import { splitByTexts } from '../split-by-texts.ts';

/** Matches a character reference, or what looks like one. */
const REFERENCE = /&#?\w*/g;
/** What stands after the `&` of a character reference. Some need no semicolon. */
const WITH_SEMICOLON = /&(?:[a-z][a-z\d]{1,31}|#\d{1,7}|#x[\da-f]{1,6});/iy;
const WITHOUT_SEMICOLON = new RegExp(`&(?:#\\d{1,7}|#[Xx][\\dA-Fa-f]{1,6}|${LEGACY_NAMES})(?![\\w=;])`, 'y');

/** Writes translations of a text as HTML. */
export interface HtmlWriter {
  /** Escapes what would be markup, and leaves character references as they are. */
  readonly text: (translation: string) => string;
  /** Escapes what looks like markup but is none. */
  readonly markup: (translation: string) => string;
}

/**
 * Creates the writer for the translations of a text. What looks like a character reference, and code of a template
 * language, stay as they are if the text has them too. No translation can add such code to a page.
 * @param kept what stays as it is in the text: comments, and elements such as scripts
 */
export function htmlWriter(content: string, kept: ReadonlySet<string> = new Set()): HtmlWriter {
  const references = new Set(content.match(REFERENCE));
  const templates = new Set(Array.from(splitTemplates(content), ({ text, isMatch }) => (isMatch ? text : '')));
  const escapeProse = (prose: string) =>
    prose
      .replace(REFERENCE, (found, at: number) => {
        const isReference = references.has(found) || [WITH_SEMICOLON, WITHOUT_SEMICOLON].some(isAt(prose, at));
        return isReference && found !== '&' ? found : `&amp;${found.slice(1)}`;
      })
      .replaceAll('<', '&lt;');
  const escapeText = (text: string) =>
    Array.from(splitTemplates(text), (part) => (templates.has(part.text) ? part.text : escapeProse(part.text))).join(
      '',
    );
  const escapeStray = (text: string) =>
    partsOf(text)
      .map((part) => (part.kind === 'text' || /^<[?%]/.test(part.text) ? escapeText(part.text) : part.text))
      .join('');
  return {
    text: escapeText,
    markup: (translation) =>
      splitByTexts(translation, [...kept])
        .map((part) => (kept.has(part) ? part : escapeStray(part)))
        .join(''),
  };
}

function isAt(text: string, at: number): (pattern: RegExp) => boolean {
  return (pattern) => {
    pattern.lastIndex = at;
    return pattern.test(text);
  };
}

/** Changes what stands between the code of template languages. */
export function mapProse(text: string, change: (prose: string) => string): string {
  return Array.from(splitTemplates(text), (part) => (part.isMatch ? part.text : change(part.text))).join('');
}
