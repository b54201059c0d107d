import * as z from 'zod/mini';
import { COMPANY_ID } from '../../contract/credentials.ts';
import { type TaskHandler, type TaskOptions, task } from '../task.ts';
import { type Entry, type ObjectVersion, RunName } from './manifest.ts';
import type { Manifests } from './manifests-in-s3.ts';
import { scanManifest } from './scan-manifest.ts';

const PrepareBulk = z.strictObject({
  companyId: z.string().check(z.regex(COMPANY_ID)),
  /** The input of the execution. */
  object: z.strictObject({
    key: z.string(),
    /** The run's name; the key unless given. */
    run: z.optional(RunName),
    /** Checks every line and creates nothing. */
    validateOnly: z.optional(z.boolean()),
  }),
});

/** The part of a line task's input that all lines of a manifest share. */
export interface PreparedBulk {
  readonly file: ObjectVersion;
  readonly run: string;
  readonly validateOnly: boolean;
  readonly entries: number;
  /** The key of the index. */
  readonly index: string;
}

/**
 * The task that reads a manifest before any of it runs: it finds the entries, counts equal ones, and writes their
 * positions to an index. Line tasks read the same version of the manifest.
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

const HEADER = 'entry,line,offset,bytes,occurrence\n';
const PART_CHARACTERS = 65_536;

/**
 * The positions of a manifest's entries, as CSV for Step Functions. Only these numbers flow through an execution:
 * content would stay in its history, and an entry may be larger than a state.
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
