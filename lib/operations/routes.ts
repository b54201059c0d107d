import { lazy } from '../contract/lazy.ts';
import type { Route } from '../contract/routes.ts';
import type { OperationHandler, OperationOptions } from '../http/operation.ts';
import type { ProjectReads, TranslationChanges } from '../service/port.ts';
import { changeLanguage, changeLanguageDocs, changeLanguageRoutes } from './change-language.ts';
import { createEventSecretDocs, createEventSecretRoute } from './create-event-secret.ts';
import { createProject, createProjectDocs, createProjectRoute } from './create-project.ts';
import { deleteProject, deleteProjectDocs, deleteProjectRoutes } from './delete-project.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
import { getDailyLimits, getDailyLimitsDocs, getDailyLimitsRoute } from './get-daily-limits.ts';
import { getDescriptionDocs, getDescriptionRoute } from './get-description.ts';
import { getOperation, getOperationDocs, getOperationRoute } from './get-operation.ts';
import { getProblemTypeDocs, getProblemTypeRoute } from './get-problem-type.ts';
import { getProgress, getProgressDocs, getProgressRoutes } from './get-progress.ts';
import { getProject, getProjectDocs, getProjectRoutes } from './get-project.ts';
import { getReferenceDocs, getReferenceRoute } from './get-reference.ts';
import { getReferenceFileDocs, getReferenceFileRoute } from './get-reference-file.ts';
import { getSecurityTextDocs, getSecurityTextRoute } from './get-security-text.ts';
import { getSegments, getSegmentsDocs, getSegmentsRoutes } from './get-segments.ts';
import { healthDocs, healthRoute } from './health.ts';
import { listEventsDocs, listEventsRoute } from './list-events.ts';
import { listLanguagesDocs, listLanguagesRoute } from './list-languages.ts';
import { listProblemTypesDocs, listProblemTypesRoute } from './list-problem-types.ts';
import { listProjects, listProjectsDocs, listProjectsRoute } from './list-projects.ts';
import { lookUp, lookUpDocs, lookUpRoutes } from './look-up.ts';
import { obtainOAuthToken, obtainOAuthTokenDocs, obtainOAuthTokenRoute } from './obtain-oauth-token.ts';
import { obtainToken, obtainTokenDocs, obtainTokenRoute } from './obtain-token.ts';
import { planDeletion, planDeletionDocs, planDeletionRoutes } from './plan-deletion.ts';
import { putProject, putProjectDocs, putProjectRoutes } from './put-project.ts';
import { receiveWebhookDocs, receiveWebhookRoute } from './receive-webhook.ts';
import { refreshToken, refreshTokenDocs, refreshTokenRoute } from './refresh-token.ts';
import { writeTranslations, writeTranslationsDocs, writeTranslationsRoutes } from './write-translations.ts';

/** The routes of all operations of the public API, in the order of the reference. */
export const ROUTES = /* @__PURE__ */ inOrder([
  createProjectRoute,
  listProjectsRoute,
  getProjectRoutes,
  getSegmentsRoutes,
  getProgressRoutes,
  putProjectRoutes,
  planDeletionRoutes,
  deleteProjectRoutes,
  writeTranslationsRoutes,
  changeLanguageRoutes,
  getOperationRoute,
  getDailyLimitsRoute,
  listEventsRoute,
  createEventSecretRoute,
  listLanguagesRoute,
  lookUpRoutes,
  obtainTokenRoute,
  refreshTokenRoute,
  obtainOAuthTokenRoute,
  receiveWebhookRoute,
  healthRoute,
  listProblemTypesRoute,
  getProblemTypeRoute,
  getDescriptionRoute,
  getReferenceRoute,
  getReferenceFileRoute,
  getSecurityTextRoute,
]);

/** Returns the routes of operations in one list. A bundle whose code does not use the list has none of it. */
function inOrder<const Given extends Route | readonly Route[]>(
  operations: readonly Given[],
): readonly (Given extends readonly (infer One)[] ? One : Given)[];
function inOrder(operations: readonly (Route | readonly Route[])[]): readonly Route[] {
  return operations.flat();
}

/** Makes the handlers of an operation on projects, one for each of its routes. */
type On<Service> = (service: Service, options: OperationOptions) => OperationHandler | readonly OperationHandler[];

// The operations of each function. The file of the function imports its list alone, so that its bundle holds no others.

export const changeProjects = [createProject, putProject, deleteProject];
export const changeTranslations: readonly On<TranslationChanges>[] = [writeTranslations, changeLanguage];
export const readProjects: readonly On<ProjectReads>[] = [
  listProjects,
  getProject,
  getSegments,
  getProgress,
  planDeletion,
  getOperation,
  getDailyLimits,
  lookUp,
];
export const tokens = [obtainToken, obtainOAuthToken, refreshToken];

export type OperationId = (typeof ROUTES)[number]['id'];

/** An operation. Both routes of an operation on one project have one function for their documentation. */
type DocumentedId = Exclude<OperationId, `${string}ByCustomId`>;

const DOCS: Readonly<Record<Exclude<DocumentedId, 'getOperation'>, (id: string) => OperationDocs>> = {
  createProject: createProjectDocs,
  listProjects: listProjectsDocs,
  getProject: getProjectDocs,
  getSegments: getSegmentsDocs,
  getProgress: getProgressDocs,
  putProject: putProjectDocs,
  planDeletion: planDeletionDocs,
  deleteProject: deleteProjectDocs,
  writeTranslations: writeTranslationsDocs,
  changeLanguage: changeLanguageDocs,
  getDailyLimits: getDailyLimitsDocs,
  listEvents: listEventsDocs,
  createEventSecret: createEventSecretDocs,
  listLanguages: listLanguagesDocs,
  lookUpDomains: lookUpDocs,
  lookUpUsers: lookUpDocs,
  lookUpCollaborators: lookUpDocs,
  lookUpStyleGuides: lookUpDocs,
  obtainToken: obtainTokenDocs,
  refreshToken: refreshTokenDocs,
  obtainOAuthToken: obtainOAuthTokenDocs,
  receiveWebhook: receiveWebhookDocs,
  health: healthDocs,
  listProblemTypes: listProblemTypesDocs,
  getProblemType: getProblemTypeDocs,
  getDescription: getDescriptionDocs,
  getReference: getReferenceDocs,
  getReferenceFile: getReferenceFileDocs,
  getSecurityText: getSecurityTextDocs,
};

const operationDocs = /* @__PURE__ */ lazy(() =>
  getOperationDocs(Object.assign({}, ...Object.entries(DOCS).map(([id, docs]) => docs(id).result))),
);

/** Returns the documentation of an operation. No function of Lambda calls this, so no bundle has it. */
export function docsOf(id: OperationId): OperationDocs {
  if (id === 'getOperation') return operationDocs();
  const [, docs] = Object.entries(DOCS).find(([documented]) => id.replace(/ByCustomId$/, '') === documented) ?? [];
  if (!docs) throw new RangeError(`The operation ${id} has no documentation`);
  return docs(id);
}
