import * as z from 'zod/mini';
import type { ByteRange, ManifestFile } from '../../../lib/workflow/bulk/manifest.ts';
import { TaskFailure, type TaskHandler } from '../../../lib/workflow/task-handler.ts';
import { contextOf } from '../http/fixture.ts';
import { NOW_MS } from '../support.ts';

/** The options of a task for which every company exists. */
export const options = { now: () => NOW_MS, log: () => {}, requireCompany: async () => undefined };

const Fault = z.looseObject({ pointer: z.string(), code: z.string() });
const Cause = z.looseObject({
  detail: z.string(),
  operationId: z.optional(z.string()),
  errors: z.optional(z.array(Fault)),
});

/** Returns the faults of a problem, such as `/name required`. */
export const faultsIn = ({ errors = [] }: z.infer<typeof Cause>) =>
  errors.map(({ pointer, code }) => `${pointer} ${code}`);

/**
 * Runs a task that fails.
 * @returns the failure's name, its cause as a value, and the faults in it
 */
export async function failureOf(handler: TaskHandler<unknown>, input: unknown) {
  const failure: unknown = await handler(input, contextOf()).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof TaskFailure)) throw new Error(`The task did not fail as it should: ${failure}`);
  const cause = Cause.parse(JSON.parse(failure.message));
  return { name: failure.name, message: failure.message, cause, faults: faultsIn(cause) };
}

/**
 * Returns a manifest in memory.
 * @param chunkBytes the number of bytes that are read at once
 */
export function fileOf(content: string | Uint8Array, chunkBytes = 7): ManifestFile {
  const bytes = Buffer.from(content);
  return {
    async *chunks() {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    },
    read: async ({ offset, bytes: length }: ByteRange) => bytes.subarray(offset, offset + length),
  };
}
