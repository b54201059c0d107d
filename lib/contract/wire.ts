import * as z from 'zod/mini';
import {
  DeliveryAccepted,
  Description,
  HealthAnswer,
  LanguageAnswer,
  OperationAnswer,
  OperationStarted,
  ProblemTypeAnswer,
  PublishedProject as Project,
  PublishedProjectHead as ProjectHead,
  TokenAnswer,
  ValidAnswer,
} from './answers.ts';
import { ProjectRequest } from './project.ts';
import { Receipt } from './receipt.ts';
import type { OperationId } from './routes.ts';
import { RefreshRequest, TokenRequest } from './token.ts';

/** The bodies of an operation in JSON: what it reads, and what it answers by status. */
export interface Bodies {
  readonly request?: z.core.$ZodType;
  /** `null` for an answer without JSON. */
  readonly answers: Readonly<Record<number, z.core.$ZodType | null>>;
}

/**
 * The schemas of the route table. In a file of their own, for descriptions and tests: a function's bundle has only the
 * schemas it uses.
 */
export const WIRE: Readonly<Record<OperationId, Bodies>> = {
  createProject: { request: ProjectRequest, answers: { 201: Project, 200: ValidAnswer, 202: OperationStarted } },
  listProjects: { answers: { 200: z.array(ProjectHead) } },
  getProject: { answers: { 200: Project } },
  getProjectByCustomId: { answers: { 200: Project } },
  deleteProject: { answers: { 204: null, 200: Receipt, 202: Receipt } },
  deleteProjectByCustomId: { answers: { 204: null, 200: Receipt, 202: Receipt } },
  getOperation: { answers: { 200: OperationAnswer } },
  listLanguages: { answers: { 200: z.array(LanguageAnswer) } },
  obtainToken: { request: TokenRequest, answers: { 200: TokenAnswer } },
  refreshToken: { request: RefreshRequest, answers: { 200: TokenAnswer } },
  receiveWebhook: { answers: { 202: DeliveryAccepted } },
  health: { answers: { 200: HealthAnswer } },
  getProblemType: { answers: { 200: ProblemTypeAnswer } },
  getDescription: { answers: { 200: Description } },
  getReference: { answers: { 200: null } },
};
