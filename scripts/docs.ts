import { writeFileSync } from 'node:fs';
import { httpPage } from './docs/http.ts';
import { problemsPage } from './docs/problems.ts';

/** The pages that are made from data, by path. */
export const PAGES: Readonly<Record<string, () => string>> = {
  'docs/http.md': httpPage,
  'docs/problems.md': problemsPage,
};

if (import.meta.main) for (const [path, page] of Object.entries(PAGES)) writeFileSync(path, page());
