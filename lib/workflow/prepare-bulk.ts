import * as z from 'zod/mini';
import { COMPANY_ID } from '../contract/company-id.ts';
import { scan } from './bulk/entries.ts';
import { FileIndex } from './bulk/file-index.ts';
import { type ObjectVersion, RunName } from './bulk/manifest.ts';
import type { Manifests } from './bulk/s3.ts';
import { type TaskHandler, type TaskOptions, task } from './task.ts';

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

/** What every line of a manifest needs. */
export interface Prepared {
  readonly file: ObjectVersion;
  readonly run: string;
  readonly validateOnly: boolean;
  readonly entries: number;
  /** The key of the index. */
  readonly index: string;
}

/**
 * The task that reads a manifest before any of it is run: it finds the entries, counts equal ones, and holds later
 * readers to the same version of the object.
 */
export function prepareBulkTask(manifests: Manifests, options: TaskOptions): TaskHandler<Prepared> {
  return task(
    'prepareBulk',
    PrepareBulk,
    async ({ companyId, object: { key, run = key, validateOnly = false } }) => {
      const file = await manifests.look(companyId, key);
      const index = new FileIndex();
      const sha256 = await scan(manifests.open(companyId, file), (entry) => index.add(entry));
      const kept = await manifests.keepIndex(companyId, sha256, index.bytes());
      return { file, run, validateOnly, entries: index.entries, index: kept };
    },
    options,
  );
}
