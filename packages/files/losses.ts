import type { FileFault, Place } from './file-fault.ts';
import { groupBy } from './group-by.ts';
import { lostParts } from './lost-parts.ts';
import { inlineParts } from './sources/markdown-inline.ts';
import type { FileSegment, TranslationFile } from './translation-file.ts';
import { unpairedTag } from './unpaired-tag.ts';

/** A translation of a segment in a file. */
interface Given {
  readonly segment: FileSegment;
  readonly content: string;
  readonly place: Place;
  /** The plural form that it is, if the file says so. */
  readonly form?: string | undefined;
}

/**
 * Returns a function that returns the warnings of a translation: `markup-lost` and `placeholder-lost`, if it lacks
 * something of its segment, or has changed it, and `unpaired-tag`.
 * @param isMarkdown whether the translation may have Markdown in place of the tags that a segment of Markdown has
 */
export function lossFinder({ languageCode, segments }: TranslationFile, { isMarkdown = false } = {}) {
  const ids = new Set(segments.map(({ customId }) => customId));
  return ({ segment, content, place, form = formIn(segment, ids) }: Given): FileFault[] => {
    const lost = lostParts(segment.content, content);
    const found = unpairedTag(segment.content, content);
    const unpaired = found && isMarkdown ? unpairedTag(segment.content, segmentOfMarkdown(content)) : found;
    if (lost.length === 0 && !unpaired) return [];
    const written = isMarkdown ? tagsOfMarkdown(content) : undefined;
    const rawOf = (wanted: 'markup' | 'placeholder') => lost.flatMap(({ kind, raw }) => (kind === wanted ? [raw] : []));
    const markup = rawOf('markup').filter((tag) => !written?.get(tag)?.pop());
    const placeholders = withoutNumber(rawOf('placeholder'), segment.content, form);
    const detailOf = (what: string, parts: readonly string[]) =>
      `In ${languageCode}, ${nameOf(segment)} has ${what} that the translation lacks: ${quoted(parts.join(' '))}`;
    const warnings: FileFault[] = [];
    if (markup.length > 0) warnings.push({ place, code: 'markup-lost', detail: detailOf('markup', markup) });
    else if (unpaired) {
      const what = unpaired.kind === 'close' ? 'closes nothing' : 'is not closed';
      const detail = `In ${languageCode}, the translation of ${nameOf(segment)} has a tag that ${what}: ${quoted(unpaired.raw)}`;
      warnings.push({ place, code: 'unpaired-tag', detail });
    }
    if (placeholders.length > 0) {
      const what = placeholders.length === 1 ? 'a placeholder' : 'placeholders';
      warnings.push({ place, code: 'placeholder-lost', detail: detailOf(what, placeholders) });
    }
    return warnings;
  };
}

/** Names a segment for people: `segment 4 "home.title"`. */
function nameOf({ id, customId }: FileSegment): string {
  return `segment ${id}${customId === undefined ? '' : ` ${quoted(customId)}`}`;
}

/** Says what is wrong with the markup of a translation that cannot be written, or at least which segment it is of. */
export function markupDetail(losses: readonly FileFault[], segment: FileSegment): string {
  const ofMarkup = losses.filter(({ code }) => code !== 'placeholder-lost');
  return ofMarkup.map(({ detail }) => detail).join(' ') || `It belongs to ${nameOf(segment)}.`;
}

/** Returns the tags that a segment has for the Markdown of a text. */
function tagsOfMarkdown(text: string) {
  const tags = inlineParts(text, new Map()).filter(({ kind, raw, shown }) => kind !== 'text' && shown !== raw);
  return groupBy(tags, ({ shown }) => shown);
}

/** Returns a text of Markdown as a segment has it. */
function segmentOfMarkdown(text: string): string {
  return inlineParts(text, new Map())
    .map(({ shown }) => shown)
    .join('');
}

/** The plural forms that are for one number in most languages, so that words can say it: `one file`. */
const OF_ONE_NUMBER = /^(.*[._-])?(zero|one|two)$/s;

/** Returns the plural form that a custom id names, if it has other forms beside it. */
function formIn({ customId = '' }: FileSegment, ids: ReadonlySet<string | undefined>): string | undefined {
  const [, before = '', form] = OF_ONE_NUMBER.exec(customId) ?? [];
  return form && ['few', 'many', 'other'].some((other) => ids.has(before + other)) ? form : undefined;
}

/** Placeholders that are the number of a plural. */
const NUMBER = /^%.*[diu]$|\bcount\b/i;

/** Leaves out the number of a plural form that need not have it. It may be any placeholder, if none looks like it. */
function withoutNumber(lost: readonly string[], source: string, form: string | undefined): readonly string[] {
  if (form === undefined || !OF_ONE_NUMBER.test(form)) return lost;
  const isKnown = lostParts(source, '').some(({ raw }) => NUMBER.test(raw));
  const at = lost.findIndex((raw) => !isKnown || NUMBER.test(raw));
  return lost.filter((_, index) => index !== at);
}

/** How many characters of a text are shown. */
const SHOWN = 120;

/** Returns the beginning of a text in quotes. */
export function quoted(text: string): string {
  const characters = Array.from(text.slice(0, 2 * SHOWN));
  return JSON.stringify(characters.length > SHOWN ? `${characters.slice(0, SHOWN).join('')}…` : characters.join(''));
}
