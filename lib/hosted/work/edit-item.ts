import * as z from 'zod/mini';
import { companyPartition, paddedId } from '../../records/keys.ts';
import { eachItem, type Item, type Key, type Storage, type Write } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';
import { encodeJson, JsonPayload, readJson } from './json-payload.ts';

/**
 * The schema of the data of an edit: translations that a request wrote. A request may write translations of many chunks,
 * more than one commit of the store can change. So it stores one edit, which the worker folds into the chunks later.
 */
const EditData = recordOf(() => ({
  /** The edition of the project's layout in which the translations were written; absent if 0. */
  edition: z.optional(z.int()),
  /** The language id, slot, status and version of each translation. */
  entries: z.array(z.tuple([z.int(), z.int(), z.string(), z.int()])),
  /** The payload is the JSON of the contents. */
  payload: JsonPayload,
}));
type EditData = z.infer<typeof EditData>;

const Contents = z.array(z.string());

/** A translation that a request wrote. */
export interface EditedTranslation {
  readonly languageId: number;
  readonly slot: number;
  /** The character of the status. */
  readonly status: string;
  readonly version: number;
}

/** An edit, as it was read from the store. */
export interface Edit {
  readonly item: Item;
  /** The edition of the project's layout in which the translations were written. */
  readonly edition: number;
  readonly translations: readonly EditedTranslation[];
  /** The length of the contents, in bytes. */
  readonly length: number;
}

/** Returns the prefix of the sort keys of a project's edits. */
export function editPrefix(projectId: number): string {
  return `edit/${paddedId(projectId)}/`;
}

/** Makes the write that stores an edit. @param number the number of the edit in its project */
export async function editWrite(
  companyId: string,
  projectId: number,
  { number, edition }: { readonly number: number; readonly edition: number },
  translations: readonly (EditedTranslation & { readonly content: string })[],
): Promise<Write> {
  const { payload, bytes } = await encodeJson(translations.map(({ content }) => content));
  const data: EditData = {
    ...(edition > 0 && { edition }),
    entries: translations.map(({ languageId, slot, status, version }) => [languageId, slot, status, version]),
    payload,
  };
  return { kind: 'insert', key: editKey(companyId, projectId, number), data, bytes };
}

function editKey(companyId: string, projectId: number, number: number): Key {
  return {
    partition: companyPartition(companyId),
    sort: `${editPrefix(projectId)}${String(number).padStart(10, '0')}`,
  };
}

/** Reads the edits of a project without their contents, the oldest first. */
export async function readEdits(storage: Pick<Storage, 'list'>, companyId: string, projectId: number): Promise<Edit[]> {
  const edits: Edit[] = [];
  for await (const item of eachItem(storage, companyPartition(companyId), editPrefix(projectId))) {
    const { edition = 0, entries, payload } = EditData.parse(item.data);
    edits.push({
      item,
      edition,
      length: payload.length,
      translations: entries.map(([languageId, slot, status, version]) => ({ languageId, slot, status, version })),
    });
  }
  return edits.reverse();
}

/** Reads the contents of an edit, in the order of its translations; `undefined` if the edit was folded meanwhile. */
export async function readEditContents(
  storage: Pick<Storage, 'readPayloadRange'>,
  { item }: Edit,
): Promise<string[] | undefined> {
  const read = await readJson(storage, item, EditData.parse(item.data).payload);
  return read && Contents.parse(read.value);
}
