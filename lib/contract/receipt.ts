import * as z from 'zod/mini';
import { id, required } from './fields.ts';

/** What a deletion did. */
export const Receipt = z.strictObject({
  scope: required(z.enum(['project', 'task']), 'What was to be deleted.'),
  projectId: required(id(), 'The project’s id.'),
  customId: required(z.nullable(z.string()), 'The project’s custom id; null where it had none.'),
  taskId: required(z.nullable(z.string()), 'The deleted task; null where the whole project was deleted.'),
  outcome: required(z.literal('deleted'), 'What became of it.'),
  deletedAtUtc: required(z.string(), 'When, with milliseconds and Z.'),
  removed: required(
    z.strictObject({ targetLanguages: z.int(), segments: z.int(), tasks: z.int() }),
    'How many target languages, segments and tasks went with it.',
  ),
  unrecoverableAfterUtc: z.optional(
    required(
      z.string(),
      'On AWS: until then its operator could bring it back by point-in-time recovery; absent without it.',
    ),
  ),
});
export type Receipt = z.infer<typeof Receipt>;
