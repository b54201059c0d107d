import type { Layout } from '../layout.ts';
import { type ChunkPlace, firstVersion, type SlotChange, type TranslationChunk, versionAt } from './chunk-item.ts';
import { characterOf, FAILED, hasContent, type StatusText, UNTRANSLATED } from './status-text.ts';
import type { LanguageWork } from './work-record.ts';

/*
 * A put and the deletion of a task write no chunk of translations. What they do to the translation of a slot follows from
 * the layout and from the edition of the project when the translation was written:
 *
 *   the slot has another segment since, or none     → nothing is left of it
 *   the content of its segment changed since        → that of a person stays, as an outdated draft; that of a machine goes
 *
 * Both can be applied again without effect, so a chunk may get the changes in several commits.
 */

/** What has become of a translation since an edition. */
export type Fate = 'kept' | 'outdated' | 'gone';

/** Returns what has become of the translation in a slot that was written in an edition. */
export function fateOf(layout: Layout, language: Pick<LanguageWork, 'since'>, slot: number, edition: number): Fate {
  const { since, changed } = layout.historyOf(slot);
  if (Math.max(since, language.since ?? 0) > edition) return 'gone';
  return changed > edition ? 'outdated' : 'kept';
}

/** A translation, as far as a change of its segment matters to it. */
interface Translated {
  readonly status: string;
  readonly version: number;
  readonly isOutdated: boolean;
}

const DRAFT = characterOf('draft');
const OF_MACHINES = [characterOf('automatic'), characterOf('pretranslated')];

/** Returns what is left of a translation; the same object if it stays as it is. */
export function afterFate(translated: Translated, fate: Fate): Translated {
  const { status, version, isOutdated } = translated;
  if (fate === 'kept') return translated;
  if (fate === 'gone') return isUntouched(translated) ? translated : NOTHING;
  if (status === UNTRANSLATED || (status === DRAFT && isOutdated)) return translated;
  if (status === FAILED) return { ...translated, status: UNTRANSLATED };
  if (OF_MACHINES.includes(status)) return { status: UNTRANSLATED, version: version + 1, isOutdated: false };
  return { status: DRAFT, version: version + 1, isOutdated: true };
}

const NOTHING: Translated = { status: UNTRANSLATED, version: 0, isOutdated: false };

function isUntouched({ status, version }: Translated): boolean {
  return status === UNTRANSLATED && version === firstVersion(status);
}

/** The slots of a project in their chunks, and the chunks that a change of segments concerns. */
export interface StaleSlots {
  /**
   * Returns the changes that a chunk does not have yet, in ascending order of the offsets.
   * @param place of the chunk
   */
  changesOf(place: ChunkPlace, chunk: TranslationChunk): SlotChange[];
  /** Returns the statuses of a chunk with the changes that it does not have yet. */
  statusesOf(place: ChunkPlace, statuses: StatusText, edition: number): StatusText;
}

/** @param startOf returns the first slot of a chunk */
export function staleSlots(
  layout: Layout,
  languages: readonly LanguageWork[],
  startOf: (chunk: number) => number,
): StaleSlots {
  const byId = new Map(languages.map((language) => [language.languageId, language]));

  /** Yields the offsets in a chunk whose slots have changed after an edition, with what has become of them. */
  function* changedIn({ languageId, chunk }: ChunkPlace, edition: number): Generator<readonly [number, Fate], void> {
    if (layout.edition === edition) return;
    const language = byId.get(languageId) ?? { since: Number.POSITIVE_INFINITY };
    const start = startOf(chunk);
    const end = start + (layout.slots[chunk] ?? 0);
    for (let slot = start; slot < end; ) {
      const run = layout.historyOf(slot);
      const to = Math.min(end, run.slot + run.count);
      const fate = fateOf(layout, language, slot, edition);
      if (fate !== 'kept') for (let each = slot; each < to; each++) yield [each - start, fate];
      slot = to;
    }
  }

  return {
    changesOf(place, chunk) {
      const { data } = chunk;
      const changes: SlotChange[] = [];
      for (const [offset, fate] of changedIn(place, data.edition ?? 0)) {
        const before = {
          status: data.statuses[offset] ?? UNTRANSLATED,
          version: versionAt(chunk, offset),
          isOutdated: data.outdated?.[offset] ?? false,
        };
        const after = afterFate(before, fate);
        if (after === before) continue;
        changes.push({ offset, ...after, ...(hasContent(after.status) && { content: null }) });
      }
      return changes;
    },
    statusesOf(place, statuses, edition) {
      const changed = [...changedIn(place, edition)];
      if (changed.length === 0) return statuses;
      const bytes = Buffer.from(statuses, 'latin1');
      for (const [offset, fate] of changed) {
        const status = statuses[offset] ?? UNTRANSLATED;
        // Whether a draft was outdated before does not change its status.
        bytes.write(afterFate({ status, version: 0, isOutdated: true }, fate).status, offset, 1, 'latin1');
      }
      return bytes.toString('latin1');
    },
  };
}
