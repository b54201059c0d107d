import * as z from 'zod/mini';
import { id, required } from './fields.ts';
import { OUTCOMES } from './problems.ts';

/** The answer to a project that was checked and not created. */
export const ValidAnswer = z.strictObject({
  valid: required(z.literal(true), 'A project with faults is answered with its problem instead.'),
  segments: required(z.int(), 'How many segments it has.'),
  targetLanguages: required(z.int(), 'How many target languages it has.'),
  characters: required(z.int(), 'How many Unicode code points its contents have together.'),
});
export type ValidAnswer = z.infer<typeof ValidAnswer>;

/** A language of the catalogue. */
export const LanguageAnswer = z.strictObject({
  id: required(id(), 'Numeric language id, fixed for ever.'),
  langCode: required(z.string(), 'Language code.'),
  descriptiveName: required(z.string(), 'English name.'),
});

/** The answer to a request for tokens. */
export const TokenAnswer = z.strictObject({
  AccessToken: required(z.string(), 'For `Authorization: Bearer`.'),
  RefreshToken: required(z.string(), 'Gets the next pair of tokens, once and within 24 hours.'),
  expiresIn: required(z.int(), 'Seconds until the access token expires.'),
});
export type TokenAnswer = z.infer<typeof TokenAnswer>;

/** The answer to a message of a webhook's source. */
export const DeliveryAccepted = z.strictObject({
  deliveryId: required(z.string(), 'The same for the same message, however often it is sent.'),
  repeated: required(z.optional(z.literal(true)), 'The message has been taken in before, and is not worked on again.'),
});
export type DeliveryAccepted = z.infer<typeof DeliveryAccepted>;

/** The answer of an API that is up. */
export const HealthAnswer = z.strictObject({ status: required(z.literal('ok'), 'The API answers.') });
export type HealthAnswer = z.infer<typeof HealthAnswer>;

/** What is told about a problem type. */
export const ProblemTypeAnswer = z.strictObject({
  type: required(z.string(), 'The URI of this page, as a problem has it.'),
  title: required(z.string(), 'What happened, in short.'),
  status: required(z.int(), 'The status it is answered with.'),
  retryable: required(z.boolean(), 'Whether the very same request may succeed later.'),
  outcome: required(z.enum(OUTCOMES), 'What became of the request.'),
  explanation: required(z.string(), 'When it happens and what to do about it; backticks are around what is code.'),
});
export type ProblemTypeAnswer = z.infer<typeof ProblemTypeAnswer>;
