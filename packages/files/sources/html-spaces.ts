import { joinVerbatim, splitMarkup } from '../../../lib/content/html-markup.ts';
import { splitTemplates } from '../../../lib/content/templates.ts';

/** The white space beside a tag or another part of HTML that is no text. */
interface Beside {
  before: string;
  after: string;
}

interface Part {
  readonly kind: string;
  readonly raw: string;
}

const isProse = ({ kind }: Part) => kind === 'text' || kind === 'entity';

/** Divides texts at the code of template languages. */
function withTemplates(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) =>
    part.kind === 'text'
      ? Array.from(splitTemplates(part.raw), ({ text, isMatch }) => ({
          kind: isMatch ? 'template' : 'text',
          raw: text,
        }))
      : part,
  );
}

const LEADING = /^[\t\n\f\r ]+/;
/** The look-behind keeps the search linear. */
const TRAILING = /(?<![\t\n\f\r ])[\t\n\f\r ]+$/;

/**
 * Returns a function that gives the tags and the code of a translation the white space that they have in the file, because a segment
 * has one space in its place. So lines begin and end at the same tags.
 * @param original the parts of the text in the file
 */
export function spacesOf(original: readonly Part[]): (written: string) => string {
  const parts = withTemplates(original);
  const beside = new Map<string, Beside[]>();
  for (const [index, part] of parts.entries()) {
    if (isProse(part)) continue;
    const entry = { before: spaceIn(parts[index - 1], TRAILING), after: spaceIn(parts[index + 1], LEADING) };
    const entries = beside.get(part.raw);
    if (entries) entries.push(entry);
    else beside.set(part.raw, [entry]);
  }
  return (written) => {
    if (beside.size === 0) return written;
    const used = new Map<string, number>();
    const translated = withTemplates(joinVerbatim(splitMarkup(written))).map((part) => {
      const count = used.get(part.raw) ?? 0;
      used.set(part.raw, count + 1);
      return { part, ...(isProse(part) ? undefined : beside.get(part.raw)?.[count]) };
    });
    return translated
      .map(({ part: { kind, raw } }, index) => {
        if (kind !== 'text') return raw;
        const [before, after] = [translated[index - 1]?.after, translated[index + 1]?.before];
        if (raw === ' ') return before || after || raw;
        return raw.replace(/^ (?!\s)/, before || ' ').replace(/(?<!\s) $/, after || ' ');
      })
      .join('');
  };
}

function spaceIn(part: Part | undefined, pattern: RegExp): string {
  return part?.kind === 'text' ? (pattern.exec(part.raw)?.[0] ?? '') : '';
}
