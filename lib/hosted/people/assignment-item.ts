import * as z from 'zod/mini';
import { WORK_ROLES } from '../../contract/event.ts';
import { companyPartition, paddedId } from '../../idempotency/project-item.ts';
import type { Item, Key, Storage, Write } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';
import { encodeJson, JsonPayload, readJson } from '../work/json-payload.ts';
import type { TaskAssignments, TaskId } from './assign-tasks.ts';

/** The schema of the data of an assignments item: who works on the tasks of one language. */
const AssignmentsData = recordOf({ payload: JsonPayload });
type AssignmentsData = z.infer<typeof AssignmentsData>;

/** The schema of the payload: the assignments of each task. */
const Entries = z.array(
  z.tuple([
    z.nullable(z.string()),
    z.partialRecord(z.enum(WORK_ROLES), recordOf({ memberId: z.nullable(z.int()), isDone: z.boolean() })),
  ]),
);

/** The assignments of a language, as they were read from the store. */
export interface StoredAssignments {
  readonly key: Key;
  /** Absent if nothing is assigned yet. */
  readonly item: Item | undefined;
  /** Absent if nothing is assigned yet. */
  readonly data?: AssignmentsData;
  readonly byTask: ReadonlyMap<TaskId, TaskAssignments>;
}

/** Returns the prefix of the sort keys of a project's assignments. */
export function assignmentPrefix(projectId: number): string {
  return `assignment/${paddedId(projectId)}/`;
}

/**
 * Reads the assignments of a language. They may have tasks that were deleted meanwhile.
 * @param language the index of the language in the project
 * @returns `undefined` if they changed while they were read
 */
export async function readAssignments(
  storage: Pick<Storage, 'read' | 'readPayloadRange'>,
  companyId: string,
  projectId: number,
  language: number,
): Promise<StoredAssignments | undefined> {
  const sort = `${assignmentPrefix(projectId)}${String(language).padStart(3, '0')}`;
  const key = { partition: companyPartition(companyId), sort };
  const item = await storage.read(key);
  if (!item) return { key, item, byTask: new Map() };
  const data = AssignmentsData.parse(item.data);
  const read = await readJson(storage, item, data.payload);
  return read && { key, item, data, byTask: new Map(Entries.parse(read.value)) };
}

/** Makes the write that stores the assignments of a language. */
export async function assignmentsWrite(
  { key, item, data }: StoredAssignments,
  byTask: ReadonlyMap<TaskId, TaskAssignments>,
): Promise<Write> {
  const { payload, bytes } = await encodeJson([...byTask]);
  const written = { key, data: { ...data, payload } satisfies AssignmentsData, bytes };
  return item
    ? { kind: 'replace', version: item.version, drops: item.payload, ...written }
    : { kind: 'insert', ...written };
}
