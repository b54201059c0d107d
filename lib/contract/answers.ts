import * as z from 'zod/mini';
import { id, required } from './fields.ts';
import { OAUTH_ERROR_CODES } from './oauth.ts';
import { OUTCOMES } from './problems.ts';

/** Describes a field of an answer that may be absent. */
export const only = <S extends z.core.$ZodType>(schema: S, description: string) =>
  required(z.optional(schema), description);

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

/** The schema of a price. */
export const Cost = z.strictObject({
  amount: required(z.number(), 'The amount, in units of the currency.'),
  currency: required(z.string(), 'The currency as in ISO 4217, such as `EUR`.'),
});

/** The schema of what the engine translates of a project. */
export const QuotedTranslation = z.strictObject({
  engine: required(z.string(), 'The name of the engine, as in the settings.'),
  characters: required(
    z.int(),
    'The number of characters that the engine translates now: those of the contents, in each language with automatic translation that is not in preparation. The engine may get fewer: Segue sends no tags, and some repeated sentences only once.',
  ),
  cost: required(z.nullable(Cost), 'What these characters cost. Null if the operator has set no price.'),
});

/** The schema of what a project asks for. */
export const Quote = z.strictObject({
  words: required(
    z.int(),
    'The number of words in the contents of all segments, by the rules of the source language, without tags and placeholders.',
  ),
  characters: required(z.int(), 'The number of Unicode code points in the contents of all segments.'),
  repeats: required(z.int(), 'The number of segments whose content an earlier segment of the project has too.'),
  automaticTranslation: required(
    z.nullable(QuotedTranslation),
    'The automatic translation. Null if Segue has no engine: the operator has set none, or another service does the work.',
  ),
});
export type Quote = z.infer<typeof Quote>;

/** The answer to a valid project with `validateOnly=true`: Segue has checked the project and not created it. */
export const ValidAnswer = z.strictObject({
  valid: required(z.literal(true), 'Always true. For an invalid project, Segue answers with a problem instead.'),
  segments: required(z.int(), 'The number of segments of the project.'),
  targetLanguages: required(z.int(), 'The number of target languages of the project.'),
  characters: required(z.int(), 'The number of Unicode code points in the contents of all segments.'),
  quote: required(Quote, 'What the project asks for.'),
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

/** The answer to a message with which a sender only tests the URL. */
export const UrlTested = z.strictObject({
  /** The text of the message that the sender expects in the answer. */
  challenge: z.optional(z.string()),
});
export type UrlTested = z.infer<typeof UrlTested>;

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
