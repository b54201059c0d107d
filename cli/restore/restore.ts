import type { JsonClient } from '../../lib/aws/json-client.ts';
import { RETENTIONS, retentionMsOf } from '../../lib/contract/retentions.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { companyIdsIn } from '../../lib/credentials/company-record.ts';
import { companyPartition, PROJECT_PREFIX } from '../../lib/idempotency/project-item.ts';
import type { ListedObject } from '../../lib/storage/dynamodb/objects.ts';
import {
  addSettings,
  type FoundTable,
  findTable,
  NEEDED_SETTINGS,
  type StackTable,
  type TableSetting,
} from '../../lib/storage/dynamodb/table-settings.ts';
import { eachItem, type Item, type ListedStore, type Storage } from '../../lib/storage/port.ts';
import { CliError } from '../io.ts';
import { type ContentCheck, checkContent, type ProjectOfCompany, sweepLater } from './content.ts';
import {
  activeKeysIn,
  applyCredentials,
  type CompanyKeyRef,
  type CredentialChanges,
  compareCredentials,
} from './credentials.ts';
import { type Deletion, deletionsIn, deletionsSince } from './deletions.ts';
import { hostedRepeater, type Repeater, upstreamRepeater } from './repeat-deletions.ts';

/** The parts of a stack that a restore needs. */
export interface RestoredStack {
  readonly call: JsonClient;
  /** The names of the tables that the stack uses now. */
  readonly tables: Readonly<Record<StackTable, string>>;
  readonly storeIn: (table: string) => ListedStore;
  /** The store of projects with their content; absent in front of an upstream service. */
  readonly hosted?: {
    readonly storageIn: (table: string) => Storage;
    readonly objects: () => AsyncIterable<ListedObject>;
  };
  /** Adds the companies to the usage plan of the API that are not in it. Returns their ids. */
  readonly addToUsagePlan: (companyIds: readonly string[], isDryRun: boolean) => Promise<readonly string[]>;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly newEventId: () => string;
}

export interface RestoreRequest {
  /** The restored table. Default: the table that the stack uses. */
  readonly table?: string | undefined;
  /** The lost table. Default: the table that the stack uses, if it exists and is not the restored one. */
  readonly from?: string | undefined;
  /** Events of the bus since the time of the restored table, as JSON Lines. */
  readonly events?: string | undefined;
  /** Whether nothing was lost: the restored table is a copy of the lost one in its last state. */
  readonly isComplete: boolean;
  readonly deliveriesTable?: string | undefined;
  /** For how many days the restored table can be recovered. Default: as the lost one, or 7. */
  readonly recoveryDays?: number | undefined;
  /** Whether to change nothing. */
  readonly isDryRun: boolean;
  /** Called when another step begins. */
  readonly say: (text: string) => void;
}

/** A table after a restore. */
export interface RestoredTable {
  readonly name: string;
  /** The time to which it was restored. */
  readonly restoredToUtc?: string;
  /** The settings that it lacked. */
  readonly added: readonly TableSetting[];
  /** The value of the setting that makes a stack use the table; absent in a dry run before the stream exists. */
  readonly setting?: string;
}

/** The result of a restore, or in a dry run what it would be. */
export interface Restored extends ContentCheck, CredentialChanges {
  readonly tables: Readonly<Partial<Record<StackTable, RestoredTable>>>;
  /** The deletions that were repeated. */
  readonly deletedAgain: readonly Omit<Deletion, 'requestId' | 'requestedBy'>[];
  /** Projects that only the lost table has. */
  readonly lostProjects: readonly ProjectOfCompany[];
  /** Companies that were not in the usage plan of the API. */
  readonly addedToUsagePlan: readonly string[];
  /** Active keys of the restored table that may have been revoked meanwhile, because the lost table does not exist. */
  readonly uncheckedKeys: readonly CompanyKeyRef[];
}

const DEFAULT_RECOVERY_DAYS = 7;
const NOTHING: CredentialChanges = { revoked: [], states: [], lostKeys: [] };

/**
 * Prepares a restored table for a stack: gives it the settings that a restored table lacks, repeats the deletions and
 * revocations that it does not know of, and compares it with the bucket. Each step can be repeated.
 * @throws {CliError} if a table does not exist, or if nobody knows what was deleted
 */
export async function restore(stack: RestoredStack, request: RestoreRequest): Promise<Restored> {
  const { storeIn, now, addToUsagePlan } = stack;
  const { isDryRun, say, table: name = stack.tables.table } = request;
  const lost = await lostTable(stack, request, name);
  say('Reading the settings of the tables');
  const recoveryDays = request.recoveryDays ?? lost?.recoveryDays ?? DEFAULT_RECOVERY_DAYS;
  const tables = {
    table: await settle(stack, 'table', name, { recoveryDays, isDryRun }),
    ...(request.deliveriesTable !== undefined && {
      deliveriesTable: await settle(stack, 'deliveriesTable', request.deliveriesTable, { recoveryDays, isDryRun }),
    }),
  };
  const { restoredToUtc } = tables.table;
  if (lost && restoredToUtc !== undefined && Date.parse(restoredToUtc) < now() - retentionMsOf('tombstone')) {
    throw new CliError(
      `${name} is of more than ${RETENTIONS.tombstone.days} days ago, so the first deletions since then are no longer known: restore a later time`,
    );
  }
  const restored = storeIn(name);
  const content = await contentOf(stack, name, request);
  const companyIds = await Array.fromAsync(companyIdsIn(restored));
  const lostContent = new Set(content.withoutContent.map(nameOf));
  // A task cannot be deleted from a project without content. The whole project is reported instead.
  const repeat = (deletions: readonly Deletion[]) => {
    const possible = deletions.filter((each) => each.taskId === undefined || !lostContent.has(nameOf(each)));
    return repeatEach(repeaterOf(stack, name), possible, isDryRun);
  };
  const deletedAgain: Deletion[] = [];
  const lostProjects: ProjectOfCompany[] = [];
  let credentials = NOTHING;
  if (lost) {
    say('Comparing companies and keys');
    const [before, after] = [lost.store, restored].map((store) => companiesIn(store, now));
    if (before && after) {
      credentials = await compareCredentials(before, after);
      if (!isDryRun) await applyCredentials(after, credentials);
    }
    for (const companyId of await Array.fromAsync(companyIdsIn(lost.store))) {
      say(`Comparing the projects of ${companyId}`);
      const { deletions, tombstones } = await deletionsSince(companyId, { lost: lost.store, restored });
      deletedAgain.push(...(await repeat(deletions)));
      if (!isDryRun) await putAll(restored, tombstones);
      lostProjects.push(...(await projectsOnlyIn(lost.store, restored, companyId)));
    }
  }
  if (request.events !== undefined) {
    deletedAgain.push(...(await repeat(deletionsIn(request.events))));
  }
  const isUnchecked = !lost && request.events !== undefined;
  const isDeleted = new Set(deletedAgain.filter(({ taskId }) => taskId === undefined).map(nameOf));
  const addedToUsagePlan = await addToUsagePlan(companyIds, isDryRun);
  return {
    tables,
    uncheckedKeys: isUnchecked ? await activeKeysIn(companiesIn(restored, now)) : [],
    deletedAgain: deletedAgain.map(({ requestId: _, requestedBy: __, ...deleted }) => deleted),
    lostProjects,
    ...credentials,
    addedToUsagePlan,
    ...content,
    withoutContent: content.withoutContent.filter((project) => !isDeleted.has(nameOf(project))),
  };
}

function nameOf({ companyId, projectId }: ProjectOfCompany): string {
  return `${companyId}/${projectId}`;
}

/**
 * Finds the table from which the restored one was made.
 * @throws {CliError} if it no longer exists, and nothing else tells what was deleted meanwhile
 */
async function lostTable(
  { call, tables, storeIn }: RestoredStack,
  { from, events, isComplete }: RestoreRequest,
  restored: string,
): Promise<(FoundTable & { readonly store: ListedStore }) | undefined> {
  const name = from ?? tables.table;
  if (name === restored || isComplete) return undefined;
  const found = await findTable(call, name);
  if (found) return { ...found, store: storeIn(name) };
  if (events !== undefined && from === undefined) return undefined;
  throw new CliError(
    `the table ${name} does not exist, so nobody knows which projects were deleted and which keys were revoked meanwhile: give --events with the events of the bus since then, or --complete if ${restored} has the last state of the table, as from the backup of a deleted table`,
  );
}

async function settle(
  { call, sleep }: RestoredStack,
  kind: StackTable,
  name: string,
  { recoveryDays, isDryRun }: { readonly recoveryDays: number; readonly isDryRun: boolean },
): Promise<RestoredTable> {
  const found = await findTable(call, name);
  if (!found) throw new CliError(`the table ${name} does not exist in this region: check its name, and AWS_REGION`);
  const { settings, restoredToMs } = found;
  const isWanted = (setting: TableSetting) => setting !== 'point-in-time recovery' || recoveryDays > 0;
  const added = NEEDED_SETTINGS[kind].filter((setting) => !settings.includes(setting) && isWanted(setting));
  if (!isDryRun && added.length > 0) await addSettings(call, name, added, { recoveryDays, sleep });
  const { streamLabel } = (isDryRun ? found : await findTable(call, name)) ?? {};
  return {
    name,
    ...(restoredToMs !== undefined && { restoredToUtc: new Date(restoredToMs).toISOString() }),
    added,
    ...(streamLabel !== undefined && { setting: `${name}/stream/${streamLabel}` }),
  };
}

function repeaterOf({ storeIn, hosted, ...options }: RestoredStack, table: string): Repeater {
  return hosted ? hostedRepeater(hosted.storageIn(table), options) : upstreamRepeater(storeIn(table), options);
}

/** Repeats the deletions of what the restored table still has. Returns these deletions. */
async function repeatEach(repeater: Repeater, deletions: readonly Deletion[], isDryRun: boolean): Promise<Deletion[]> {
  const repeated: Deletion[] = [];
  for (const deletion of deletions) {
    if (!(await repeater.isPresent(deletion))) continue;
    if (!isDryRun) await repeater.repeat(deletion);
    repeated.push(deletion);
  }
  return repeated;
}

/** Puts tombstones into the restored table, so that late retries get the time of the first deletion. */
async function putAll(store: ListedStore, tombstones: readonly Item[]): Promise<void> {
  for (const { partition, sort, data, expiresAtMs } of tombstones) {
    const content = { key: { partition, sort }, data, ...(expiresAtMs !== undefined && { expiresAtMs }) };
    await store.commit({ writes: [{ kind: 'put', ...content }] });
  }
}

async function projectsOnlyIn(
  lost: ListedStore,
  restored: ListedStore,
  companyId: string,
): Promise<ProjectOfCompany[]> {
  const sortsIn = (store: ListedStore) =>
    Array.fromAsync(eachItem(store, companyPartition(companyId), PROJECT_PREFIX), ({ sort }) => sort);
  const known = new Set(await sortsIn(restored));
  const missing = (await sortsIn(lost)).filter((sort) => !known.has(sort));
  return missing.map((sort) => ({ companyId, projectId: Number(sort.slice(PROJECT_PREFIX.length)) }));
}

async function contentOf(
  { call, storeIn, hosted, now }: RestoredStack,
  table: string,
  { isDryRun, say }: RestoreRequest,
): Promise<ContentCheck> {
  if (!hosted) return { withoutContent: [], unreferenced: [] };
  say('Comparing the table with the bucket');
  const items = storeIn(table);
  const content = await checkContent({ call, table, items, objects: hosted.objects }, now());
  if (!isDryRun) await sweepLater(items, content.unreferenced, now());
  return content;
}
