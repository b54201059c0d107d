import * as z from 'zod/mini';

/** What happened to a project: ids and a moment, nothing that it holds. */
export const DomainEvent = z.strictObject({
  type: z.enum(['project.created', 'project.deleted', 'task.deleted']),
  companyId: z.string(),
  projectId: z.int(),
  /** Of a task. */
  taskId: z.optional(z.string()),
  /** The request that did it. */
  requestId: z.string(),
  atUtc: z.string(),
});
export type DomainEvent = z.infer<typeof DomainEvent>;
