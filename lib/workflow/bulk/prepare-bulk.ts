import * as z from 'zod/mini';
import { CompanyId, type TaskHandler, type TaskOptions, task } from '../task-handler.ts';
import { type Entry, type ObjectVersion, RunName } from './manifest.ts';
import type { Manifests } from './manifests-in-s3.ts';
import { scanManifest } from './scan-manifest.ts';

const PrepareBulk = z.strictObject({
  companyId: CompanyId,
  /** `$$.Execution.Id` */
  executionId: z.optional(z.string()),
  /** The input of the execution: the manifest and the options of the run. */
  object: z.strictObject({
    key: z.string(),
    /** The name of the run; the object's key unless given. */
    run: z.optional(RunName),
    /** Whether the run only checks every line, and changes nothing. */
    validateOnly: z.optional(z.boolean()),
  }),
});

/** The result of `prepareBulkTask`: the input that the tasks of all lines share, and the index of the entries. */
export interface PreparedBulk {
  readonly file: ObjectVersion;
  readonly run: string;
  readonly validateOnly: boolean;
  /** The number of entries. */
  readonly entries: number;
  /** The key of the index in the bucket. */
  readonly index: string;
}

/**
 * Makes the handler of the workflow task that reads a whole manifest before its first line runs. The handler writes an
 * index with the position of each entry, and gives equal commands different numbers, so that each of them runs. The
 * task of a line later refuses the line if the manifest has changed since.
 */
export function prepareBulkTask(manifests: Manifests, options: TaskOptions): TaskHandler<PreparedBulk> {
  return task(
    'prepareBulk',
    PrepareBulk,
    async ({ companyId, object: { key, run = key, validateOnly = false } }) => {
      const file = await manifests.find(companyId, key);
      const index = new IndexFile();
      const sha256 = await scanManifest(manifests.open(companyId, file), (entry) => index.add(entry));
      const indexKey = await manifests.writeIndex(companyId, sha256, index.bytes());
      return { file, run, validateOnly, entries: index.entries, index: indexKey };
    },
    options,
  );
}

/** The first line of an index. */
const HEADER = 'entry,line,offset,bytes,occurrence\n';
/** How many characters of an index are collected before they are converted to bytes. */
const PART_CHARACTERS = 65_536;

/**
 * An index: the positions of a manifest's entries, as CSV for Step Functions. An execution receives only these numbers.
 * Content would stay in its history, and an entry may be larger than a state allows.
 */
class IndexFile {
  #text = HEADER;
  readonly #parts: Buffer[] = [];
  #entries = 0;

  add({ entry, line, offset, bytes, occurrence }: Entry): void {
    this.#entries++;
    this.#text += `${entry},${line},${offset},${bytes},${occurrence}\n`;
    if (this.#text.length >= PART_CHARACTERS) this.#flush();
  }

  get entries(): number {
    return this.#entries;
  }

  bytes(): Buffer {
    this.#flush();
    return Buffer.concat(this.#parts);
  }

  #flush(): void {
    this.#parts.push(Buffer.from(this.#text));
    this.#text = '';
  }
}
