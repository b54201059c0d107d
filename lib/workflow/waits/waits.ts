import { randomInt } from 'node:crypto';
import * as z from 'zod/mini';
import { Problem } from '../../contract/problem.ts';
import { type DueList, dueList } from '../../deliveries/due-list.ts';
import { hashOf } from '../../records/keys.ts';
import { asUnavailable, eachItem, type Key, type ListedStore, type Write } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';
import { LONGEST_PAUSE_MS } from './wait-pauses.ts';

/** A wait of an execution for a project. */
export interface WaitRef {
  readonly companyId: string;
  /** A hash of the project’s id or custom id. */
  readonly project: string;
  /** A hash of the task token. */
  readonly id: string;
}

/** The record of a wait. */
const WaitRecord = recordOf(() => ({
  projectId: z.optional(z.int()),
  customId: z.optional(z.string()),
  taskId: z.optional(z.string()),
  languages: z.optional(z.array(z.string())),
  progress: z.optional(z.int()),
  /** Whoever has the token can end the wait. It must reach no log. */
  token: z.string(),
  /** The execution that waits, for the log. */
  executionId: z.optional(z.string()),
  startedAtMs: z.number(),
  /** When the wait fails. */
  endsAtMs: z.number(),
  /** When the project is looked at next. */
  dueMs: z.number(),
}));
export type WaitRecord = Readonly<z.infer<typeof WaitRecord>>;

/** A wait, as it was read from the store. */
export interface StoredWait {
  readonly ref: WaitRef;
  readonly version: number;
  readonly record: WaitRecord;
}

/** The most waits of a project, and of all projects of a company. */
const MAX_WAITS = { project: 10, company: 100 } as const;

/** How much longer than a wait its record is kept, in milliseconds. The worker removes it; this is for one that it misses. */
const KEPT_MS = 86_400_000;

/** The open waits of all companies, in the order in which they are due. */
export const OPEN_WAITS: DueList<WaitRef> = dueList({
  name: 'open-waits',
  write: ({ project, id }) => `${project}/${id}`,
  read: (companyId, path) => {
    const [project = '', id = ''] = path.split('/');
    return { companyId, project, id };
  },
  idOf: ({ id }) => id,
  latestDueMs: (nowMs) => nowMs + LONGEST_PAUSE_MS,
});

/** Returns the reference of a wait. */
function waitRef(companyId: string, record: WaitRecord): WaitRef {
  const { projectId, customId, token } = record;
  return { companyId, project: hashOf(JSON.stringify([companyId, projectId, customId])), id: hashOf(token) };
}

function partitionOf(companyId: string): string {
  return `waits/${companyId}`;
}

function keyOf({ companyId, project, id }: WaitRef): Key {
  return { partition: partitionOf(companyId), sort: `${project}/${id}` };
}

/** The upper limit of the first version of a record, which is random, because a wait may be registered again. */
const MAX_FIRST_VERSION = 2 ** 48 - 1;

/** The waits in a store. */
export interface Waits {
  /**
   * Registers a wait. If it is registered already, nothing changes.
   * @throws {Problem} `rate-limited` if the project or the company has too many waits. Waits that are registered at the
   * same moment may exceed the limit by their number.
   */
  register(companyId: string, record: WaitRecord): Promise<void>;
  read(ref: WaitRef): Promise<StoredWait | undefined>;
  /** Lets a wait go on until it is due again. @returns whether it was unchanged since it was read */
  postpone(wait: StoredWait, dueMs: number): Promise<boolean>;
  /** Removes a wait. @returns whether it was unchanged since it was read */
  remove(wait: StoredWait): Promise<boolean>;
}

const TRY_AGAIN = 'Segue could not change a wait of a workflow. Try again.';

/** Opens the waits in a store. @param now returns the time, in milliseconds since 1970 */
export function waitsIn(store: ListedStore, now: () => number): Waits {
  const commit = async (writes: readonly Write[]) =>
    (await store.commit({ writes }).catch(asUnavailable(TRY_AGAIN))).ok;
  // The entry of a list is never replaced, so its version is always 1.
  const leave = ({ ref, record }: StoredWait): Write => {
    return { kind: 'remove', key: OPEN_WAITS.keyOf(ref, record.dueMs), version: 1 };
  };

  async function requireRoom({ companyId, project }: WaitRef, key: Key): Promise<void> {
    let [ofCompany, ofProject] = [0, 0];
    for await (const item of eachItem(store, partitionOf(companyId), '')) {
      if ((item.expiresAtMs ?? 0) <= now() || item.sort === key.sort) continue;
      ofCompany++;
      if (item.sort.startsWith(`${project}/`)) ofProject++;
      if (ofCompany >= MAX_WAITS.company || ofProject >= MAX_WAITS.project) throw tooMany();
    }
  }

  return {
    async register(companyId, record) {
      const ref = waitRef(companyId, record);
      const key = keyOf(ref);
      await requireRoom(ref, key);
      const expiresAtMs = record.endsAtMs + KEPT_MS;
      await commit([
        { kind: 'insert', key, data: record, expiresAtMs, firstVersion: randomInt(1, MAX_FIRST_VERSION) },
        { kind: 'insert', key: OPEN_WAITS.keyOf(ref, record.dueMs), data: {}, expiresAtMs },
      ]);
    },
    async read(ref) {
      const item = await store.read(keyOf(ref));
      return item && { ref, version: item.version, record: WaitRecord.parse(item.data) };
    },
    postpone: (wait, dueMs) => {
      const { ref, version, record } = wait;
      const expiresAtMs = record.endsAtMs + KEPT_MS;
      return commit([
        { kind: 'replace', key: keyOf(ref), version, data: { ...record, dueMs }, expiresAtMs },
        leave(wait),
        { kind: 'insert', key: OPEN_WAITS.keyOf(ref, dueMs), data: {}, expiresAtMs },
      ]);
    },
    // The token must not stay in the files of the store.
    remove: (wait) => {
      const { ref, version } = wait;
      return commit([{ kind: 'remove', key: keyOf(ref), version, erase: true }, leave(wait)]);
    },
  };
}

function tooMany(): Problem {
  return new Problem('rate-limited', {
    detail: `At most ${MAX_WAITS.project} executions can wait for a project, and ${MAX_WAITS.company} for the projects of a company. Segue did nothing.`,
    retryAfterSeconds: 60,
  });
}
