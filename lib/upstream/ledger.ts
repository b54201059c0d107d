import * as z from 'zod/mini';
import { customIdKey, HEAD_FIELDS, packHead, projectKey } from '../idempotency/project-item.ts';
import { deletionTime } from '../idempotency/tombstones.ts';
import { failures } from '../service/failures.ts';
import type { ProjectRef, ServiceProject } from '../service/port.ts';
import type { Item, Write } from '../storage/port.ts';
import type { Foundation } from './foundation.ts';
import type { UpstreamProject } from './project.ts';

/** Who owns a project at the service: the company in whose partition this stands. */
const Entry = z.strictObject({
  id: z.int(),
  /** The caller's custom id; null where it gave none. */
  customId: z.nullable(z.string()),
  /** The custom id at the service. */
  name: z.string(),
  /** When it was entered, in milliseconds since 1970. */
  enteredAtMs: z.number(),
  /** The head that lists show; a larger one is read from the service. */
  ...HEAD_FIELDS,
});
export type Entry = z.infer<typeof Entry>;

/** An entry as the store has it. */
export interface Entered {
  readonly entry: Entry;
  readonly version: number;
}

/** Who has a custom id: a project, or a creation that nobody knows the end of yet. */
const CustomIdHolder = z.union([z.strictObject({ projectId: z.int() }), z.strictObject({ operationId: z.string() })]);
export type CustomIdHolder = z.infer<typeof CustomIdHolder>;

/** @throws {Problem} `project-not-found`, also where the project is another company's */
export async function findEntry(foundation: Foundation, ref: ProjectRef, companyId: string): Promise<Entered> {
  const id = 'id' in ref ? ref.id : await idOf(foundation, ref.customId, companyId);
  const item = id === undefined ? undefined : await foundation.storage.read(projectKey(companyId, id));
  if (item) return readEntry(item);
  throw failures.projectNotFound(await deletionTime(foundation, companyId, ref));
}

export function readEntry(item: Item): Entered {
  return { entry: Entry.parse(item.data), version: item.version };
}

async function idOf(foundation: Foundation, customId: string, companyId: string): Promise<number | undefined> {
  const holder = await holderOf(foundation, customId, companyId);
  return holder && 'projectId' in holder ? holder.projectId : undefined;
}

/** Who has a custom id of a company. */
export async function holderOf(
  { storage }: Pick<Foundation, 'storage'>,
  customId: string,
  companyId: string,
): Promise<CustomIdHolder | undefined> {
  const item = await storage.read(customIdKey(companyId, customId));
  return item && CustomIdHolder.parse(item.data);
}

/** The version of a custom id's record while a creation holds it, and once a project has it. */
const RESERVED = 1;
const TAKEN = 2;

/** Keeps a custom id for a creation; refused where somebody has it. */
export function reserve(companyId: string, customId: string, operationId: string): Write {
  const data: CustomIdHolder = { operationId };
  return { kind: 'insert', key: customIdKey(companyId, customId), data };
}

/** Gives back what was kept for a creation. */
export function giveBack(companyId: string, customId: string): Write {
  return { kind: 'remove', key: customIdKey(companyId, customId), version: RESERVED };
}

/** Enters a project with the custom id that was kept for it. */
export async function enter(companyId: string, project: ServiceProject, name: string, nowMs: number): Promise<Write[]> {
  const entry: Entry = {
    id: project.id,
    customId: project.customId ?? null,
    name,
    enteredAtMs: nowMs,
    ...(await packHead(project)),
  };
  const writes: Write[] = [{ kind: 'insert', key: projectKey(companyId, project.id), data: entry }];
  if (entry.customId !== null) {
    const data: CustomIdHolder = { projectId: project.id };
    writes.push({ kind: 'replace', key: customIdKey(companyId, entry.customId), version: RESERVED, data });
  }
  return writes;
}

/** Whether a project is entered with the custom id at the service that it was made with. */
export async function isEntered(
  { storage }: Pick<Foundation, 'storage'>,
  companyId: string,
  id: number,
  name: string,
): Promise<boolean> {
  const item = await storage.read(projectKey(companyId, id));
  return item !== undefined && readEntry(item).entry.name === name;
}

/** Changes what lists say of a project. */
export async function update(companyId: string, { entry, version }: Entered, project: ServiceProject): Promise<Write> {
  const { head: _, packedHead: __, ...rest } = entry;
  const data: Entry = { ...rest, ...(await packHead(project)) };
  return { kind: 'replace', key: projectKey(companyId, entry.id), version, data };
}

/** Strikes a project out, and frees its custom id. */
export function strikeOut(companyId: string, { entry: { id, customId }, version }: Entered): Write[] {
  // Its head has names and addresses.
  const writes: Write[] = [{ kind: 'remove', key: projectKey(companyId, id), version, erase: true }];
  if (customId !== null) {
    writes.push({ kind: 'remove', key: customIdKey(companyId, customId), version: TAKEN });
  }
  return writes;
}

/** A project of the service as its owner knows it: with its id in the ledger, and the custom id that the caller gave, or none. */
export function asOwned(project: UpstreamProject, { id, customId }: Pick<Entry, 'id' | 'customId'>): ServiceProject {
  const { customId: _, ...rest } = project;
  return customId === null ? { ...rest, id } : { ...project, id, customId };
}
