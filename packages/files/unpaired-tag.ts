import { type MarkupPart, splitMarkupWithin } from '../../lib/content/html-markup.ts';
import { LIMITS } from '../../lib/contract/limits.ts';

/** A tag without its partner. */
type UnpairedTag = Extract<MarkupPart, { readonly kind: 'open' | 'close' | 'void' }>;

/**
 * Returns the first tag of a translation that is not closed, or closes nothing, if the text has markup without such tags.
 * It takes time proportional to the length of both.
 */
export function unpairedTag(source: string, translation: string): UnpairedTag | undefined {
  const tags = tagsIn(source);
  return tags.length > 0 && !firstUnpaired(tags) ? firstUnpaired(tagsIn(translation)) : undefined;
}

function tagsIn(text: string): UnpairedTag[] {
  if (!text.includes('<')) return [];
  const parts = splitMarkupWithin(text, LIMITS.contentPieces) ?? [];
  return parts.flatMap((part) => (part.kind === 'open' || part.kind === 'close' || part.kind === 'void' ? [part] : []));
}

function firstUnpaired(tags: readonly UnpairedTag[]): UnpairedTag | undefined {
  const open: UnpairedTag[] = [];
  for (const tag of tags) {
    if (tag.kind === 'open') open.push(tag);
    else if (tag.kind === 'close' && open.pop()?.name !== tag.name) return tag;
  }
  return open[0];
}
