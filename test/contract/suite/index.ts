import { describe } from 'vitest';
import { Api, type Target } from '../api.ts';
import { atOnce } from './at-once.ts';
import { authentication } from './authentication.ts';
import { bodies } from './bodies.ts';
import { changingLanguages } from './changing-languages.ts';
import { creatingOnce } from './creating-once.ts';
import { customIds } from './custom-ids.ts';
import { deletedSince } from './deleted-since.ts';
import { deleting } from './deleting.ts';
import { deletionPlans } from './deletion-plans.ts';
import { description } from './description.ts';
import { endpoints } from './endpoints.ts';
import { errors } from './errors.ts';
import { fields } from './fields.ts';
import { fieldsByTable } from './fields-by-table.ts';
import { freeKeys } from './free-keys.ts';
import { idempotencyKeys } from './idempotency-keys.ts';
import { languages } from './languages.ts';
import { limits } from './limits.ts';
import { listFilters } from './list-filters.ts';
import { listing } from './listing.ts';
import { lookups } from './lookups.ts';
import { managedProjects } from './managed-projects.ts';
import { notWaitedFor } from './not-waited-for.ts';
import { oauth } from './oauth.ts';
import { operations } from './operations.ts';
import { orderOfChecks } from './order-of-checks.ts';
import { problemPages } from './problem-pages.ts';
import { projectResponse } from './project-response.ts';
import { realProjects } from './real-projects.ts';
import { refreshing } from './refreshing.ts';
import { replayedCreates } from './replayed-creates.ts';
import { replayedDeletes } from './replayed-deletes.ts';
import { results } from './results.ts';
import { reusedKeys } from './reused-keys.ts';
import { sizes } from './sizes.ts';
import { states } from './states.ts';
import { tasks } from './tasks.ts';
import { teams } from './teams.ts';
import { tombstones } from './tombstones.ts';
import { writingTranslations } from './writing-translations.ts';

/** The parts of the suite, in the order of the documents. */
const PARTS = [
  fieldsByTable,
  projectResponse,
  states,
  endpoints,
  authentication,
  refreshing,
  oauth,
  errors,
  problemPages,
  operations,
  description,
  listing,
  listFilters,
  results,
  lookups,
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
  deletionPlans,
  creatingOnce,
  idempotencyKeys,
  replayedCreates,
  replayedDeletes,
  reusedKeys,
  deletedSince,
  freeKeys,
  atOnce,
  notWaitedFor,
  tombstones,
  writingTranslations,
  changingLanguages,
  managedProjects,
  realProjects,
];

/** The parts about commands. They hold at every door that takes commands. */
const OF_COMMANDS = [fieldsByTable, bodies, fields, languages, teams, customIds, tasks, deleting, realProjects];

/** The parts about what the store keeps, and in which order it lists it. */
const OF_STORES = [
  authentication,
  refreshing,
  oauth,
  operations,
  listing,
  listFilters,
  results,
  customIds,
  tasks,
  deleting,
  deletionPlans,
  creatingOnce,
  replayedCreates,
  replayedDeletes,
  reusedKeys,
  deletedSince,
  freeKeys,
  tombstones,
  writingTranslations,
  changingLanguages,
  managedProjects,
  realProjects,
];

/** The time limit of a test on a busy machine, in milliseconds. Most tests take a few milliseconds. */
const TIMEOUT_MS = 60_000;

/** Defines the tests of the contract for one target. Groups are named after the headings of the documents. */
export function contract(target: Target): void {
  define(new Api(target), PARTS);
}

/** Defines the tests of commands for a door other than HTTP. */
export function contractOfCommands(api: Api): void {
  define(api, OF_COMMANDS);
}

/** Defines the tests of what a store keeps, for a service whose other parts pass the whole contract elsewhere. */
export function contractOfStores(target: Target): void {
  define(new Api(target), OF_STORES);
}

function define(api: Api, parts: readonly ((api: Api) => void)[]): void {
  describe(api.target.name, { timeout: TIMEOUT_MS }, () => {
    for (const part of parts) part(api);
  });
}
