import type { Storage } from '../../storage/port.ts';
import type { StoredProject } from '../read-projects.ts';
import { chunkChanger } from './change-chunks.ts';
import {
  type ChunkPlace,
  chunkKey,
  readChunk,
  type SlotChange,
  type TranslationChunk,
  versionAt,
} from './chunk-item.ts';
import { placeOf, startsOf } from './chunk-view.ts';
import { type Edit, readEditContents } from './edit-item.ts';
import { removeStaleIn } from './remove-translations.ts';
import { afterFate, fateOf } from './stale-slots.ts';
import type { TranslationView } from './translation-view.ts';
import { encodeWork, workKey } from './work-record.ts';

/**
 * Folds an edit into the chunks of its translations, and removes it. It may be stopped at any point: a translation has a
 * version, so folding it again changes nothing. What has become stale in these chunks goes first.
 * @returns `false` if the project has changed since it was read
 */
export async function foldEdit(
  storage: Storage,
  companyId: string,
  project: StoredProject,
  view: Pick<TranslationView, 'layout' | 'chunks'>,
  edit: Edit,
): Promise<boolean> {
  const { id, work, workVersion } = project;
  const { layout } = view;
  const contents = await readEditContents(storage, edit);
  if (!contents) return false;
  const key = workKey(companyId, id);
  const starts = startsOf(layout.slots);
  const languages = new Map(work.languages.map((language) => [language.languageId, language]));
  const byPlace = new Map<string, { readonly place: ChunkPlace; readonly changes: SlotChange[] }>();
  for (const [index, { languageId, slot, status, version }] of edit.translations.entries()) {
    const language = languages.get(languageId);
    const fate = language ? fateOf(layout, language, slot, edit.edition) : 'gone';
    if (fate === 'gone') continue;
    const { chunk, offset } = placeOf(starts, slot);
    const name = `${languageId}/${chunk}`;
    const entry = byPlace.get(name) ?? { place: { languageId, chunk }, changes: [] };
    byPlace.set(name, entry);
    const present = afterFate({ status, version, isOutdated: false }, fate);
    entry.changes.push({ offset, ...present, content: contents[index] ?? '' });
  }
  const changer = chunkChanger(storage, { kind: 'check', key, version: workVersion }, layout.edition);
  for (const { place, changes } of byPlace.values()) {
    changes.sort((one, other) => one.offset - other.offset);
    const read = () => readChunk(storage, chunkKey(companyId, id, place), layout.slots[place.chunk] ?? 0);
    const newerThan = (chunk: TranslationChunk) =>
      changes.filter(({ offset, version }) => version > versionAt(chunk, offset));
    if (!(await removeStaleIn(storage, companyId, project, view, place))) return false;
    if (!(await changer.change(read, newerThan))) return false;
  }
  if (!(await changer.commit())) return false;
  const { partition, sort, version, payload: drops } = edit.item;
  const data = await encodeWork({ ...work, edits: { ...work.edits, first: work.edits.first + 1 } });
  const { ok } = await storage.commit({
    writes: [
      { kind: 'replace', key, version: workVersion, data },
      { kind: 'remove', key: { partition, sort }, version, drops },
    ],
  });
  return ok;
}
