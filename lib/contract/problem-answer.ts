import * as z from 'zod/mini';
import { required } from './fields.ts';
import { OUTCOMES } from './problems.ts';

const only = <S extends z.core.$ZodType>(schema: S, description: string) => required(z.optional(schema), description);

/** One thing that is wrong with a request, as a problem lists it. */
export const FaultAnswer = z.strictObject({
  pointer: required(z.string(), 'JSON pointer (RFC 6901) into the body, or `/query/<name>`, or `/headers/<name>`.'),
  code: required(z.string(), 'Stable and made for programs.'),
  detail: required(z.string(), 'For people: what is wrong, and what would be right.'),
  allowed: only(z.array(z.union([z.string(), z.number()])), 'The values that would be right, or the nearest ones.'),
});

/** A problem as an answer has it; `ProblemBody` for those who only read. */
export const ProblemAnswer = z.strictObject({
  type: required(z.string(), 'The URI of the problem’s page, which ends with its name.'),
  title: required(z.string(), 'What happened, in short.'),
  status: required(z.int(), 'The status it is answered with.'),
  detail: required(z.string(), 'For people: what happened this time.'),
  instance: required(z.string(), 'The request id.'),
  errors: only(z.array(FaultAnswer), 'Every fault that was found at once, the first 100.'),
  retryable: required(z.boolean(), 'Whether the very same request may succeed later.'),
  retryAfterSeconds: only(z.int(), 'When, where it may.'),
  deletedAtUtc: only(z.string(), 'Of a project that is gone: when it was deleted.'),
  operationId: only(z.string(), 'Of an outcome that is not known yet: the operation to ask.'),
  outcome: required(z.enum(OUTCOMES), 'What became of the request.'),
});
