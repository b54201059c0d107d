import { LIMITS } from '../../contract/limits.ts';
import { Problem } from '../../contract/problem.ts';

/** The failures of reading an object, in the same words wherever it is. */
export const failures = {
  /** There is none, or it may not be read: to whoever may not list a bucket S3 says the same of both. */
  noObject: (cause?: unknown) =>
    new Problem(
      'invalid-parameter',
      {
        detail: 'The object that projectFrom names is not there, or the task may not read it. Nothing was done.',
        errors: [
          {
            pointer: '/projectFrom',
            code: 'not-allowed',
            detail: 'Name an object that is there, in a bucket that the task may read.',
          },
        ],
      },
      { cause },
    ),

  tooLarge: () => new Problem('too-large', { detail: `The object has more than ${LIMITS.bodyBytes} bytes.` }),

  unavailable: (cause: unknown) =>
    new Problem('unavailable', { detail: 'The object cannot be read now.', retryAfterSeconds: 5 }, { cause }),
};
