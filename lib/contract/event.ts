import * as z from 'zod/mini';

/** What happened to a project: ids and a moment, nothing that it holds. It is the `detail` of an event on the bus. */
export const DomainEvent = z.strictObject({
  /** Of this event and no other: what comes twice with one id happened once. */
  id: z.string(),
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
