import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { PROBLEM_TYPES } from '../lib/contract/problems.ts';
import { agentsPage } from './docs/agents.ts';
import { alarmsPage } from './docs/alarms.ts';
import { clientPage } from './docs/client.ts';
import { clientRoutes } from './docs/client-routes.ts';
import { clientShapes } from './docs/client-shapes.ts';
import { clientTypes } from './docs/client-types.ts';
import { costPage } from './docs/cost.ts';
import { gatewayFactsPage } from './docs/gateway-facts.ts';
import { answerFieldsPage, httpPage, projectFieldsPage } from './docs/http.ts';
import { loadParts } from './docs/load-costs.ts';
import { openApiText } from './docs/openapi.ts';
import { operationsPage } from './docs/operations.ts';
import { problemsPage, problemTypePage } from './docs/problems.ts';
import { retentionPage } from './docs/retentions.ts';
import { translationsPage } from './docs/translations.ts';
import { workflowsPage } from './docs/workflows.ts';

/** The folder for the pages of problem types. It has no other files. */
export const PROBLEMS_FOLDER = 'docs/problems';

/** Functions that return the generated pages, by the page's path. */
export const PAGES: Readonly<Record<string, () => string>> = {
  'docs/agents.md': agentsPage,
  'docs/alarms.md': alarmsPage,
  'docs/answer-fields.md': answerFieldsPage,
  'docs/client.md': clientPage,
  'docs/cost.md': () => costPage(loadParts()),
  'docs/gateway-facts.md': gatewayFactsPage,
  'docs/http.md': httpPage,
  'docs/operations.md': operationsPage,
  'docs/problems.md': problemsPage,
  'docs/project-fields.md': projectFieldsPage,
  'docs/retention.md': retentionPage,
  'docs/translations.md': translationsPage,
  'docs/workflows.md': workflowsPage,
  'lib/contract/wire-routes.ts': clientRoutes,
  'packages/client/wire-shapes.ts': clientShapes,
  'packages/client/wire-types.ts': clientTypes,
  'lib/contract/openapi.json': openApiText,
  ...Object.fromEntries(PROBLEM_TYPES.map((type) => [`${PROBLEMS_FOLDER}/${type}.md`, () => problemTypePage(type)])),
};

if (import.meta.main) {
  // The folder is emptied to remove pages of problem types that no longer exist.
  rmSync(PROBLEMS_FOLDER, { recursive: true, force: true });
  mkdirSync(PROBLEMS_FOLDER);
  for (const [path, page] of Object.entries(PAGES)) writeFileSync(path, page());
}
