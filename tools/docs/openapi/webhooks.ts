import { EVENT_TYPES, EventData, type EventType, PublishedEvent } from '../../../lib/contract/event.ts';
import { event } from '../../../lib/operations/docs/examples.ts';
import { schemaOf } from './schemas.ts';

const { projectId, languageId, languageCode } = event.data;
const task = { taskId: 'front-page' };
const language = { languageId, languageCode };

/** A summary and example data of each type of event. Every field of the data is always present. */
const EVENTS: Readonly<Record<EventType, { readonly summary: string; readonly data: Omit<EventData, 'projectId'> }>> = {
  'project.created': { summary: 'A project was created', data: {} },
  'project.updated': {
    summary: 'A put changed a project',
    data: { kept: 41, changed: 1, added: 2, removed: 0 },
  },
  'project.deleted': { summary: 'A project was deleted', data: {} },
  'task.deleted': { summary: 'A task of a project was deleted', data: task },
  'language.state-changed': { summary: 'The state of a language changed', data: { ...language, state: 'InProgress' } },
  'language.completed': { summary: 'Every segment of a language is final', data: { ...language, segments: 1 } },
  'translation.failed': { summary: 'Automatic translation of a language failed', data: { ...language, segments: 1 } },
  'task.assigned': {
    summary: 'A task in a language got an assignee',
    data: { ...task, ...language, role: 'translator', memberId: 1 },
  },
  'task.unassigned': {
    summary: 'A task in a language has nobody to work on it',
    data: { ...task, ...language, role: 'translator' },
  },
};

const HEADERS = [
  {
    name: 'webhook-id',
    description: 'The id of the event. It is the same on every redelivery, so store it and ignore repetitions.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$', maxLength: 64 },
    example: event.id,
  },
  {
    name: 'webhook-timestamp',
    description: 'When Segue sent this attempt, in seconds since 1970.',
    schema: { type: 'string', pattern: '^[0-9]{1,16}$', maxLength: 16 },
    example: '1795167482',
  },
  {
    name: 'webhook-signature',
    description: 'The signatures of Standard Webhooks, separated by spaces. One of them matches your secret.',
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/=]+(?: v1,[A-Za-z0-9+/=]+)*$', maxLength: 256 },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
].map((header) => ({ ...header, in: 'header', required: true }));

const DESCRIPTION =
  'Segue sends this request to the `eventUrl` of the project. Verify the signature with a library of Standard Webhooks and the secret of `createEventSecret`, and answer within 10 seconds.';

const RESPONSES = {
  '2XX': { description: 'You have received the event.' },
  '410': { description: 'You do not want this event. Segue does not send it again.' },
  default: { description: 'Segue tries again for 3 days, with growing pauses, and honours `Retry-After`.' },
};

/** Returns the webhooks of the API description: the signed request that reports each type of event. */
export function webhooks() {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: webhookOf(type) }]));
}

function webhookOf(type: EventType) {
  const { summary, data } = EVENTS[type];
  return {
    operationId: type.replaceAll(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: ['Events'],
    summary,
    description: DESCRIPTION,
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            allOf: [schemaOf(PublishedEvent)],
            properties: {
              type: { const: type },
              data: { allOf: [schemaOf(EventData)], required: ['projectId', ...Object.keys(data)] },
            },
          },
          example: { ...event, type, data: { projectId, ...data } },
        },
      },
    },
    responses: RESPONSES,
  };
}
