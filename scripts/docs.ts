import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { PROBLEM_TYPES } from '../lib/contract/problems.ts';
import { costPage } from './docs/cost.ts';
import { gatewayFactsPage } from './docs/gateway-facts.ts';
import { httpPage } from './docs/http.ts';
import { openApiText } from './docs/openapi.ts';
import { problemsPage, problemTypePage } from './docs/problems.ts';
import { retentionPage } from './docs/retentions.ts';
import { workflowsPage } from './docs/workflows.ts';

/** The folder of the pages of the problem types, and of nothing else. */
export const PROBLEMS_FOLDER = 'docs/problems';

/** The pages that are made from data, by path. */
export const PAGES: Readonly<Record<string, () => string>> = {
  'docs/cost.md': costPage,
  'docs/gateway-facts.md': gatewayFactsPage,
  'docs/http.md': httpPage,
  'docs/problems.md': problemsPage,
  'docs/retention.md': retentionPage,
  'docs/workflows.md': workflowsPage,
  'lib/contract/openapi.json': openApiText,
  ...Object.fromEntries(PROBLEM_TYPES.map((type) => [`${PROBLEMS_FOLDER}/${type}.md`, () => problemTypePage(type)])),
};

if (import.meta.main) {
  // Removes the pages of types that no longer exist.
  rmSync(PROBLEMS_FOLDER, { recursive: true, force: true });
  mkdirSync(PROBLEMS_FOLDER);
  for (const [path, page] of Object.entries(PAGES)) writeFileSync(path, page());
}
