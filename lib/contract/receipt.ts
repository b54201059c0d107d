import * as z from 'zod/mini';
import { id, required } from './fields.ts';

const count = () => z.nullable(z.int());

/** What asked for a deletion: its credentials, never a person or an address. */
export const RequestedBy = z.strictObject({
  kind: required(
    z.enum(['key', 'source', 'workflow']),
    'An API key, a webhook source, or a workflow of Step Functions; a bulk run is a workflow too.',
  ),
  id: required(
    z.nullable(z.string()),
    'The key’s id, the source’s name, or the state machine’s name with the execution’s id where Step Functions chose it; null where the workflow does not say.',
  ),
});
export type RequestedBy = z.infer<typeof RequestedBy>;

/** What a deletion did. */
export const Receipt = z.strictObject({
  scope: required(z.enum(['project', 'task']), 'What was to be deleted.'),
  projectId: required(id(), 'The project’s id.'),
  customId: required(z.nullable(z.string()), 'The project’s custom id; null where it had none.'),
  taskId: required(z.nullable(z.string()), 'The deleted task; null where the whole project was deleted.'),
  outcome: required(
    z.enum(['deleted', 'archived', 'pending']),
    'What became of it. In front of another service it may be archived there, or pending: `operationId` is to be asked.',
  ),
  deletedAtUtc: required(z.nullable(z.string()), 'When, with milliseconds and Z; null unless it is deleted.'),
  removed: required(
    z.strictObject({ targetLanguages: count(), segments: count(), tasks: count() }),
    'How many target languages, segments and tasks went with it; null if another service does not show them.',
  ),
  requestedBy: required(RequestedBy, 'What asked for the deletion.'),
  operationId: z.optional(required(z.string(), 'The operation to ask, where it is pending.')),
  unrecoverableAfterUtc: z.optional(
    required(
      z.string(),
      'On AWS: until then its operator could bring it back by point-in-time recovery; absent without it.',
    ),
  ),
});
export type Receipt = z.infer<typeof Receipt>;
