import * as z from 'zod/mini';
import { rule, text } from '../contract/fields.ts';
import { parseJson } from '../contract/json.ts';
import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import type { Deadline } from '../service/deadline.ts';
import type { TaskOptions } from './task-handler.ts';

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const isBucket = rule<string>('not-allowed', 'This field must be the name of an S3 bucket.', (name) =>
  BUCKET.test(name),
);
const notEmpty = rule<string>('empty', 'The text must not be empty.', (value) => value.length > 0);

/** The length limit of a key and of a version id, in characters. S3 limits keys to 1,024 bytes. */
const MAX_KEY_CHARACTERS = 1_024;

/**
 * The schema of a reference to an object that contains a project. A reference keeps the project itself out of the
 * execution's history, which Step Functions keeps for 90 days.
 */
export const ProjectReference = z.strictObject({
  bucket: z.string().check(isBucket),
  key: text(MAX_KEY_CHARACTERS).check(notEmpty),
  /** The version of the object; the latest unless given. */
  versionId: z.optional(text(MAX_KEY_CHARACTERS).check(notEmpty)),
});
export type ProjectReference = z.infer<typeof ProjectReference>;

/**
 * Reads a whole object.
 * @throws {Problem} `invalid-parameter` if the object does not exist or Segue has no permission to read it
 * @throws {Problem} `too-large` if the object has more than `LIMITS.bodyBytes`; `unavailable`
 */
export type ReadObject = (reference: ProjectReference, deadline: Deadline) => Promise<Uint8Array>;

/** The options of a task that gets a project. */
export interface ProjectTaskOptions extends TaskOptions {
  /** Reads the object that `projectFrom` names. Without this function, the task refuses `projectFrom`. */
  readonly readObject?: ReadObject;
}

/** The fields of a task's command that contain a project, or refer to it. */
export const PROJECT_INPUT = {
  project: z.optional(z.unknown()),
  projectFrom: z.optional(ProjectReference),
} as const;

/** The rule that a command has exactly one of the two. */
export const PROJECT_INPUT_RULE = rule<object>(
  'required',
  'Give either project or projectFrom, but not both. projectFrom names the S3 object that contains the project.',
  (command) => 'project' in command !== 'projectFrom' in command,
  ['project'],
);

/** Returns the project of a command, unchecked. @throws {Problem} those of `ReadObject`; `malformed-json` */
export async function projectOf(
  { project, projectFrom }: z.infer<z.ZodMiniObject<typeof PROJECT_INPUT>>,
  { readObject = refuseReference }: ProjectTaskOptions,
  deadline: Deadline,
): Promise<unknown> {
  return projectFrom ? parseJson(await readObject(projectFrom, deadline)) : project;
}

async function refuseReference(): Promise<never> {
  throw objectProblems.notReadable();
}

/** The problems of reading an object. A bucket and a local folder give the same problems. */
export const objectProblems = {
  /** The object is missing or forbidden. S3 tells the two apart only if the caller may list the bucket. */
  notReadable: (cause?: unknown) =>
    new Problem(
      'invalid-parameter',
      {
        detail: 'The object in projectFrom does not exist, or Segue has no permission to read it. Segue did nothing.',
        errors: [
          {
            pointer: '/projectFrom',
            code: 'not-allowed',
            detail: 'Name an existing object in a bucket that Segue has permission to read.',
          },
        ],
      },
      { cause },
    ),

  tooLarge: () =>
    new Problem('too-large', { detail: `The object in projectFrom has more than ${LIMITS.bodyBytes} bytes.` }),

  unavailable: (cause: unknown) =>
    new Problem(
      'unavailable',
      { detail: 'The object in projectFrom cannot be read at the moment.', retryAfterSeconds: 5 },
      { cause },
    ),
};
