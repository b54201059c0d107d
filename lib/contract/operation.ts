import * as z from 'zod/mini';
import { required } from './fields.ts';
import { ProblemAnswer } from './problem-answer.ts';
import { PublishedProject } from './published-answer.ts';
import { Receipt } from './receipt.ts';

const operationId = required(z.string(), 'The operation’s id, as the last part of `Location` and a problem have it.');
const status = required(
  z.enum(['running', 'done', 'failed']),
  'What became of the request: it cannot be told yet, it was carried out, or nothing was done.',
);

/** The answer to a creation that is not waited for. */
export const OperationStarted = z.strictObject({ operationId, status });
export type OperationStarted = z.infer<typeof OperationStarted>;

const only = <S extends z.core.$ZodType>(schema: S, description: string) => required(z.optional(schema), description);

/** What became of a creation or deletion. */
export const OperationAnswer = z.strictObject({
  operationId,
  status,
  project: only(PublishedProject, 'Of a creation that is done: the project as it now stands.'),
  receipt: only(Receipt, 'Of a deletion that is done: its receipt.'),
  problem: only(ProblemAnswer, 'Of what failed: why. Of a creation that is done: that its project is gone by now.'),
});
