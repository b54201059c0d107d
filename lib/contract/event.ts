import * as z from 'zod/mini';
import { id, required } from './fields.ts';
import { STATES } from './language-states.ts';
import { strictObject } from './lazy-object.ts';

/** The types of events: the changes of a project that Segue reports. */
export const EVENT_TYPES = [
  'project.created',
  'project.updated',
  'project.deleted',
  'task.deleted',
  'language.state-changed',
  'language.completed',
  'translation.failed',
  'task.assigned',
  'task.unassigned',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The roles of a member to whom work is assigned. */
export const WORK_ROLES = ['translator', 'proofreader', 'inCountryReviewer'] as const;
export type WorkRole = (typeof WORK_ROLES)[number];

const only = <S extends z.core.$ZodType>(schema: S, description: string) => required(z.optional(schema), description);

/** The schema of an event's data: ids, language codes, states and counts. It has no content, names or addresses. */
export const EventData = strictObject(() => ({
  projectId: required(id(), 'The id of the project.'),
  taskId: only(z.string(), 'The id of the task; only for events of a task.'),
  languageId: only(id(), 'The numeric id of the target language; only for events of a language or an assignment.'),
  languageCode: only(z.string(), 'The code of the target language, as the catalogue of languages has it.'),
  state: only(z.enum(STATES), 'The new state of the language; only for `language.state-changed`.'),
  segments: only(z.int(), 'The number of completed segments, or of segments that could not be translated.'),
  kept: only(z.int(), 'The number of segments whose content a put left as it was; only for `project.updated`.'),
  changed: only(z.int(), 'The number of segments that got another content; only for `project.updated`.'),
  added: only(z.int(), 'The number of new segments; only for `project.updated`.'),
  removed: only(z.int(), 'The number of segments that a put removed; only for `project.updated`.'),
  role: only(z.enum(WORK_ROLES), 'The role of the assignee; only for `task.assigned` and `task.unassigned`.'),
  memberId: only(id(), 'The id of the team member to whom the task is assigned; only for `task.assigned`.'),
}));
export type EventData = Readonly<z.infer<typeof EventData>>;

/** The schema of an event, as a partner gets it: in the feed, and as the body of a signed webhook. */
export const PublishedEvent = strictObject(() => ({
  id: required(z.string(), 'The id of the event. It is the same on every redelivery.'),
  type: required(z.enum(EVENT_TYPES), 'The kind of change.'),
  timestamp: required(z.string(), 'When Segue recorded the change, in UTC with milliseconds.'),
  sequence: required(z.int(), 'The number of the event among those of its project: 1, 2, 3 and so on, without gaps.'),
  data: required(EventData, 'The ids, language codes, states and counts of the change.'),
}));
export type PublishedEvent = Readonly<z.infer<typeof PublishedEvent>>;

/**
 * The schema of a change of a project, which is the `detail` of an event on the bus. It has ids and a time, but no
 * content.
 */
export const DomainEvent = strictObject(() => ({
  /** The id of the event. Each delivery of an event has the same id, so that consumers can drop repetitions. */
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  companyId: z.string(),
  projectId: z.int(),
  /** The task of the change; only for events of a task. */
  taskId: z.optional(z.string()),
  /** The id of the request that made the change. */
  requestId: z.string(),
  /** The trace of that request. */
  traceId: z.optional(z.string()),
  /** When Segue recorded the change. */
  atUtc: z.string(),
  /** The number of the event among those of its project. */
  sequence: z.int(),
  /** The same data as in the feed and in webhooks. */
  data: EventData,
}));
export type DomainEvent = Readonly<z.infer<typeof DomainEvent>>;

/** Returns an event as partners get it. */
export function publishedEvent({ id, type, atUtc, sequence, data }: DomainEvent): PublishedEvent {
  return { id, type, timestamp: atUtc, sequence, data };
}
