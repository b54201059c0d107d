import * as z from 'zod/mini';
import { rule, text } from '../contract/fields.ts';
import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import type { Deadline } from '../service/deadline.ts';

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const isBucket = rule<string>('not-allowed', 'This field must be the name of a bucket.', (name) => BUCKET.test(name));
const notEmpty = rule<string>('empty', 'The text must not be empty.', (value) => value.length > 0);

/** S3's limit for keys, in bytes; version ids fit too. */
const MAX_KEY_CHARACTERS = 1_024;

/** Names an object that holds a project. A project in a state itself stays in the execution's history for 90 days. */
export const ProjectReference = z.strictObject({
  bucket: z.string().check(isBucket),
  key: text(MAX_KEY_CHARACTERS).check(notEmpty),
  /** The latest version unless given. */
  versionId: z.optional(text(MAX_KEY_CHARACTERS).check(notEmpty)),
});
export type ProjectReference = z.infer<typeof ProjectReference>;

/**
 * Reads a whole object of at most `LIMITS.bodyBytes`.
 * @throws {Problem} `invalid-parameter` if it does not exist or may not be read; `too-large`; `unavailable`
 */
export type ReadObject = (reference: ProjectReference, deadline: Deadline) => Promise<Uint8Array>;

/** The problems of reading an object, the same for every store. */
export const objectProblems = {
  /** S3 gives the same answer for a missing object and a forbidden one, unless the caller may list the bucket. */
  notReadable: (cause?: unknown) =>
    new Problem(
      'invalid-parameter',
      {
        detail: 'The object in projectFrom does not exist, or the task has no permission to read it. Nothing was done.',
        errors: [
          {
            pointer: '/projectFrom',
            code: 'not-allowed',
            detail: 'Name an existing object in a bucket that the task has permission to read.',
          },
        ],
      },
      { cause },
    ),

  tooLarge: () => new Problem('too-large', { detail: `The object has more than ${LIMITS.bodyBytes} bytes.` }),

  unavailable: (cause: unknown) =>
    new Problem('unavailable', { detail: 'The object cannot be read at the moment.', retryAfterSeconds: 5 }, { cause }),
};
