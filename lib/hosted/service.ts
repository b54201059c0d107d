import { setImmediate } from 'node:timers/promises';
import { Project } from '../contract/answer.ts';
import { checkStart } from '../contract/check.ts';
import { utc } from '../contract/date.ts';
import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import type { CheckedProject } from '../contract/project.ts';
import type { Receipt } from '../contract/receipt.ts';
import { decodeJson, documentOf, type ProjectDocument } from '../service/document.ts';
import { failures } from '../service/failures.ts';
import type { Call, DeletionScope, ProjectPage, ProjectRef, ProjectService } from '../service/port.ts';
import { countTasks, onlyTask, withoutTask } from '../service/tasks.ts';
import type { Batch, Storage, Write } from '../storage/port.ts';
import { idsNeeded, projectFrom } from './answer.ts';
import { idSource } from './ids.ts';
import {
  customIdKey,
  PROJECTS,
  type ProjectRecord,
  partitionOf,
  projectKey,
  projectSort,
  readCustomIdRecord,
  readProjectRecord,
} from './records.ts';

/** What the hosted service stands on. */
export interface HostedOptions {
  readonly storage: Storage;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** A text that no other process gives, such as a UUID. */
  readonly newId: () => string;
  /** How far off a start date may be, in milliseconds; 5 minutes unless given. */
  readonly startDateToleranceMs?: number | undefined;
}

/** A page of a list is no longer than a project may be: heads with large teams are megabytes each. */
const LIST_BYTES = LIMITS.bodyBytes;

/** A project as the store has it: its record, and the version that a change of it must name. */
interface Found {
  readonly record: ProjectRecord;
  readonly version: number;
}

/** The multilingual project service that Segue itself contains, on any store. */
export function hostedService(options: HostedOptions): ProjectService {
  const { storage, now, random, newId, startDateToleranceMs = LIMITS.startDateToleranceMs } = options;
  const ids = idSource(now, random);

  async function create(project: CheckedProject, call: Call): Promise<ProjectDocument> {
    checkStart(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
    return retryRefused(call, async () => {
      const answer = projectFrom(project, ids.take(idsNeeded(project)), now());
      const document = await documentOf(answer);
      const { writes, put } = creation(call.companyId, answer, document, newId());
      const commit = await storage.commit({ writes, put });
      if (commit.ok) return document;
      if (writes[commit.refused]?.key.sort !== projectSort(answer.id)) throw failures.customIdInUse();
      return undefined;
    });
  }

  async function validate(project: CheckedProject, call: Call): Promise<void> {
    checkStart(project, { nowMs: now(), toleranceMs: startDateToleranceMs });
    const { customId } = project;
    if (customId === undefined) return;
    if (await storage.read(customIdKey(call.companyId, customId))) throw failures.customIdInUse();
  }

  async function get(ref: ProjectRef, taskId: string | undefined, call: Call): Promise<ProjectDocument> {
    return retryRefused(call, async () => {
      const { record } = await find(ref, call.companyId);
      const document = await readDocument(record);
      if (!document || taskId === undefined) return document;
      const part = onlyTask(readProject(document), taskId);
      if (!part) throw failures.taskNotFound();
      return documentOf(part);
    });
  }

  async function list(page: { limit: number; after?: number | undefined }, call: Call): Promise<ProjectPage> {
    const before = page.after === undefined ? undefined : projectSort(page.after);
    const range = { prefix: PROJECTS, before, limit: page.limit, maxBytes: LIST_BYTES };
    const { items, more } = await storage.list(partitionOf(call.companyId), range);
    const projects = items.map((item) => readProjectRecord(item).head);
    const last = projects.at(-1);
    return { projects, ...(more && last && { next: last.id }) };
  }

  async function remove(ref: ProjectRef, scope: DeletionScope, call: Call): Promise<Receipt> {
    return retryRefused(call, async () => {
      const found = await find(ref, call.companyId);
      const change =
        scope.kind === 'project'
          ? projectDeletion(call.companyId, found)
          : await taskDeletion(call.companyId, found, scope.taskId);
      if (!change) return undefined;
      const commit = await storage.commit(change.batch);
      if (!commit.ok) return undefined;
      const { head } = found.record;
      return {
        scope: scope.kind,
        projectId: head.id,
        customId: head.customId ?? null,
        taskId: scope.kind === 'task' ? scope.taskId : null,
        outcome: 'deleted',
        deletedAtUtc: utc(now()),
        removed: change.removed,
      };
    });
  }

  async function find(ref: ProjectRef, companyId: string): Promise<Found> {
    const id = 'id' in ref ? ref.id : await idOf(ref.customId, companyId);
    const item = id === undefined ? undefined : await storage.read(projectKey(companyId, id));
    if (!item) throw failures.projectNotFound();
    return { record: readProjectRecord(item), version: item.version };
  }

  async function idOf(customId: string, companyId: string): Promise<number | undefined> {
    const item = await storage.read(customIdKey(companyId, customId));
    return item && readCustomIdRecord(item).projectId;
  }

  /** @returns `undefined` where the project was changed since its record was read */
  async function readDocument({ head, segments, payload }: ProjectRecord): Promise<ProjectDocument | undefined> {
    const bytes = await storage.readPayload(payload.id);
    if (!bytes) return undefined;
    const { encoding, length } = payload;
    const targetLanguages = head.targetLanguages.length;
    return { id: head.id, segments, targetLanguages, json: { encoding, bytes, length } };
  }

  async function taskDeletion(companyId: string, { record, version }: Found, taskId: string) {
    const document = await readDocument(record);
    if (!document) return undefined;
    const rest = withoutTask(readProject(document), taskId);
    if (!rest) throw failures.taskNotFound();
    const { data, put } = recordOf(companyId, rest, await documentOf(rest), newId());
    const key = projectKey(companyId, rest.id);
    const batch: Batch = { writes: [{ kind: 'replace', key, version, data }], put, drop: [record.payload.id] };
    return { batch, removed: { targetLanguages: 0, segments: record.segments - rest.segments.length, tasks: 1 } };
  }

  return { startDateToleranceMs, create, validate, get, list, delete: remove };
}

/** More than there can be others that are faster: what never fits together is a store that lost something. */
const MOST_ATTEMPTS = 1_000;

/** Tries until nobody else was faster, which `undefined` says, or until there is no time left. */
async function retryRefused<T>({ deadline }: Call, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 0; deadline.remainingMs() > 0; attempts++) {
    if (attempts === MOST_ATTEMPTS) throw new RangeError('What the store says of a project does not fit together');
    const result = await attempt();
    if (result !== undefined) return result;
    // A store in this process answers at once: without a pause nobody else would ever come in.
    await setImmediate();
  }
  throw new Problem('unavailable', { detail: 'There was not enough time for the request.', retryAfterSeconds: 1 });
}

function creation(companyId: string, project: Project, document: ProjectDocument, newId: string) {
  const { data, put } = recordOf(companyId, project, document, newId);
  const writes: Write[] = [{ kind: 'insert', key: projectKey(companyId, project.id), data }];
  if (project.customId !== undefined) {
    const key = customIdKey(companyId, project.customId);
    writes.push({ kind: 'insert', key, data: { projectId: project.id } });
  }
  return { writes, put };
}

function recordOf(companyId: string, project: Project, { json, segments }: ProjectDocument, newId: string) {
  const { segments: _, ...head } = project;
  const payload = { id: `${companyId}/${project.id}/${newId}`, encoding: json.encoding, length: json.length };
  const data: ProjectRecord = { head, segments, tasks: countTasks(project), payload };
  return { data, put: [{ id: payload.id, bytes: json.bytes }] };
}

function projectDeletion(companyId: string, { record, version }: Found) {
  const { head, segments, tasks, payload } = record;
  const writes: Write[] = [{ kind: 'remove', key: projectKey(companyId, head.id), version }];
  if (head.customId !== undefined) {
    // Written once with the project and never changed.
    writes.push({ kind: 'remove', key: customIdKey(companyId, head.customId), version: 1 });
  }
  const batch: Batch = { writes, drop: [payload.id] };
  return { batch, removed: { targetLanguages: head.targetLanguages.length, segments, tasks } };
}

function readProject({ json }: ProjectDocument): Project {
  const value: unknown = JSON.parse(Buffer.from(decodeJson(json)).toString());
  if (!isProject(value)) throw new TypeError('The store holds something else than a project');
  return value;
}

/** Asks the schema, and keeps the value itself: what the schema makes of it has its fields in another order. */
function isProject(value: unknown): value is Project {
  return Project.safeParse(value).success;
}
