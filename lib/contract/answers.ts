import * as z from 'zod/mini';
import { WORK_ROLES } from './event.ts';
import { id, required } from './fields.ts';
import { OAUTH_ERROR_CODES } from './oauth.ts';
import { OUTCOMES } from './problems.ts';
import { Receipt } from './receipt.ts';
import { TRANSLATION_STATUSES } from './translation-status.ts';
import { WrittenTranslation } from './translations.ts';

const only = <S extends z.core.$ZodType>(schema: S, description: string) => required(z.optional(schema), description);

/** The schema of one fault in the `errors` of a problem. */
export const FaultAnswer = z.strictObject({
  pointer: required(
    z.string(),
    'Where the fault is: a JSON pointer (RFC 6901) into the body, or `/query/<name>`, or `/headers/<name>`.',
  ),
  code: required(z.string(), 'The kind of fault, for programs. Codes never change.'),
  detail: required(z.string(), 'A text for people: what is wrong, and which values are accepted.'),
  allowed: only(
    z.array(z.union([z.string(), z.number()])),
    'The accepted values, or those nearest to the rejected value.',
  ),
  currentVersion: only(z.int(), 'The current version of the translation, if the request names another.'),
});

/** The schema of the body of an error answer. `ProblemBody` is its read-only type. */
export const ProblemAnswer = z.strictObject({
  type: required(
    z.string(),
    'The URI of the problem’s page. It ends with the name of the problem type, such as `invalid-project`.',
  ),
  title: required(z.string(), 'A short summary of the problem type.'),
  status: required(z.int(), 'The HTTP status.'),
  detail: required(z.string(), 'A text for people: what happened.'),
  instance: required(z.string(), 'The request id.'),
  errors: only(z.array(FaultAnswer), 'The first 100 faults of the request.'),
  retryable: required(z.boolean(), 'Whether the same request may succeed later.'),
  retryAfterSeconds: only(z.int(), 'How long to wait before a retry, in seconds.'),
  deletedAtUtc: only(z.string(), 'When the project was deleted.'),
  operationId: only(z.string(), 'The id of the operation to poll while the outcome is unknown.'),
  outcome: required(z.enum(OUTCOMES), 'Whether the request took effect.'),
});

/** The answer to a valid project with `validateOnly=true`: Segue has checked the project and not created it. */
export const ValidAnswer = z.strictObject({
  valid: required(z.literal(true), 'Always true. For an invalid project, Segue answers with a problem instead.'),
  segments: required(z.int(), 'The number of segments of the project.'),
  targetLanguages: required(z.int(), 'The number of target languages of the project.'),
  characters: required(z.int(), 'The number of Unicode code points in the contents of all segments.'),
});
export type ValidAnswer = z.infer<typeof ValidAnswer>;

/** One entry in the list of languages. */
export const LanguageAnswer = z.strictObject({
  id: required(id(), 'Numeric language id. It never changes.'),
  langCode: required(z.string(), 'Language code.'),
  descriptiveName: required(z.string(), 'English name of the language.'),
});

/** The answer to `POST /events/secret`. */
export const EventSecretAnswer = z.strictObject({
  secret: required(
    z.string(),
    'The new secret, as Standard Webhooks writes it: `whsec_` and 32 bytes in base64. It is shown only once.',
  ),
  liveSecrets: required(z.int(), 'How many secrets sign events from now on: 1 or 2.'),
});
export type EventSecretAnswer = z.infer<typeof EventSecretAnswer>;

/** The answer to a webhook message. */
export const DeliveryAccepted = z.strictObject({
  deliveryId: required(z.string(), 'The id of the message. Every attempt to send the message has the same id.'),
  repeated: required(
    z.optional(z.literal(true)),
    'True if Segue received this message before and does not process it again. Otherwise absent.',
  ),
});
export type DeliveryAccepted = z.infer<typeof DeliveryAccepted>;

/** The answer of `GET /health`. */
export const HealthAnswer = z.strictObject({ status: required(z.literal('ok'), 'Always `ok`: the API answers.') });
export type HealthAnswer = z.infer<typeof HealthAnswer>;

/** The page of a problem type, as JSON. */
export const ProblemTypeAnswer = z.strictObject({
  type: required(z.string(), 'The URI of this page. It is also the `type` of every problem of this kind.'),
  title: required(z.string(), 'A short summary of the problem type.'),
  status: required(z.int(), 'The HTTP status.'),
  retryable: required(z.boolean(), 'Whether the same request may succeed later.'),
  outcome: required(z.enum(OUTCOMES), 'Whether the request took effect.'),
  explanation: required(z.string(), 'When the problem occurs, and what to do. Backticks mark code.'),
});
export type ProblemTypeAnswer = z.infer<typeof ProblemTypeAnswer>;

/** The description of the API in OpenAPI 3.1. */
export const Description = z.looseObject({
  openapi: required(z.string(), 'The version of OpenAPI.'),
  info: required(z.looseObject({ title: z.string(), version: z.string() }), 'The name and version of the API.'),
  servers: required(z.array(z.looseObject({ url: z.string() })), 'The base URL that this request used.'),
  paths: required(z.looseObject({}), 'Every path, with its operations.'),
  components: required(z.looseObject({}), 'The shared parts of the operations.'),
});

/** The answer to a sign-in or refresh: a new pair of tokens. */
export const TokenAnswer = z.strictObject({
  AccessToken: required(z.string(), 'The access token, for `Authorization: Bearer`.'),
  RefreshToken: required(
    z.string(),
    'The refresh token. Exchange it for the next pair of tokens, once and within 24 hours.',
  ),
  expiresIn: required(z.int(), 'The lifetime of the access token, in seconds.'),
});
export type TokenAnswer = z.infer<typeof TokenAnswer>;

/** The answer to `POST /oauth/token` (RFC 6749, section 5.1). */
export const OAuthTokenAnswer = z.strictObject({
  access_token: required(z.string(), 'The access token, for `Authorization: Bearer`.'),
  token_type: required(z.literal('Bearer'), 'Always `Bearer`.'),
  expires_in: required(z.int(), 'The lifetime of the access token, in seconds.'),
  scope: required(z.string(), 'The scopes of the access token, separated by spaces.'),
});
export type OAuthTokenAnswer = z.infer<typeof OAuthTokenAnswer>;

/** The schema of an error answer of `POST /oauth/token`. `OAuthErrorBody` is its read-only type. */
export const OAuthErrorAnswer = z.strictObject({
  error: required(z.enum(OAUTH_ERROR_CODES), 'The kind of error, for programs.'),
  error_description: required(z.string(), 'A text for people: what happened.'),
  error_uri: required(z.string(), 'The URL of a page that explains the error.'),
});

/**
 * Makes the schema of a field whose type the service document fixes. The service may leave the field out, or set it to
 * null.
 */
const typed = <S extends z.core.$ZodType>(schema: S) => z.optional(z.nullable(schema));
const text = typed(z.string());
const flag = typed(z.boolean());
const integer = typed(z.int());
const described = <S extends z.core.$ZodType>(schema: S, description: string) => required(typed(schema), description);
/** Makes the schema of a field for which each service chooses the type and values. */
const open = (description: string, hosted: string) =>
  required(
    z.optional(z.unknown()),
    `${description}. Type and values depend on the service. The hosted service returns ${hosted}.`,
  );

/** A member of a team, in an answer of the hosted service or of an upstream service. */
export const PublishedTeamMember = z.looseObject({
  id: integer,
  name: text,
  username: text,
  phone: text,
  isProjectManager: flag,
  isTranslator: flag,
  isProofreader: flag,
  isInCountryReviewer: flag,
  translationRate: open('Translation rate', 'null'),
  translationProductivity: open('Translation productivity', 'null'),
  proofreadedBy: open(
    'Proofreader reference',
    'the id of the team’s first proofreader on a translator’s entry, or null',
  ),
  proofreadingRate: open('Proofreading rate', 'null'),
  proofreadingProductivity: open('Proofreading productivity', 'null'),
});

/** A target language, in an answer of the hosted service or of an upstream service. */
export const PublishedTargetLanguage = z.looseObject({
  id: open('Identifier of the monolingual (translation) project', 'a positive integer'),
  targetLanguageId: described(z.int(), 'Numeric id of the target language.'),
  targetLanguageCode: text,
  managedProject: flag,
  serviceTranslation: flag,
  serviceProofreading: flag,
  serviceAutomaticTranslation: flag,
  state: open('State', 'InProgress or InPreparation'),
  progress: open('Progress', 'a percentage from 0 to 100'),
  lastKnown: required(
    z.optional(z.unknown()),
    'Only in a list, in front of an upstream service that does not show the present state and progress: an object with the last known `state` and `progress`, and the time `atUtc`.',
  ),
  flag: open('Flag value', 'null'),
  automaticTranslation: open(
    'The automatic translation into this language, if the project asks for it',
    'an object with its `state` (queued, running, done or failed) and its `problem` (why the engine failed or waits, that segments are too complex, or null)',
  ),
  team: typed(z.array(PublishedTeamMember)),
  referenceNumber: text,
  customField1: text,
  customField2: text,
  additionalInfo: text,
  serviceAdaptiveTranslation: flag,
  serviceScoring: flag,
  styleGuideId: integer,
});

/** A segment's note for one language, in an answer of the hosted service or of an upstream service. */
export const PublishedLanguageNote = z.looseObject({
  languageId: integer,
  languageCode: text,
  note: described(z.string(), 'Instruction for that language.'),
});

/** A segment, in an answer of the hosted service or of an upstream service. */
export const PublishedSegment = z.looseObject({
  id: open('Generated segment identifier', 'a positive integer'),
  customId: text,
  content: text,
  notes: text,
  taskId: text,
  languageSpecificNotes: required(
    z.optional(z.union([z.array(PublishedLanguageNote), z.unknown()])),
    'Notes per language. Type and values depend on the service. The hosted service returns a list of objects with `languageId`, `languageCode` and `note`.',
  ),
});

/** A project without its segments, as a list contains it. */
export const PublishedProjectHead = z.looseObject({
  id: required(id(), 'Generated project identifier; the caller keeps it for later calls.'),
  creationDateUtc: described(
    z.string(),
    'Creation date. The hosted service returns it in UTC with milliseconds, such as `2026-11-20T09:37:30.972Z`.',
  ),
  domain: open('Domain of the project', 'null'),
  customId: z.optional(z.string()),
  taskId: text,
  name: text,
  description: text,
  startDateUtc: text,
  endDateUtc: text,
  sourceLanguageId: described(z.int(), 'Numeric id of the source language.'),
  sourceLanguageCode: text,
  targetLanguages: typed(z.array(PublishedTargetLanguage)),
  referenceNumber: text,
  customField1: text,
  customField2: text,
  domainId: integer,
  eventUrl: text,
  processId: integer,
});

/** A project, in an answer of the hosted service or of an upstream service. */
export const PublishedProject = required(
  z.extend(PublishedProjectHead, { segments: typed(z.array(PublishedSegment)) }),
  'With an upstream service, only `id` and `customId` come from Segue’s own records. Segue passes on every other field as the upstream service sends it.',
);
export type PublishedProject = z.infer<typeof PublishedProject>;

/** The translation of a segment into one language, in an answer of the hosted service or of an upstream service. */
export const PublishedTranslation = z.looseObject({
  id: open('Identifier of the translation', 'a positive integer, or null for an untranslated segment'),
  languageId: described(z.int(), 'Numeric id of the target language.'),
  languageCode: described(z.string(), 'Code of the target language.'),
  content: described(z.string(), 'The translation. The hosted service returns null for an untranslated segment.'),
  status: open('Status', TRANSLATION_STATUSES.join(', ').replace(/, (?=\w+$)/, ' or ')),
  version: open('Version of the translation', 'a number that grows with each change, or 0 for an untranslated segment'),
  problem: required(
    z.optional(z.unknown()),
    'Only for an untranslated segment that the engine of the hosted service could not translate: why.',
  ),
});

/** A segment with its translations, in an answer of the hosted service or of an upstream service. */
export const PublishedTranslatedSegment = z.looseObject({
  source: required(typed(PublishedSegment), 'The segment, as the project has it.'),
  translations: required(typed(z.array(PublishedTranslation)), 'The translations, one for each target language.'),
});

export type PublishedTranslatedSegment = z.infer<typeof PublishedTranslatedSegment>;

/** The progress of one language, in an answer of the hosted service or of an upstream service. */
export const PublishedLanguageProgress = z.looseObject({
  languageId: described(z.int(), 'Numeric id of the target language.'),
  languageCode: described(z.string(), 'Code of the target language.'),
  progress: open('Progress', 'the percentage of finished segments'),
});

/** The progress of one task, in an answer of the hosted service or of an upstream service. */
export const PublishedTaskProgress = z.looseObject({
  taskId: text,
  total: open('Progress of the task in all languages', 'a percentage from 0 to 100'),
  targetLanguages: described(z.array(PublishedLanguageProgress), 'The progress of the task in each target language.'),
});

/** A member who works on a task, in an answer of the hosted service or of an upstream service. */
export const PublishedAssignee = z.looseObject({
  taskId: described(z.nullable(z.string()), 'The id of the task; null for the segments without a task.'),
  languageCode: described(z.string(), 'Code of the target language.'),
  role: open('Role', WORK_ROLES.join(', ').replace(/, (?=\w+$)/, ' or ')),
  memberId: described(z.int(), 'The id of the member in the team of the target language.'),
});

/** The progress of a project, in an answer of the hosted service or of an upstream service. */
export const PublishedProgress = z.looseObject({
  total: open('Progress in all languages', 'a percentage from 0 to 100'),
  tasks: described(z.array(PublishedTaskProgress), 'The progress of each task. With `taskId`: only of that task.'),
  languages: described(
    z.array(PublishedLanguageProgress),
    'The progress in each target language. With `taskId`: only of that task.',
  ),
  assignees: described(
    z.array(PublishedAssignee),
    'Who works on the tasks of managed languages. Only the hosted service returns it.',
  ),
});

export type PublishedProgress = z.infer<typeof PublishedProgress>;

const operationId = required(
  z.string(),
  'The operation’s id. It is also the last part of `Location`, and `operationId` in a problem.',
);
const status = required(
  z.enum(['running', 'done', 'failed']),
  'The state of the request. `running`: its outcome is not known yet. `done`: it took effect. `failed`: it had no effect, or its outcome stays unknown.',
);

/** The 202 answer to a creation that still runs, or whose client prefers `respond-async`. */
export const OperationStarted = z.strictObject({ operationId, status });
export type OperationStarted = z.infer<typeof OperationStarted>;

/** The answer of `GET /operations/{id}`: the state of a request. */
export const OperationAnswer = z.strictObject({
  operationId,
  status,
  project: only(PublishedProject, 'After a creation: the project in its current state.'),
  receipt: only(Receipt, 'After a deletion: its receipt.'),
  translations: only(
    z.array(WrittenTranslation),
    'After translations were written: these translations as they now stand.',
  ),
  language: only(PublishedTargetLanguage, 'After a target language was changed: the language in its current state.'),
  problem: only(
    ProblemAnswer,
    'If the request failed: its problem. If the project has been deleted since: the problem `project-deleted`.',
  ),
});
