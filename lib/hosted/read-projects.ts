import * as z from 'zod/mini';
import {
  customIdKey,
  HEAD_FIELDS,
  headOf,
  listHeads,
  type PageRequest,
  projectKey,
  unpackHead,
} from '../idempotency/project-item.ts';
import { deletionTime } from '../idempotency/tombstones.ts';
import { failures, type ProjectPage, type ProjectRef } from '../service/port.ts';
import { type ProjectDocument, projectIn } from '../service/project-document.ts';
import type { Item, ItemWithPayload, Key } from '../storage/port.ts';
import type { HostedDeps } from './deps.ts';

/** The schema of the data in a project's item. The payload of the item is the whole project as JSON. */
const ProjectRecord = z.strictObject({
  id: z.int(),
  customId: z.nullable(z.string()),
  targetLanguages: z.int(),
  segments: z.int(),
  tasks: z.int(),
  ...HEAD_FIELDS,
  /** The encoding of the payload, and the number of its bytes after decoding. */
  payload: z.strictObject({ encoding: z.enum(['identity', 'gzip']), length: z.int() }),
});
export type ProjectRecord = z.infer<typeof ProjectRecord>;

/** The schema of the data in a custom id's item. */
const CustomIdRecord = z.strictObject({ projectId: z.int() });

/** The item of a project, as it was read from the store. */
interface StoredProject {
  readonly record: ProjectRecord;
  /** The version of the item. A write that changes the item requires this version. */
  readonly version: number;
  /** The name of the payload. A write that replaces or removes the item drops this payload. */
  readonly drops: string | undefined;
}

/**
 * Reads the item of a project without its payload.
 * @throws {Problem} `project-not-found`; with the time of the deletion, if the project has a tombstone
 */
export async function findProject(deps: HostedDeps, ref: ProjectRef, companyId: string): Promise<StoredProject> {
  const key = await keyOf(deps, ref, companyId);
  const item = key && (await deps.storage.read(key));
  return item ? storedProject(item) : notFound(deps, ref, companyId);
}

/**
 * Reads the item of a project with its payload.
 * @throws {Problem} `project-not-found`; with the time of the deletion, if the project has a tombstone
 */
export async function findDocument(
  deps: HostedDeps,
  ref: ProjectRef,
  companyId: string,
): Promise<StoredProject & { readonly document: ProjectDocument }> {
  const key = await keyOf(deps, ref, companyId);
  const whole = key && (await deps.storage.readWithPayload(key));
  if (!whole) return notFound(deps, ref, companyId);
  return { ...storedProject(whole.item), document: documentIn(whole) };
}

/** Lists a company's projects without their segments, newest first. */
export function listProjects({ storage }: HostedDeps, companyId: string, page: PageRequest): Promise<ProjectPage> {
  return listHeads(storage, companyId, page, async (item) => {
    const head = unpackHead(ProjectRecord.parse(item.data));
    if (head) return head;
    const whole = await storage.readWithPayload(item);
    return whole && headOf(projectIn(documentIn(whole)));
  });
}

function storedProject({ data, version, payload }: Item): StoredProject {
  return { record: ProjectRecord.parse(data), version, drops: payload };
}

function documentIn({ item, bytes }: ItemWithPayload): ProjectDocument {
  const { id, segments, targetLanguages, payload } = ProjectRecord.parse(item.data);
  return { id, segments, targetLanguages, json: { ...payload, bytes } };
}

async function notFound(deps: HostedDeps, ref: ProjectRef, companyId: string): Promise<never> {
  throw failures.projectNotFound(await deletionTime(deps, companyId, ref));
}

async function keyOf({ storage }: HostedDeps, ref: ProjectRef, companyId: string): Promise<Key | undefined> {
  if ('id' in ref) return projectKey(companyId, ref.id);
  const item = await storage.read(customIdKey(companyId, ref.customId));
  return item && projectKey(companyId, CustomIdRecord.parse(item.data).projectId);
}
