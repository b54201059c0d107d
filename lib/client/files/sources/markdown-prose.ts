import { partsOf } from '../markup.ts';

/** The address and title of a link, or the label that stands for them. */
const LINK_TARGET = /(?<=\])(?:\((?:[^()\\]|\\.|\([^()]*\))*\)|\[[^[\]]*\])/gs;
/** An address that is a link without markup. */
const ADDRESS = /(?<!\w)(?:https?:\/\/|www\.)[^\s<]+|(?<![\w.+-])(?:(?:mailto|xmpp):)?[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gi;

/** Whether inline Markdown has something to read, which is not only code, tags and addresses. */
export function hasProse(markdown: string): boolean {
  const texts = partsOf(withoutCode(markdown)).map((part) => (part.kind === 'text' ? part.text : ' '));
  return /\p{L}/u.test(texts.join('').replace(LINK_TARGET, ' ').replace(ADDRESS, ' '));
}

/** Removes code: what stands between two equally long runs of backticks. */
function withoutCode(markdown: string): string {
  const runs = Array.from(markdown.matchAll(/(?<!\\)`+/g), ({ 0: { length }, index }) => ({ index, length }));
  const nextOf = new Map<number, number>();
  const ends = runs.map(() => -1);
  for (let at = runs.length - 1; at >= 0; at--) {
    const length = runs[at]?.length ?? 0;
    ends[at] = nextOf.get(length) ?? -1;
    nextOf.set(length, at);
  }
  let [prose, after] = ['', 0];
  for (let at = 0; at < runs.length; at++) {
    const [start, end] = [runs[at], runs[ends[at] ?? -1]];
    if (!start || !end) continue;
    prose += `${markdown.slice(after, start.index)} `;
    after = end.index + end.length;
    at = ends[at] ?? at;
  }
  return prose + markdown.slice(after);
}
