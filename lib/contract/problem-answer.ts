import * as z from 'zod/mini';
import { required } from './fields.ts';
import { OUTCOMES } from './problems.ts';

const only = <S extends z.core.$ZodType>(schema: S, description: string) => required(z.optional(schema), description);

/** One fault in the `errors` of a problem. */
export const FaultAnswer = z.strictObject({
  pointer: required(z.string(), 'JSON pointer (RFC 6901) into the body, or `/query/<name>`, or `/headers/<name>`.'),
  code: required(z.string(), 'Stable, for programs.'),
  detail: required(z.string(), 'For people: what is wrong and what is expected.'),
  allowed: only(z.array(z.union([z.string(), z.number()])), 'The accepted values, or the nearest ones.'),
});

/** The schema of a problem's body; `ProblemBody` is its read-only type. */
export const ProblemAnswer = z.strictObject({
  type: required(z.string(), 'The URI of the problem’s page. It ends with the problem type.'),
  title: required(z.string(), 'A short summary.'),
  status: required(z.int(), 'The HTTP status.'),
  detail: required(z.string(), 'For people: what happened.'),
  instance: required(z.string(), 'The request id.'),
  errors: only(z.array(FaultAnswer), 'The first 100 faults of the request.'),
  retryable: required(z.boolean(), 'Whether the same request may succeed later.'),
  retryAfterSeconds: only(z.int(), 'How long to wait before a retry, in seconds.'),
  deletedAtUtc: only(z.string(), 'When the project was deleted.'),
  operationId: only(z.string(), 'The operation to poll while the outcome is unknown.'),
  outcome: required(z.enum(OUTCOMES), 'Whether the request took effect.'),
});
