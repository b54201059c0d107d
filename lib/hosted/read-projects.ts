import * as z from 'zod/mini';
import * as failures from '../contract/failures.ts';
import { hot } from '../contract/hot.ts';
import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import type { ProjectHead } from '../contract/project-answer.ts';
import { CustomIdRecord, isTaken } from '../records/custom-id-record.ts';
import { companyPartition, customIdKey, PROJECT_PREFIX, projectKey } from '../records/keys.ts';
import { type HeadLength, listHeads } from '../records/list-heads.ts';
import { HEAD_FIELDS, headOf, headSize, unpackHead } from '../records/project-head.ts';
import { deletionTime } from '../records/tombstones.ts';
import type { ProjectPage, ProjectRef, ProjectsQuery } from '../service/port.ts';
import type { ProjectDocument } from '../service/project-document.ts';
import { fits, isSelective } from '../service/project-filter.ts';
import type { Item, ItemWithPayload, Key, Storage } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';
import type { HostedDeps } from './deps.ts';
import { headIn, isHead, PayloadFields, projectEnd, withHead } from './project-payload.ts';
import { TASK_FIELDS } from './work/segment-tasks.ts';
import { bytesInside, type StoredWork } from './work/work-change.ts';
import {
  decodeWork,
  newWork,
  presentStates,
  WORK_PREFIX,
  type WorkRecord,
  withWork,
  workKey,
} from './work/work-record.ts';

/** The schema of the data in a project's item. The payload of the item is the whole project as JSON. */
const ProjectRecord = recordOf(() => ({
  id: z.int(),
  customId: z.nullable(z.string()),
  targetLanguages: z.int(),
  segments: z.int(),
  sourceLanguageId: z.int(),
  ...HEAD_FIELDS,
  ...TASK_FIELDS,
  payload: PayloadFields,
  /** Whether the revision of a put is remembered for the project; see `revision-record.ts`. */
  isRevised: z.optional(z.literal(true)),
  /** The version of the item of the custom id; absent if it is 1. The item does not change while the project exists. */
  customIdVersion: z.optional(z.int()),
  /**
   * The version of the work record that the payload shows; 0 if it shows none of its versions. Absent if the project has no
   * work record yet: then the payload shows the work.
   */
  shownWorkVersion: z.optional(z.int()),
}));
export type ProjectRecord = z.infer<typeof ProjectRecord>;
const projectRecord = hot(ProjectRecord);

/** Returns the id of the first segment of a new project; see `projectFrom`. */
export function firstSegmentId({ id, targetLanguages }: Pick<ProjectRecord, 'id' | 'targetLanguages'>): number {
  return id + 1 + targetLanguages;
}

/** The item and the work record of a project, as they were read from the store. */
export interface StoredProject extends StoredWork {
  readonly record: ProjectRecord;
  /** Whether no translation, language or task has changed since the creation, so that the payload shows the work. */
  readonly isAsCreated: boolean;
  /** The version of the item. A write that changes the item requires this version. */
  readonly version: number;
  /** The name of the payload. A write that replaces or removes the item drops this payload. */
  readonly drops: string | undefined;
}

/**
 * Reads the item and the work record of a project, without its payload.
 * @throws {Problem} `project-not-found`; with the time of the deletion, if the project has a tombstone
 */
export async function findProject(deps: HostedDeps, ref: ProjectRef, companyId: string): Promise<StoredProject> {
  const id = await idOf(deps, ref, companyId);
  if (id === undefined) return notFound(deps, ref, companyId);
  return (await readProject(deps.storage, companyId, id)) ?? notFound(deps, ref, companyId);
}

/** Reads the item and the work record of a project; `undefined` if the project does not exist. */
export async function readProject(
  storage: Pick<Storage, 'read'>,
  companyId: string,
  id: number,
): Promise<StoredProject | undefined> {
  const readItem = async (key: Key) => {
    const item = await storage.read(key);
    return item && { item };
  };
  const read = await readTogether(storage, companyId, id, readItem);
  return read && storedProject(read);
}

/** How often the two records of a project are read again before they count as damaged. */
const MAX_READS = 100;

/** What is read of a project at once. */
interface ReadProject {
  readonly item: Item;
  readonly record: ProjectRecord;
  /** Absent if the project has no work record yet. */
  readonly stored?: { readonly work: WorkRecord; readonly workVersion: number };
}

/**
 * Reads the item of a project, and its work record if it has one. The record may be of a later version: the deletion of a
 * task changes both. Then they are read again.
 */
async function readTogether<T extends { readonly item: Item }>(
  storage: Pick<Storage, 'read'>,
  companyId: string,
  id: number,
  readItem: (key: Key) => Promise<T | undefined>,
): Promise<(T & ReadProject) | undefined> {
  for (let reads = 0; reads < MAX_READS; reads++) {
    const whole = await readItem(projectKey(companyId, id));
    if (!whole) return undefined;
    const record = projectRecord().parse(whole.item.data);
    if (record.shownWorkVersion === undefined) return { ...whole, record };
    const item = await storage.read(workKey(companyId, id));
    if (!item) return undefined;
    const work = decodeWork(item.data);
    if (work.projectVersion === whole.item.version) {
      return { ...whole, record, stored: { work, workVersion: item.version } };
    }
  }
  throw new RangeError('The records of a project contradict each other');
}

/** A project with the bytes of its payload. */
export interface WholeProject extends StoredProject {
  readonly bytes: Uint8Array;
}

/**
 * Reads a project with its payload.
 * @throws {Problem} `project-not-found`; with the time of the deletion, if the project has a tombstone
 */
export async function findWhole(deps: HostedDeps, ref: ProjectRef, companyId: string): Promise<WholeProject> {
  const read = await readWhole(deps, ref, companyId);
  return { ...storedProject(read), bytes: read.bytes };
}

async function readWhole(deps: HostedDeps, ref: ProjectRef, companyId: string): Promise<ReadProject & ItemWithPayload> {
  const id = await idOf(deps, ref, companyId);
  if (id === undefined) return notFound(deps, ref, companyId);
  const { storage } = deps;
  const read = await readTogether(storage, companyId, id, (key) => storage.readWithPayload(key));
  return read ?? notFound(deps, ref, companyId);
}

/**
 * Reads the document of a project. It shows the present states and progress.
 * @throws {Problem} `project-not-found`; with the time of the deletion, if the project has a tombstone
 */
export async function findDocument(deps: HostedDeps, ref: ProjectRef, companyId: string): Promise<ProjectDocument> {
  const { bytes, record, stored } = await readWhole(deps, ref, companyId);
  const isShown = !stored || stored.workVersion === record.shownWorkVersion;
  return isShown ? documentOf(record, bytes) : documentAt(record, bytes, stored.work);
}

/** Makes the document of a project with its present states and progress. @param bytes the payload of the project */
export function documentAt(record: ProjectRecord, bytes: Uint8Array, work: WorkRecord): ProjectDocument {
  return withHead(documentOf(record, bytes), record.payload, withWork(headAtStart(record, bytes), work));
}

/** Reads the fields of a project without its segments from its payload. */
function headAtStart({ payload }: ProjectRecord, bytes: Uint8Array): ProjectHead {
  return headIn(payload, bytes.subarray(...payload.offsets.slice(0, 2)));
}

/** Reads the fields of a project without its segments; `undefined` if the project has changed since it was read. */
export async function readHead({ storage }: Pick<HostedDeps, 'storage'>, item: Item): Promise<ProjectHead | undefined> {
  const record = projectRecord().parse(item.data);
  const head = unpackHead(record);
  if (isHead(head)) return head;
  const { payload } = record;
  const [from = 0, to = 0] = payload.offsets;
  const bytes = await storage.readPayloadRange(item, { from, to });
  return bytes && headIn(payload, bytes);
}

/** Reads the fields of a project without its segments, as they were last stored; `undefined` if it does not exist. */
export async function findHead(
  { storage }: Pick<HostedDeps, 'storage'>,
  companyId: string,
  id: number,
): Promise<ProjectHead | undefined> {
  const item = await storage.read(projectKey(companyId, id));
  return item && readPresentHead(storage, item);
}

/**
 * Reads the fields of a project without its segments. Reads the item again if the project has changed meanwhile.
 * @returns `undefined` if the project was deleted
 */
async function readPresentHead(storage: Storage, listed: Item): Promise<ProjectHead | undefined> {
  for (let item = listed; ; ) {
    const head = await readHead({ storage }, item);
    if (head) return head;
    const present = await storage.read(item);
    if (!present) return undefined;
    if (present.version === item.version) throw new RangeError('The store has lost the payload of a project');
    item = present;
  }
}

/** Lists a company's projects without their segments, newest first. */
export function listProjects({ storage }: HostedDeps, companyId: string, query: ProjectsQuery): Promise<ProjectPage> {
  const { limit, after: _, whole: __, ...filter } = query;
  const worksAtOnce = isSelective(filter) ? LIMITS.listMax : limit;
  let works = new Map<string, Item>();

  /** Returns the work on a project. If its record is not read yet, those of the following projects are read too. */
  async function workOf(item: Item): Promise<WorkRecord | undefined> {
    const record = projectRecord().parse(item.data);
    if (record.shownWorkVersion === undefined) return workAsCreated(item, record);
    const id = item.sort.slice(PROJECT_PREFIX.length);
    if (!works.has(id)) works = await listWorks(storage, companyId, id, worksAtOnce);
    const work = works.get(id) ?? (await storage.read(workKey(companyId, Number(id))));
    return work && decodeWork(work.data);
  }

  const { customIdPrefix, createdAfter, dueBefore, state, done } = filter;

  /** Selects by the item and the work record, which are much smaller than a head with large teams. */
  async function mayFit(item: Item): Promise<boolean> {
    const { id, customId, headDates } = projectRecord().parse(item.data);
    if (!fits({ id, customId: customId ?? undefined }, { customIdPrefix })) return false;
    if (headDates && !fits({ id, ...headDates }, { createdAfter, dueBefore })) return false;
    if (state === undefined && done === undefined) return true;
    const work = await workOf(item);
    return work !== undefined && fits({ id, targetLanguages: presentStates(work) }, { state, done });
  }

  return listHeads(storage, companyId, query, {
    mayFit,
    sizeOf: (item) => headSize(projectRecord().parse(item.data)),
    leastOf,
    read: (item) => readPresentHead(storage, item).catch(withoutLost),
    async complete(item, head) {
      if (!isHead(head)) return undefined;
      if (projectRecord().parse(item.data).shownWorkVersion === undefined) return headOf(head);
      const work = await workOf(item);
      return work && headOf(withWork(head, work));
    },
  });
}

/** How far a text can be from a text that gzip repeats, in bytes (RFC 1951). */
const GZIP_WINDOW = 32_768;
/** The share of a stored head that a present head has at least. Its states and progress may have become shorter. */
const LEAST_SHARE = 0.9;

/** Returns at least how many bytes a large head adds to a list. Without its dates, it may not fit the filter. */
function leastOf(item: Item): HeadLength | undefined {
  const { headLength, headDates, payload } = projectRecord().parse(item.data);
  // The heads of two projects may be equal. In a list, gzip finds that only if they are short.
  if (!headDates || headLength === undefined || headLength < 2 * GZIP_WINDOW) return undefined;
  const [from = 0, to = 0] = payload.offsets;
  return { length: headLength * LEAST_SHARE, encodedLength: (to - from) * LEAST_SHARE };
}

/** Leaves a project out of a list if its head is lost with its content, so that it does not hide the others. */
function withoutLost(error: unknown): undefined {
  if (!(error instanceof Problem) || error.name !== 'content-lost') throw error;
}

/** Lists the work records of a page of projects, by the padded ids of the projects. */
async function listWorks(
  storage: Storage,
  companyId: string,
  firstId: string,
  limit: number,
): Promise<Map<string, Item>> {
  // The range ends before the text that follows the key of the first project.
  const range = { prefix: WORK_PREFIX, before: `${WORK_PREFIX}${firstId}\u0001`, limit, maxBytes: PAGE_BYTES };
  const { items } = await storage.list(companyPartition(companyId), range);
  return new Map(items.map((item) => [item.sort.slice(WORK_PREFIX.length), item]));
}

/** The size in bytes at which a page of work records ends. The records of later projects are on the next page. */
const PAGE_BYTES = 1_048_576;

/** Makes a stored project from what was read of it. */
function storedProject({ item, record, stored }: ReadProject): StoredProject {
  return {
    id: record.id,
    item,
    record,
    version: item.version,
    drops: item.payload,
    work: stored?.work ?? workAsCreated(item, record),
    workVersion: stored?.workVersion ?? 0,
    isAsCreated: stored?.workVersion === record.shownWorkVersion,
  };
}

/** Makes the work record of a project that has none. */
function workAsCreated(item: Item, record: ProjectRecord): WorkRecord {
  return newWork(headAtStart(record, bytesInside(item)), record.segments);
}

/** Makes the document of a project from its payload, as the payload shows it. */
function documentOf({ id, segments, targetLanguages, payload }: ProjectRecord, bytes: Uint8Array): ProjectDocument {
  const { encoding, length } = payload;
  return { id, segments, targetLanguages, json: { encoding, length, bytes: bytes.subarray(0, projectEnd(payload)) } };
}

async function notFound(deps: HostedDeps, ref: ProjectRef, companyId: string): Promise<never> {
  throw failures.projectNotFound(await deletionTime(deps, companyId, ref));
}

async function idOf({ storage }: HostedDeps, ref: ProjectRef, companyId: string): Promise<number | undefined> {
  if ('id' in ref) return ref.id;
  const item = await storage.read(customIdKey(companyId, ref.customId));
  return isTaken(item) ? CustomIdRecord.parse(item.data).projectId : undefined;
}
