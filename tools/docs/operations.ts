import { queryText, SAVED_QUERIES } from '../../infra/monitoring/saved-queries.ts';
import { fill } from './fill.ts';

/** Returns the page `docs/operations.md`. */
export function operationsPage(): string {
  const queries = SAVED_QUERIES.map(
    (query) => `**${query.name}**: ${query.question}\n\n\`\`\`\n${queryText(query)}\n\`\`\``,
  );
  return fill('docs/operations.md', { queries: queries.join('\n\n') });
}
