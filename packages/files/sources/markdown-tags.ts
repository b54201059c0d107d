import { pairTags } from '../markup.ts';
import { htmlSpans } from './html.ts';
import { maskBraces } from './javascript.ts';
import { type Definitions, type InlinePart, inlineParts } from './markdown-inline.ts';
import { LINE_BREAKS } from './markdown-paragraph.ts';
import type { Span } from './span-file.ts';
import { type Range, TextRanges } from './text-range.ts';

/** The texts of a block, and those in the attributes of the tags around them. Positions are those in the block. */
interface TextsInTags {
  readonly texts: readonly Range[];
  readonly attributes: readonly Span[];
}

/** The start of a tag with its name, but not that of an address such as `<https://example.com>`. */
const TAG = /^<\/?([a-z][\w.-]*(?::[\w.-]+)?)(?=[\s/>{])/i;

/**
 * Finds the texts of a block between tags whose attributes people read, such as `<TabItem label="Other">`. Tags without
 * such attributes, and those in a sentence, belong to the text.
 * @param hasProse whether parts are a text
 */
export function textsInTags(
  block: string,
  definitions: Definitions,
  hasProse: (parts: readonly InlinePart[]) => boolean,
): TextsInTags {
  // Line breaks and marks of quotes may stand in a tag too.
  const flat = block.replace(LINE_BREAKS, (found) => ' '.repeat(found.length));
  const parts = inlineParts(flat, definitions).map((part) => {
    const name = TAG.exec(part.raw)?.[1]?.toLowerCase();
    const isTag = name !== undefined && part.kind !== 'close';
    return { ...part, name, spans: isTag ? [...htmlSpans(maskBraces(part.raw), part.start)] : [] };
  });
  const ranges = new TextRanges(parts, pairTags(parts), {
    isBare: ({ kind, name, raw }) =>
      name !== undefined || (kind === 'text' ? raw.trim() === '' : raw.startsWith('<!--')),
    isRead: ({ spans }) => spans.length > 0,
    keepsTags: true,
  })
    .all()
    .filter(([from, to]) => hasProse(parts.slice(from, to)));
  const startOf = (index: number) => parts[index]?.start ?? block.length;
  const outside = [...ranges, [parts.length] as const].flatMap(([from], index) => {
    const [, before] = ranges[index - 1] ?? [0, 0];
    return parts.slice(before, from);
  });
  return {
    texts: ranges.map(([from, to]) => [startOf(from), startOf(to)]),
    attributes: outside.flatMap(({ spans }) => spans),
  };
}
