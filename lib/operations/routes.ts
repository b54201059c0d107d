import type { Route } from '../contract/routes.ts';
import { changeLanguageRoutes } from './change-language.ts';
import { createEventSecretRoute } from './create-event-secret.ts';
import { createProjectRoute } from './create-project.ts';
import { deleteProjectRoutes } from './delete-project.ts';
import { getDescriptionRoute } from './get-description.ts';
import { getOperationRoute } from './get-operation.ts';
import { getProblemTypeRoute } from './get-problem-type.ts';
import { getProgressRoutes } from './get-progress.ts';
import { getProjectRoutes } from './get-project.ts';
import { getReferenceRoute } from './get-reference.ts';
import { getReferenceFileRoute } from './get-reference-file.ts';
import { getSecurityTextRoute } from './get-security-text.ts';
import { getSegmentsRoutes } from './get-segments.ts';
import { healthRoute } from './health.ts';
import { listEventsRoute } from './list-events.ts';
import { listLanguagesRoute } from './list-languages.ts';
import { listProblemTypesRoute } from './list-problem-types.ts';
import { listProjectsRoute } from './list-projects.ts';
import { obtainOAuthTokenRoute } from './obtain-oauth-token.ts';
import { obtainTokenRoute } from './obtain-token.ts';
import { planDeletionRoutes } from './plan-deletion.ts';
import { receiveWebhookRoute } from './receive-webhook.ts';
import { refreshTokenRoute } from './refresh-token.ts';
import { writeTranslationsRoutes } from './write-translations.ts';

/** The routes of all operations of the public API, in the order of the reference. */
export const ROUTES = [
  createProjectRoute,
  listProjectsRoute,
  ...getProjectRoutes,
  ...getSegmentsRoutes,
  ...getProgressRoutes,
  ...planDeletionRoutes,
  ...deleteProjectRoutes,
  ...writeTranslationsRoutes,
  ...changeLanguageRoutes,
  getOperationRoute,
  listEventsRoute,
  createEventSecretRoute,
  listLanguagesRoute,
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
] as const satisfies readonly Route[];

export type OperationId = (typeof ROUTES)[number]['id'];
