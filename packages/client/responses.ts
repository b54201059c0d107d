import type { TransportResponse } from '../../lib/service/http-client/exchange.ts';
import {
  anything,
  boolean,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  openEnum,
  optional,
  string,
} from '../../lib/service/http-client/shapes.ts';
import type { Description, Operation, Project, TargetLanguage } from './types.ts';
import { progressShape, translatedSegmentShape } from './wire-shapes.ts';
import type {
  DeletionPlan,
  EventData,
  EventSecret,
  Health,
  Language,
  ProblemTypeInfo,
  Progress,
  Receipt,
  SegueEvent,
  Tokens,
  Translation,
  ValidProject,
} from './wire-types.ts';

/** Reads an HTML page from a response. Returns `undefined` if the body is incomplete or cannot be decoded. */
export function readPage({ body }: TransportResponse): { readonly page: string } | undefined {
  return typeof body === 'string' ? undefined : { page: new TextDecoder().decode(body) };
}

/** A project. Only the ids are checked, because an upstream service chooses the types of the other fields. */
const project = object<Project>({
  id: integer,
  customId: optional(string),
  targetLanguages: anything,
  segments: anything,
});

/** An event. A later version of Segue may send events of other types, with other data. */
const event = object<SegueEvent>({
  id: string,
  type: openEnum(),
  timestamp: string,
  sequence: integer,
  data: object<EventData>({
    projectId: integer,
    taskId: optional(string),
    languageId: optional(integer),
    languageCode: optional(string),
    state: optional(openEnum()),
    segments: optional(integer),
    role: optional(openEnum()),
    memberId: optional(integer),
  }),
});

/** The progress of a project. At least one of its parts must be there. */
const progress = (value: unknown): value is Progress =>
  progressShape(value) && (value.total ?? value.tasks ?? value.languages ?? undefined) !== undefined;

const removed = object<Receipt['removed']>({
  targetLanguages: nullable(integer),
  segments: nullable(integer),
  tasks: nullable(integer),
});
const scope = oneOf('project', 'task');

const receipt = object<Receipt>({
  scope,
  projectId: integer,
  customId: nullable(string),
  taskId: nullable(string),
  outcome: oneOf('deleted', 'archived', 'pending'),
  deletedAtUtc: nullable(string),
  removed,
  requestedBy: object<Receipt['requestedBy']>({ kind: openEnum(), id: nullable(string) }),
  operationId: optional(string),
  unrecoverableAfterUtc: optional(string),
});

const translations = listOf(
  object<Translation>({
    id: integer,
    segmentId: integer,
    segmentCustomId: nullable(string),
    languageId: integer,
    languageCode: string,
    content: string,
    status: openEnum(),
    version: integer,
  }),
);

const language = object<TargetLanguage>({ state: string });

/** The shapes of the API's response bodies. All fields of a body are kept. */
export const RESPONSES = {
  project,
  projects: listOf(project),
  segments: listOf(translatedSegmentShape),
  events: listOf(event),
  eventSecret: object<EventSecret>({ secret: string, liveSecrets: integer }),
  progress,
  valid: object<ValidProject>({ valid: oneOf(true), segments: integer, targetLanguages: integer, characters: integer }),
  receipt,
  deletionPlan: object<DeletionPlan>({
    scope,
    projectId: integer,
    customId: nullable(string),
    taskId: nullable(string),
    removes: removed,
    plan: string,
  }),
  translations,
  language,
  languages: listOf(object<Language>({ id: integer, langCode: string, descriptiveName: string })),
  tokens: object<Tokens>({ AccessToken: string, RefreshToken: string, expiresIn: integer }),
  health: object<Health>({ status: oneOf('ok') }),
  problemType: object<ProblemTypeInfo>({
    type: string,
    title: string,
    status: integer,
    retryable: boolean,
    outcome: oneOf('not-applied', 'applied', 'unknown'),
    explanation: string,
  }),
  operation: object<Operation>({
    operationId: string,
    status: oneOf('running', 'done', 'failed'),
    project: optional(project),
    receipt: optional(receipt),
    translations: optional(translations),
    language: optional(language),
    problem: anything,
  }),
  description: object<Description>({ openapi: string }),
};

/** The shape of the response to a request that continues in the background. */
export const startedOperation = object<{ readonly operationId: string }>({ operationId: string });
