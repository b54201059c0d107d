import * as z from 'zod/mini';

/**
 * The schema of a change of a project, which is the `detail` of an event on the bus. It has ids and a time, but no
 * content.
 */
export const DomainEvent = z.strictObject({
  /** The id of the event. Each delivery of an event has the same id, so that consumers can drop repetitions. */
  id: z.string(),
  type: z.enum(['project.created', 'project.deleted', 'task.deleted']),
  companyId: z.string(),
  projectId: z.int(),
  /** The deleted task; only for `task.deleted`. */
  taskId: z.optional(z.string()),
  /** The id of the request that made the change. */
  requestId: z.string(),
  /** When Segue recorded the change. */
  atUtc: z.string(),
});
export type DomainEvent = z.infer<typeof DomainEvent>;
