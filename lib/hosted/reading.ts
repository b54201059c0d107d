import { customIdKey, projectKey } from '../idempotency/project-item.ts';
import { deletionTime } from '../idempotency/tombstones.ts';
import type { ProjectDocument } from '../service/document.ts';
import { failures } from '../service/failures.ts';
import type { ProjectRef } from '../service/port.ts';
import type { Item, ItemWithPayload, Key } from '../storage/port.ts';
import type { Foundation } from './foundation.ts';
import { type ProjectRecord, readCustomIdRecord, readProjectRecord } from './records.ts';

/** A project as the store has it: its record, and what a change of it must name. */
export interface Found {
  readonly record: ProjectRecord;
  readonly version: number;
  readonly drops: string | undefined;
}

/** A project with its whole text. */
export interface FoundWhole extends Found {
  readonly document: ProjectDocument;
}

/** @throws {Problem} `project-not-found`, with the time of its deletion as long as that is remembered */
export async function findProject(foundation: Foundation, ref: ProjectRef, companyId: string): Promise<Found> {
  const key = await keyOf(foundation, ref, companyId);
  const item = key && (await foundation.storage.read(key));
  return item ? foundIn(item) : notFound(foundation, ref, companyId);
}

/** @throws {Problem} as `findProject` does */
export async function findDocument(foundation: Foundation, ref: ProjectRef, companyId: string): Promise<FoundWhole> {
  const key = await keyOf(foundation, ref, companyId);
  const whole = key && (await foundation.storage.readWithPayload(key));
  if (!whole) return notFound(foundation, ref, companyId);
  return { ...foundIn(whole.item), document: documentOfWhole(whole) };
}

/** The document of a project as the store has it. */
export function documentOfWhole({ item, bytes }: ItemWithPayload): ProjectDocument {
  const { id, segments, targetLanguages, payload } = readProjectRecord(item);
  return { id, segments, targetLanguages, json: { ...payload, bytes } };
}

function foundIn(item: Item): Found {
  return { record: readProjectRecord(item), version: item.version, drops: item.payload };
}

async function notFound(foundation: Foundation, ref: ProjectRef, companyId: string): Promise<never> {
  throw failures.projectNotFound(await deletionTime(foundation, companyId, ref));
}

async function keyOf({ storage }: Foundation, ref: ProjectRef, companyId: string): Promise<Key | undefined> {
  if ('id' in ref) return projectKey(companyId, ref.id);
  const item = await storage.read(customIdKey(companyId, ref.customId));
  return item && projectKey(companyId, readCustomIdRecord(item).projectId);
}
