import * as z from 'zod/mini';
import {
  EventSecretAnswer,
  HealthAnswer,
  LanguageAnswer,
  ProblemTypeAnswer,
  PublishedProgress,
  PublishedProject,
  PublishedTranslatedSegment,
  TokenAnswer,
  ValidAnswer,
} from '../contract/answers.ts';
import { DeletionPlan } from '../contract/deletion-plan.ts';
import type { PublishedEvent } from '../contract/event.ts';
import { Receipt } from '../contract/receipt.ts';
import { WrittenTranslation } from '../contract/translations.ts';
import { parseJson } from '../service/http-client/response-body.ts';
import type { TransportResponse } from '../service/http-client/transport.ts';
import type { ServiceProject } from '../service/project-document.ts';

/** Makes a reader of JSON bodies. The reader returns `undefined` if the body has another shape than the schema. */
export function readAs<T>(schema: z.ZodMiniType<T>): (response: TransportResponse) => T | undefined {
  return ({ body }) => schema.safeParse(parseJson(body)).data;
}

/** Reads an HTML page from a response. Returns `undefined` if the body is incomplete or cannot be decoded. */
export function readPage({ body }: TransportResponse): { readonly page: string } | undefined {
  return typeof body === 'string' ? undefined : { page: Buffer.from(body).toString() };
}

/** The fields that identify a project. */
const ProjectKeys = z.looseObject({ id: z.int(), customId: z.optional(z.string()) });

/** The schema of a project. It checks only the ids, and keeps all fields in the order of the response. */
const Project = z.custom<ServiceProject>((value) => ProjectKeys.safeParse(value).success);

/** A project whose fields all have the types of the API description. */
export type DocumentedProject = PublishedProject;

/** Whether every field of a project has the type of the API description. */
export function hasDocumentedTypes(project: ServiceProject): project is DocumentedProject {
  return PublishedProject.safeParse(project).success;
}

/** A segment with its translations. The client keeps all fields as they are in the response. */
export type TranslatedSegment = PublishedTranslatedSegment;
const TranslatedSegment = z.custom<TranslatedSegment>((value) => PublishedTranslatedSegment.safeParse(value).success);

/** The fields that every event has. A later version of Segue may send events of other types, with other data. */
const EventKeys = z.looseObject({
  id: z.string(),
  type: z.string(),
  timestamp: z.string(),
  sequence: z.int(),
  data: z.looseObject({ projectId: z.int() }),
});
const Event = z.custom<PublishedEvent>((value) => EventKeys.safeParse(value).success);

/** The progress of a project. The client keeps all fields as they are in the response. */
export type Progress = PublishedProgress;
const Progress = z.custom<Progress>((value) => {
  const { data } = PublishedProgress.safeParse(value);
  return (data?.total ?? data?.tasks ?? data?.languages ?? undefined) !== undefined;
});

/** The schema of a receipt. Like the schemas below, it keeps unknown fields, which a newer version of Segue may add. */
const OpenReceipt = z.looseObject({
  ...Receipt.shape,
  removed: z.looseObject(Receipt.shape.removed.shape),
  requestedBy: z.looseObject({ kind: z.string(), id: z.nullable(z.string()) }),
});

const LanguageState = z.looseObject({ state: z.string() });

/** The schema of a target language. It checks only the state, and keeps all fields in the order of the response. */
const TargetLanguage = z.custom<z.infer<typeof LanguageState>>((value) => LanguageState.safeParse(value).success);

const Translations = z.array(z.looseObject({ ...WrittenTranslation.shape, status: z.string() }));

/** The schema of the state of a request. */
const Operation = z.looseObject({
  operationId: z.string(),
  status: z.enum(['running', 'done', 'failed']),
  project: z.optional(Project),
  receipt: z.optional(OpenReceipt),
  translations: z.optional(Translations),
  language: z.optional(TargetLanguage),
  problem: z.optional(z.unknown()),
});

/** The schemas of the API's response bodies. */
export const RESPONSES = {
  project: Project,
  projects: z.array(Project),
  segments: z.array(TranslatedSegment),
  events: z.array(Event),
  eventSecret: z.looseObject(EventSecretAnswer.shape),
  progress: Progress,
  valid: z.looseObject(ValidAnswer.shape),
  receipt: OpenReceipt,
  deletionPlan: z.looseObject(DeletionPlan.shape),
  translations: Translations,
  language: TargetLanguage,
  languages: z.array(z.looseObject(LanguageAnswer.shape)),
  tokens: z.looseObject(TokenAnswer.shape),
  health: z.looseObject(HealthAnswer.shape),
  problemType: z.looseObject(ProblemTypeAnswer.shape),
  operation: Operation,
  description: z.looseObject({ openapi: z.string() }),
};

/** The schema of the response to a request that continues in the background. */
export const StartedOperation = z.object({ operationId: z.string() });
