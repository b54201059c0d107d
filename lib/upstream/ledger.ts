import * as z from 'zod/mini';
import { Problem } from '../contract/problem.ts';
import {
  CustomIdRecord,
  type FreedCustomId,
  freeCustomId,
  isTaken,
  takeCustomId,
  versionAfterTaking,
} from '../records/custom-id-record.ts';
import { customIdKey, projectKey } from '../records/keys.ts';
import { HEAD_FIELDS, packHead, withoutHead } from '../records/project-head.ts';
import { deletionTime } from '../records/tombstones.ts';
import type { ProjectRef } from '../service/port.ts';
import type { ServiceProject } from '../service/project-document.ts';
import type { Item, Write } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import type { UpstreamDeps } from './deps.ts';
import { RequestDigest } from './request-digest.ts';
import type { Failure } from './upstream-answer.ts';
import type { UpstreamProject } from './upstream-project.ts';

/**
 * The schema of a ledger entry. An entry records that a company owns a project at the upstream service. The entry is in
 * the partition of this company.
 */
const Entry = recordOf(() => ({
  id: z.int(),
  /** The caller's custom id; `null` if the caller gave none. */
  customId: z.nullable(z.string()),
  /** The custom id at the upstream service. */
  name: z.string(),
  /** The version of the item of the custom id; absent if it is 2. The item does not change while the project exists. */
  customIdVersion: z.optional(z.int()),
  /** When the entry was created, in milliseconds since 1970. */
  enteredAtMs: z.number(),
  /** When the head was read after the creation, in milliseconds since 1970. Absent until then. */
  headAtMs: z.optional(z.number()),
  /** The sequence number of the last event of the project. */
  sequence: z.int(),
  /** The digest of the request that the project equals; absent if a part of the project was deleted. */
  request: z.optional(RequestDigest),
  /** The head of the project, which lists show. A large head is not stored, but fetched from the upstream service. */
  ...HEAD_FIELDS,
}));
export type Entry = z.infer<typeof Entry>;

/** A ledger entry with its version in the store. */
export interface LedgerItem {
  readonly entry: Entry;
  readonly version: number;
}

/** The schema of a custom id that was freed before a creation reserved it. */
export const StoredFreed = recordOf(() => ({ version: z.int(), untilMs: z.number() }));

/** The holder of a company's custom id: a project, or a creation that has not ended. */
const CustomIdHolder = z.union([
  CustomIdRecord,
  recordOf(() => ({ operationId: z.string(), freed: z.optional(StoredFreed) })),
]);
export type CustomIdHolder = z.infer<typeof CustomIdHolder>;

/** Finds the ledger entry of a company's project. It is `absent` also if another company owns the project. */
export async function findEntry(
  deps: UpstreamDeps,
  ref: ProjectRef,
  companyId: string,
): Promise<({ readonly kind: 'ok' } & LedgerItem) | Failure<'absent'>> {
  const id = 'id' in ref ? ref.id : await idOf(deps, ref.customId, companyId);
  const item = id === undefined ? undefined : await deps.storage.read(projectKey(companyId, id));
  if (item) return { kind: 'ok', ...readLedgerItem(item) };
  return { kind: 'absent', what: 'project', deletedAtUtc: await deletionTime(deps, companyId, ref) };
}

/** Returns what a read of the store found; `undefined` if the store cannot be read now. */
export function ifReadable<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    return undefined;
  });
}

/** Reads a ledger entry from its item. */
export function readLedgerItem(item: Item): LedgerItem {
  return { entry: Entry.parse(item.data), version: item.version };
}

async function idOf(deps: UpstreamDeps, customId: string, companyId: string): Promise<number | undefined> {
  const holder = await customIdHolder(deps, customId, companyId);
  return holder && 'projectId' in holder ? holder.projectId : undefined;
}

/** Finds the project or creation that holds a company's custom id. Returns `undefined` if the custom id is free. */
export async function customIdHolder(
  { storage }: Pick<UpstreamDeps, 'storage'>,
  customId: string,
  companyId: string,
): Promise<CustomIdHolder | undefined> {
  const item = await storage.read(customIdKey(companyId, customId));
  return isTaken(item) ? CustomIdHolder.parse(item.data) : undefined;
}

/** The version of a custom id's item while a project holds the custom id, if the custom id was free before its creation. */
const TAKEN = versionAfterReservation(undefined);

/** Returns the version of a custom id's item that a project holds, after a creation has reserved the custom id. */
function versionAfterReservation(freed: FreedCustomId | undefined): number {
  return versionAfterTaking({ version: versionAfterTaking(freed) });
}

/**
 * Creates the write that reserves a custom id for a creation. The commit is refused if the custom id has a holder.
 * @param freed present if the custom id is freed
 */
export function reserveCustomId(
  companyId: string,
  customId: string,
  operationId: string,
  freed: FreedCustomId | undefined,
): Write {
  const data: CustomIdHolder = { operationId, ...(freed && { freed }) };
  return takeCustomId(customIdKey(companyId, customId), data, freed);
}

/** Creates the write that releases a custom id that a creation has reserved. A custom id that was freed is so again. */
export function releaseCustomId(companyId: string, customId: string, freed: FreedCustomId | undefined): Write {
  return freeCustomId(customIdKey(companyId, customId), versionAfterTaking(freed), freed?.untilMs);
}

/** The sequence number of the event that reports a creation. */
export const FIRST_EVENT = 1;

/** Creates the writes that add a created project to the ledger, and give it the reserved custom id. */
export async function addEntry(
  companyId: string,
  project: ServiceProject,
  { name, request, freed }: Pick<Entry, 'name' | 'request'> & { readonly freed?: FreedCustomId | undefined },
  nowMs: number,
): Promise<Write[]> {
  const entry: Entry = {
    id: project.id,
    customId: project.customId ?? null,
    name,
    enteredAtMs: nowMs,
    sequence: FIRST_EVENT,
    ...(freed && { customIdVersion: versionAfterReservation(freed) }),
    ...(request && { request }),
    ...(await packHead(project)),
  };
  const writes: Write[] = [{ kind: 'insert', key: projectKey(companyId, project.id), data: entry }];
  if (entry.customId !== null) {
    const data: CustomIdRecord = { projectId: project.id, createdAtMs: nowMs };
    const version = versionAfterTaking(freed);
    writes.push({ kind: 'replace', key: customIdKey(companyId, entry.customId), version, data });
  }
  return writes;
}

/** A change of a project to record in the ledger. */
interface LedgerChange {
  /** The changed project, if the upstream service showed it. */
  readonly project: ServiceProject | undefined;
  /** When the project was read, in milliseconds since 1970. */
  readonly headAtMs: number;
  /** The sequence number of the event that reports the change. */
  readonly sequence: number;
}

/**
 * Creates the write that replaces a project's head in the ledger. The head is the project without its segments. Lists of
 * projects show heads. The changed project no longer equals its request. The commit is refused if another change took the
 * sequence number.
 */
export async function updateEntry(
  companyId: string,
  { entry: { request: _, ...entry }, version }: LedgerItem,
  { project, headAtMs, sequence }: LedgerChange,
): Promise<Write> {
  const data: Entry = project
    ? { ...withoutHead(entry), sequence, headAtMs, ...(await packHead(project)) }
    : { ...entry, sequence };
  return { kind: 'replace', key: projectKey(companyId, entry.id), version, data };
}

/**
 * Creates the writes that remove a deleted project from the ledger, and free its custom id.
 * @param rememberedUntilMs when its remembered revision ends, in milliseconds since 1970; `undefined` if it has none
 */
export function removeEntry(
  companyId: string,
  { entry: { id, customId, customIdVersion = TAKEN }, version }: LedgerItem,
  rememberedUntilMs: number | undefined,
): Write[] {
  // The head contains names and addresses, so its bytes are erased.
  const writes: Write[] = [{ kind: 'remove', key: projectKey(companyId, id), version, erase: true }];
  if (customId !== null) {
    writes.push(freeCustomId(customIdKey(companyId, customId), customIdVersion, rememberedUntilMs));
  }
  return writes;
}

/** Returns an upstream project as its owner sees it: with the ledger's id, and the caller's custom id if any. */
export function toOwnedProject(
  project: UpstreamProject,
  { id, customId }: Pick<Entry, 'id' | 'customId'>,
): ServiceProject {
  const { customId: _, ...rest } = project;
  return customId === null ? { ...rest, id } : { ...project, id, customId };
}
