import * as z from 'zod/mini';
import { Receipt } from '../contract/receipt.ts';
import {
  HealthAnswer,
  LanguageAnswer,
  ProblemTypeAnswer,
  TokenAnswer,
  ValidAnswer,
} from '../contract/small-answers.ts';
import type { ServiceProject } from '../service/port.ts';
import { parseJson } from '../upstream/json.ts';
import type { Answer } from '../upstream/transport.ts';
import { isGivenProject } from './given-project.ts';

/** Reads the body of a success; `undefined` where it has another shape. */
export function as<T>(schema: z.ZodMiniType<T>): (answer: Answer) => T | undefined {
  return ({ body }) => schema.safeParse(parseJson(body)).data;
}

/** Reads a page. */
export function asPage({ body }: Answer): { readonly page: string } | undefined {
  return typeof body === 'string' ? undefined : { page: Buffer.from(body).toString() };
}

/** A receipt, with fields to come let through, as in all of these: a client outlives many versions of what it asks. */
const OpenReceipt = z.looseObject({
  ...Receipt.shape,
  removed: z.looseObject(Receipt.shape.removed.shape),
  requestedBy: z.looseObject({ kind: z.string(), id: z.nullable(z.string()) }),
});

const Project = z.custom<ServiceProject>(isGivenProject);

/** What became of a creation or deletion. */
const Operation = z.looseObject({
  operationId: z.string(),
  status: z.enum(['running', 'done', 'failed']),
  project: z.optional(Project),
  receipt: z.optional(OpenReceipt),
  problem: z.optional(z.unknown()),
});

/** The answers of the contract. */
export const ANSWERS = {
  project: Project,
  projects: z.array(Project),
  valid: z.looseObject(ValidAnswer.shape),
  receipt: OpenReceipt,
  languages: z.array(z.looseObject(LanguageAnswer.shape)),
  tokens: z.looseObject(TokenAnswer.shape),
  health: z.looseObject(HealthAnswer.shape),
  problemType: z.looseObject(ProblemTypeAnswer.shape),
  operation: Operation,
  description: z.looseObject({ openapi: z.string() }),
};

/** A creation that is not waited for: what is answered in place of its project. */
export const Started = z.object({ operationId: z.string() });
