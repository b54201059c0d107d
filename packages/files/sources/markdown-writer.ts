import { joinVerbatim, splitMarkup } from '../../../lib/content/html-markup.ts';
import { keyOfTag, missingParts } from '../lost-parts.ts';
import type { InlinePart } from './markdown-inline.ts';

/** A tag of a segment, as Markdown has it. */
interface Written {
  readonly raw: string;
  /** The end of a link or an image. */
  readonly close: string | undefined;
}

/**
 * Writes a translation as inline Markdown.
 * @param parts the parts of the source
 * @param writeText writes the text between tags
 */
export function writeInline(
  translation: string,
  parts: readonly InlinePart[],
  writeText: (text: string) => string,
): string {
  const written = writtenBy(parts);
  const links: (string | undefined)[] = [];
  let markdown = '';
  for (const part of joinVerbatim(splitMarkup(translation))) {
    if (part.kind === 'text') markdown += writeText(part.raw);
    else if (part.kind === 'close' && isLink(part.name)) markdown += links.pop() ?? part.raw;
    else {
      const same = written.get(part.raw) ?? [];
      const { raw, close } = (same.length > 1 ? same.pop() : same[0]) ?? { raw: part.raw, close: undefined };
      if (part.kind === 'open' && isLink(part.name)) links.push(close);
      markdown += raw;
    }
  }
  return markdown;
}

const isLink = (name: string) => name === 'a' || name === 'picture';

/** Returns how tags are written, by what a segment has for them. Equal tags are in reverse order. */
function writtenBy(parts: readonly InlinePart[]): ReadonlyMap<string, Written[]> {
  const written = new Map<string, Written[]>();
  const closes: string[] = [];
  for (const { kind, raw, shown } of parts.toReversed()) {
    const isMarkdown = shown !== raw;
    if (kind === 'close' && isMarkdown) closes.push(raw);
    if (kind === 'text' || kind === 'close') continue;
    const close = kind === 'open' && isMarkdown ? closes.pop() : undefined;
    const same = written.get(shown);
    if (same) same.push({ raw, close });
    else written.set(shown, [{ raw, close }]);
  }
  return written;
}

/** Escapes what would begin code, a link or an expression. */
export function escapeMarkup(text: string): string {
  return text.replace(/\\.|[`[\]{]/gs, (found) => (found.startsWith('\\') ? found : `\\${found}`));
}

/** Writes parts so that they begin no expression or tag of MDX that the source lacks, because that would not compile. */
export function writeMdx(parts: readonly InlinePart[], source: readonly InlinePart[]): string {
  const known = new Set(source.flatMap(({ kind, shown }) => (kind === 'text' ? [] : [shown])));
  const written = parts.map(({ kind, raw, shown }) => {
    const isCode = kind === 'text' || /^[$%#]?[{<]/.test(raw);
    return isCode && !known.has(shown) ? raw.replace(/\\.|<br>|[{<]/gs, (found) => MDX_ESCAPES[found] ?? found) : raw;
  });
  return written.join('');
}

const MDX_ESCAPES: Readonly<Record<string, string>> = { '{': '\\{', '<': '&lt;', '<br>': '<br />' };

/** Whether a translation has all tags of its source, and no link without a text. Line breaks may differ. */
export function keepsMarkup(parts: readonly InlinePart[], source: readonly InlinePart[]): boolean {
  const tagsOf = (inline: readonly InlinePart[]) =>
    inline.flatMap(({ kind, shown }, at) =>
      kind === 'text' || shown === '<br>' ? [] : [{ key: keyOfTag(shown, inline, at) }],
    );
  return missingParts(tagsOf(source), tagsOf(parts)).length === 0;
}
