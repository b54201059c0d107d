import { AsyncLocalStorage } from 'node:async_hooks';
import * as z from 'zod/mini';
import { PayloadFields, projectEnd } from '../../../lib/hosted/project-payload.ts';
import { PROJECT_PREFIX } from '../../../lib/records/keys.ts';
import { decodeText } from '../../../lib/service/encoded-text.ts';
import type { Batch, Commit, Storage, Write } from '../../../lib/storage/port.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import type { Operation } from './operations.ts';

/** A request to a process: the cause of every commit and request that follows from it. */
export interface Cause {
  readonly operation: Operation;
  readonly company: string | undefined;
  readonly startedMs: number;
  /** Whether it is a reconciliation, which only finishes open operations. */
  readonly isReconciliation: boolean;
  /** The id of the operation that the request works on. Absent until the operation's record is written. */
  operationId?: string;
  /** When the request first wrote the operation's record, in milliseconds of the world's clock. */
  claimedMs?: number;
  /** How many projects the company may create in a day; absent if there is no limit. */
  readonly projectsADay: number | undefined;
  /** The number of requests to create a project that were sent to the upstream service. */
  creationsSent: number;
}

/** The cause of the work that is running. */
export const causes = new AsyncLocalStorage<Cause>();

/** A segment as clients send it. */
export interface Segment {
  readonly customId?: string | undefined;
  readonly content: string;
  readonly taskId?: string | undefined;
}

/** What the clients of this world change of a project. */
export interface Content {
  readonly name: string;
  /** The codes of the target languages. */
  readonly languages: readonly string[];
  readonly segments: readonly Segment[];
}

/** A content that a project had from a moment on. */
export interface Version {
  readonly atMs: number;
  readonly cause: Cause | undefined;
  readonly content: Content;
}

/** A project that the service has or had. */
export interface Fact {
  readonly id: number;
  readonly partition: string;
  /** The name with which the project was created. */
  readonly firstName: string;
  /** The name that the project has now, or had when it was deleted. */
  name: string;
  readonly customId: string | undefined;
  readonly madeAtMs: number;
  readonly cause: Cause | undefined;
  /** All contents so far, the current one last. */
  readonly versions: Version[];
  /** The tasks of the project's current segments. */
  tasks: ReadonlySet<string>;
  deletedAtMs: number | undefined;
}

/** A deletion of a project or of some of its tasks. */
export interface Loss {
  readonly fact: Fact;
  readonly atMs: number;
  readonly cause: Cause | undefined;
  /** The deleted tasks; absent if the whole project was deleted. */
  readonly tasks?: readonly string[];
}

const Stored = z.object({ payload: PayloadFields });
const Whole = z.object({
  id: z.int(),
  name: z.string(),
  customId: z.optional(z.string()),
  targetLanguages: z.array(z.object({ targetLanguageCode: z.string() })),
  segments: z.array(
    z.object({ customId: z.optional(z.string()), content: z.string(), taskId: z.optional(z.string()) }),
  ),
});

/** Returns what the clients of this world know of a project. */
export function contentIn(project: unknown): Content {
  const { name, targetLanguages, segments } = Whole.parse(project);
  return { name, languages: targetLanguages.map((language) => language.targetLanguageCode), segments };
}

/** Called at each new content of a project, and when a project is deleted. */
interface Watcher {
  changed(fact: Fact): void;
  deleted(loss: Loss): void;
}

/** The store of the upstream service. It remembers every change of every project. */
export class Truth implements Storage {
  readonly facts = new Map<number, Fact>();
  readonly losses: Loss[] = [];
  watcher: Watcher | undefined;
  readonly #store = new MemoryStorage();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  readonly read: Storage['read'] = (key) => this.#store.read(key);
  readonly list: Storage['list'] = (partition, range) => this.#store.list(partition, range);
  readonly readPayloadRange: Storage['readPayloadRange'] = (item, range) => this.#store.readPayloadRange(item, range);
  readonly readWithPayload: Storage['readWithPayload'] = (key) => this.#store.readWithPayload(key);

  async commit(batch: Batch): Promise<Commit> {
    const commit = await this.#store.commit(batch);
    if (commit.ok) for (const write of batch.writes) if (write.key.sort.startsWith(PROJECT_PREFIX)) this.#note(write);
    return commit;
  }

  /** Returns the sort keys of a partition, in no order. */
  sorts(partition: string): string[] {
    return this.#store.sorts(partition);
  }

  #note(write: Write): void {
    const { partition, sort } = write.key;
    const cause = causes.getStore();
    const fact = this.facts.get(Number(sort.slice(PROJECT_PREFIX.length)));
    if (write.kind === 'remove' && fact) {
      fact.deletedAtMs = this.#now();
      const loss = { fact, atMs: this.#now(), cause };
      this.losses.push(loss);
      this.watcher?.deleted(loss);
    }
    if (!('bytes' in write) || !write.bytes) return;
    const { payload } = Stored.parse(write.data);
    // The tasks and the layout are behind the project.
    const bytes = write.bytes.subarray(0, projectEnd(payload));
    const text = Buffer.from(decodeText({ ...payload, bytes })).toString();
    const project: unknown = JSON.parse(text);
    const { id, name, customId, segments } = Whole.parse(project);
    const tasks = new Set(segments.flatMap(({ taskId = [] }) => taskId));
    const atMs = this.#now();
    if (fact) {
      const gone = [...fact.tasks].filter((task) => !tasks.has(task));
      this.losses.push({ fact, atMs, cause, tasks: gone });
    }
    const made: Fact = fact ?? {
      ...{ id, partition, customId, tasks, cause, name },
      firstName: name,
      madeAtMs: atMs,
      versions: [],
      deletedAtMs: undefined,
    };
    made.name = name;
    made.tasks = tasks;
    made.versions.push({ atMs, cause, content: contentIn(project) });
    this.facts.set(id, made);
    this.watcher?.changed(made);
  }
}
