import * as z from 'zod/mini';
import { id, required } from './fields.ts';
import { strictObject } from './lazy-object.ts';

const count = () => z.nullable(z.int());

/**
 * The schema of the requester of a deletion: an API key, a webhook source or a workflow. It contains the requester's
 * id or name, but no secret, person or address.
 */
export const RequestedBy = strictObject(() => ({
  kind: required(
    z.enum(['key', 'source', 'workflow']),
    'The kind of credentials: an API key, a webhook source, or a Step Functions workflow. A bulk run is a workflow.',
  ),
  id: required(
    z.nullable(z.string()),
    'The id of the API key, the name of the webhook source, or the name of the workflow’s state machine. If Step Functions generated the execution’s name, the id is `<state machine>:<execution>`. Null if the workflow did not send its execution id.',
  ),
}));
export type RequestedBy = z.infer<typeof RequestedBy>;

/** The schema of a deletion receipt: the result of a deletion. */
export const Receipt = strictObject(() => ({
  scope: required(z.enum(['project', 'task']), 'Whether a whole project or one task was deleted.'),
  projectId: required(id(), 'The project’s id.'),
  customId: required(z.nullable(z.string()), 'The project’s custom id; null if it had none.'),
  taskId: required(z.nullable(z.string()), 'The id of the deleted task; null for a whole project.'),
  outcome: required(
    z.enum(['deleted', 'archived', 'pending']),
    'The result. `deleted`: the project or task is gone. `archived`: the upstream service archived the project instead of deleting it. `pending`: the deletion has not finished; poll `GET /operations/{operationId}`.',
  ),
  deletedAtUtc: required(
    z.nullable(z.string()),
    'The time of the deletion in UTC, such as `2026-11-20T09:37:31.439Z`; null if `outcome` is not `deleted`.',
  ),
  removed: required(
    strictObject(() => ({ targetLanguages: count(), segments: count(), tasks: count() })),
    'How many target languages, segments and tasks the deletion removes, counted before it. A count is null if the upstream service did not show what to count.',
  ),
  requestedBy: required(
    RequestedBy,
    'Identifies the API key, webhook source or workflow that was used to request the deletion.',
  ),
  operationId: z.optional(required(z.string(), 'The id of the operation to poll while the deletion is pending.')),
  unrecoverableAfterUtc: z.optional(
    required(
      z.string(),
      'On AWS: until this time, the operator can restore the deleted data by point-in-time recovery. Absent if nobody can restore it.',
    ),
  ),
}));
export type Receipt = z.infer<typeof Receipt>;
