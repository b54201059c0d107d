import * as z from 'zod/mini';
import { scan } from '../../bulk/entries.ts';
import { FileIndex } from '../../bulk/file-index.ts';
import { FORMATS, type Format, formatOf, type Manifest, type ObjectVersion } from '../../bulk/manifest.ts';
import type { Manifests } from '../../bulk/s3.ts';
import { COMPANY_ID } from '../../contract/company-id.ts';
import { Problem } from '../../contract/problem.ts';
import { type TaskHandler, type TaskOptions, task } from './task.ts';

const PrepareBulk = z.strictObject({
  companyId: z.string().check(z.regex(COMPANY_ID)),
  /** What the execution was started with. */
  object: z.strictObject({ key: z.string(), format: z.optional(z.enum(FORMATS)) }),
});

/** What the lines of a manifest are carried out with. */
export interface Prepared {
  readonly file: ObjectVersion;
  readonly manifest: Manifest;
  readonly entries: number;
  /** The key of where they are. */
  readonly index: string;
}

/**
 * The task that reads a manifest before anything of it is carried out: tells it from every other one, finds its entries,
 * and holds those who read them later to the very same object.
 */
export function prepareBulkTask(manifests: Manifests, options: TaskOptions): TaskHandler<Prepared> {
  return task(
    'prepareBulk',
    PrepareBulk,
    async ({ companyId, object: { key, format } }) => {
      const file = await manifests.look(companyId, key);
      const index = new FileIndex();
      const opened = manifests.open(companyId, file);
      const manifest = await scan(opened, format ?? requireFormat(key), (entry) => index.add(entry));
      const kept = await manifests.keepIndex(companyId, manifest, index.bytes());
      return { file, manifest, entries: index.entries, index: kept };
    },
    options,
  );
}

function requireFormat(key: string): Format {
  const format = formatOf(key);
  if (format !== undefined) return format;
  const detail = `Say what the manifest is written in: ${FORMATS.join(', ')}.`;
  throw new Problem('invalid-parameter', { detail, errors: [{ pointer: '/format', code: 'required', detail }] });
}
