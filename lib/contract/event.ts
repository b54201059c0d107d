import * as z from 'zod/mini';

/** A change of a project, with ids and a time but no content. The `detail` of an event on the bus. */
export const DomainEvent = z.strictObject({
  /** The same in each delivery of an event, so that consumers can drop repetitions. */
  id: z.string(),
  type: z.enum(['project.created', 'project.deleted', 'task.deleted']),
  companyId: z.string(),
  projectId: z.int(),
  /** Only for `task.deleted`. */
  taskId: z.optional(z.string()),
  /** The request that made the change. */
  requestId: z.string(),
  atUtc: z.string(),
});
export type DomainEvent = z.infer<typeof DomainEvent>;
