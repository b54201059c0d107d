import * as z from 'zod/mini';
import { id, required } from './fields.ts';

const count = () => z.nullable(z.int());

/** The schema of the credentials that requested a deletion. It contains no person and no address. */
export const RequestedBy = z.strictObject({
  kind: required(
    z.enum(['key', 'source', 'workflow']),
    'An API key, a webhook source, or a workflow of Step Functions; a bulk run is a workflow too.',
  ),
  id: required(
    z.nullable(z.string()),
    'The key’s id, the source’s name, or the state machine’s name, with the execution’s id if Step Functions chose it; null if the workflow does not say.',
  ),
});
export type RequestedBy = z.infer<typeof RequestedBy>;

/** The schema of a deletion receipt: the result of a deletion. */
export const Receipt = z.strictObject({
  scope: required(z.enum(['project', 'task']), 'The target of the deletion.'),
  projectId: required(id(), 'The project’s id.'),
  customId: required(z.nullable(z.string()), 'The project’s custom id; null if it had none.'),
  taskId: required(z.nullable(z.string()), 'The deleted task; null for a whole project.'),
  outcome: required(
    z.enum(['deleted', 'archived', 'pending']),
    'The result. An upstream service may archive the project instead, or the deletion may be pending: then poll `operationId`.',
  ),
  deletedAtUtc: required(z.nullable(z.string()), 'When it was deleted, with milliseconds and Z; null otherwise.'),
  removed: required(
    z.strictObject({ targetLanguages: count(), segments: count(), tasks: count() }),
    'The number of deleted target languages, segments and tasks; null if the upstream service does not show them.',
  ),
  requestedBy: required(RequestedBy, 'The credentials that requested the deletion.'),
  operationId: z.optional(required(z.string(), 'The operation to poll while the deletion is pending.')),
  unrecoverableAfterUtc: z.optional(
    required(
      z.string(),
      'On AWS: until then the operator can restore it by point-in-time recovery; absent without this.',
    ),
  ),
});
export type Receipt = z.infer<typeof Receipt>;
