import { describe } from 'vitest';
import { Api, type Target } from '../api.ts';
import { authentication } from './authentication.ts';
import { bodies } from './bodies.ts';
import { creatingOnce } from './creating-once.ts';
import { customIds } from './custom-ids.ts';
import { deleting } from './deleting.ts';
import { description } from './description.ts';
import { endpoints } from './endpoints.ts';
import { errors } from './errors.ts';
import { fields } from './fields.ts';
import { fieldsByTable } from './fields-by-table.ts';
import { atOnce } from './hosted/at-once.ts';
import { deletedSince } from './hosted/deleted-since.ts';
import { freeKeys } from './hosted/free-keys.ts';
import { idempotencyKeys } from './hosted/idempotency-keys.ts';
import { notWaitedFor } from './hosted/not-waited-for.ts';
import { replayedCreates } from './hosted/replayed-creates.ts';
import { replayedDeletes } from './hosted/replayed-deletes.ts';
import { reusedKeys } from './hosted/reused-keys.ts';
import { tombstones } from './hosted/tombstones.ts';
import { languages } from './languages.ts';
import { limits } from './limits.ts';
import { listing } from './listing.ts';
import { operations } from './operations.ts';
import { orderOfChecks } from './order-of-checks.ts';
import { problemPages } from './problem-pages.ts';
import { projectResponse } from './project-response.ts';
import { realProjects } from './real-projects.ts';
import { refreshing } from './refreshing.ts';
import { sizes } from './sizes.ts';
import { states } from './states.ts';
import { tasks } from './tasks.ts';
import { teams } from './teams.ts';

/** In the order of the documents. */
const PARTS = [
  fieldsByTable,
  projectResponse,
  states,
  endpoints,
  authentication,
  refreshing,
  errors,
  problemPages,
  operations,
  description,
  listing,
  orderOfChecks,
  bodies,
  fields,
  languages,
  teams,
  customIds,
  tasks,
  limits,
  sizes,
  deleting,
  creatingOnce,
  realProjects,
];

/** What the hosted service alone keeps so far: the rules of idempotency keys and tombstones. */
const HOSTED_PARTS = [
  idempotencyKeys,
  replayedCreates,
  replayedDeletes,
  reusedKeys,
  deletedSince,
  freeKeys,
  atOnce,
  notWaitedFor,
  tombstones,
];

/** How long a test may take on a busy machine; most take a few milliseconds. */
const TIMEOUT_MS = 60_000;

/**
 * Defines the contract as tests of one target. Groups are named after the headings of the documents.
 * @param service what stands behind the target: an upstream is not yet asked for what `later.ts` names
 */
export function contract(target: Target, service: 'hosted' | 'any' = 'any'): void {
  describe(target.name, { timeout: TIMEOUT_MS }, () => {
    const api = new Api(target);
    for (const part of service === 'hosted' ? [...PARTS, ...HOSTED_PARTS] : PARTS) part(api);
  });
}
