import { Project } from '../contract/answer.ts';
import { decodeText, type ProjectDocument } from '../service/document.ts';
import { failures } from '../service/failures.ts';
import type { ProjectRef } from '../service/port.ts';
import type { Key } from '../storage/port.ts';
import type { Foundation } from './foundation.ts';
import {
  customIdKey,
  type ProjectRecord,
  projectKey,
  readCustomIdRecord,
  readProjectRecord,
  readTombstone,
  tombstoneByCustomId,
  tombstoneById,
} from './records.ts';

/** A project as the store has it: its record, and the version that a change of it must name. */
export interface Found {
  readonly record: ProjectRecord;
  readonly version: number;
}

/** @throws {Problem} `project-not-found`, with the time of its deletion as long as that is remembered */
export async function findProject(foundation: Foundation, ref: ProjectRef, companyId: string): Promise<Found> {
  const { storage } = foundation;
  const id = 'id' in ref ? ref.id : await idOf(foundation, ref.customId, companyId);
  const item = id === undefined ? undefined : await storage.read(projectKey(companyId, id));
  if (item) return { record: readProjectRecord(item), version: item.version };
  const tombstone = 'id' in ref ? tombstoneById(companyId, ref.id) : tombstoneByCustomId(companyId, ref.customId);
  throw failures.projectNotFound(await deletionOf(foundation, tombstone));
}

/** When what a tombstone stands for was deleted, as long as that is remembered. */
export async function deletionOf({ storage, now }: Foundation, tombstone: Key): Promise<string | undefined> {
  const item = await storage.read(tombstone);
  return item && (item.expiresAtMs ?? 0) > now() ? readTombstone(item).deletedAtUtc : undefined;
}

async function idOf({ storage }: Foundation, customId: string, companyId: string): Promise<number | undefined> {
  const item = await storage.read(customIdKey(companyId, customId));
  return item && readCustomIdRecord(item).projectId;
}

/** @returns `undefined` where the project was changed since its record was read */
export async function readDocument(
  { storage }: Foundation,
  { head, segments, payload }: ProjectRecord,
): Promise<ProjectDocument | undefined> {
  const bytes = await storage.readPayload(payload.id);
  if (!bytes) return undefined;
  const { encoding, length } = payload;
  const targetLanguages = head.targetLanguages.length;
  return { id: head.id, segments, targetLanguages, json: { encoding, bytes, length } };
}

/** The project that a document holds. */
export function readProject({ json }: ProjectDocument): Project {
  const value: unknown = JSON.parse(Buffer.from(decodeText(json)).toString());
  if (!isProject(value)) throw new TypeError('The store holds something else than a project');
  return value;
}

/** Asks the schema, and keeps the value itself: what the schema makes of it has its fields in another order. */
function isProject(value: unknown): value is Project {
  return Project.safeParse(value).success;
}
