import { LIMITS } from '../contract/limits.ts';
import {
  companyPartition,
  customIdKey,
  PROJECT_PREFIX,
  projectKey,
  projectSort,
  unpackHead,
} from '../idempotency/project-item.ts';
import { deletionTime } from '../idempotency/tombstones.ts';
import { failures } from '../service/failures.ts';
import type { ProjectPage, ProjectRef } from '../service/port.ts';
import { type ProjectDocument, projectIn, type ServiceProject } from '../service/project-document.ts';
import type { Item, ItemWithPayload, Key } from '../storage/port.ts';
import type { Foundation } from './options.ts';
import { type ProjectRecord, readCustomIdRecord, readProjectRecord } from './project-record.ts';

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

/** A page of a list is no longer than a project may be: heads with large teams are megabytes each. */
const LIST_BYTES = LIMITS.bodyBytes;

/** Lists a company's projects without their segments, newest first; one at least, where there is one. */
export async function listProjects(
  { storage }: Foundation,
  companyId: string,
  { limit, after }: { readonly limit: number; readonly after?: number | undefined },
): Promise<ProjectPage> {
  const before = after === undefined ? undefined : projectSort(after);
  const range = { prefix: PROJECT_PREFIX, before, limit, maxBytes: LIST_BYTES };
  const { items, more } = await storage.list(companyPartition(companyId), range);
  const projects: ServiceProject[] = [];
  let bytes = 0;
  for (const item of items) {
    const record = readProjectRecord(item);
    const head = unpackHead(record) ?? (await headInPayload(item));
    if (head) {
      bytes += Buffer.byteLength(JSON.stringify(head));
      projects.push(head);
    }
    if (bytes >= LIST_BYTES || item === items.at(-1)) {
      return { projects, ...((more || item !== items.at(-1)) && { next: record.id }) };
    }
  }
  return { projects };

  /** The head of a project whose head is too large for its item; `undefined` where it was deleted since. */
  async function headInPayload(item: Item): Promise<ServiceProject | undefined> {
    const whole = await storage.readWithPayload(item);
    if (!whole) return undefined;
    const { segments: _, ...head } = projectIn(documentOfWhole(whole));
    return head;
  }
}
