import * as z from 'zod/mini';
import { required } from './fields.ts';
import { Receipt } from './receipt.ts';

const { scope, projectId, customId, taskId, removed } = Receipt.shape;

/** The schema of the plan of a deletion: what the deletion would remove now. */
export const DeletionPlan = z.strictObject({
  scope,
  projectId,
  customId,
  taskId,
  removes: removed,
  plan: required(
    z.string(),
    'A token for the header `If-Match` of the deletion, in quotation marks. Segue then deletes only what this plan shows.',
  ),
});
export type DeletionPlan = z.infer<typeof DeletionPlan>;
