import type { JsonClient } from '../../../lib/aws/json-client.ts';
import { RETENTIONS, retentionMsOf } from '../../../lib/contract/retentions.ts';
import type { ListedObject } from '../../../lib/storage/dynamodb/objects.ts';
import { type FoundTable, findTable, type StackTable } from '../../../lib/storage/dynamodb/table-settings.ts';
import type { ListedStore, Storage } from '../../../lib/storage/port.ts';
import { CliError } from '../io.ts';
import { type ContentCheck, checkContent, sweepLater } from './content.ts';
import { type RestoredCredentials, restoreCredentials } from './credentials.ts';
import { type Deletion, deletionsIn } from './deletions.ts';
import { nameOf, type ProjectOfCompany, repeatEach, restoreProjects } from './projects.ts';
import { hostedRepeater, type Repeater, upstreamRepeater } from './repeat-deletions.ts';
import { type RestoredTable, settle } from './tables.ts';

/** The parts of a stack that a restore needs. */
export interface RestoredStack {
  readonly call: JsonClient;
  /** The names of the tables that the stack uses now. */
  readonly tables: Readonly<Record<Exclude<StackTable, 'deliveriesTable'>, string>>;
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
  /** The restored main table. Default: the table that the stack uses, whose settings stay as they are. */
  readonly table?: string | undefined;
  /** The lost table. Default: the table that the stack uses, if it is not the restored one. */
  readonly from?: string | undefined;
  /** Events of the bus since the time of the restored table, as JSON Lines. */
  readonly events?: string | undefined;
  /** The restored table of credentials. Default: the table that the stack uses, whose settings stay as they are. */
  readonly credentialsTable?: string | undefined;
  /** The lost table of credentials. Default: the table that the stack uses, if it is not the restored one. */
  readonly credentialsFrom?: string | undefined;
  /** Whether nothing was lost: the restored tables are copies of the lost ones in their last state. */
  readonly isComplete: boolean;
  /** A new table of deliveries. */
  readonly deliveriesTable?: string | undefined;
  /** For how many days the restored tables can be recovered. Default: as the lost ones, or 7. */
  readonly recoveryDays?: number | undefined;
  /** Whether to change nothing. */
  readonly isDryRun: boolean;
  /** Called when another step begins. */
  readonly say: (text: string) => void;
}

/** The result of a restore, or in a dry run what it would be. */
export interface Restored extends ContentCheck, Omit<RestoredCredentials, 'companyIds'> {
  /** The restored tables. */
  readonly tables: Readonly<Partial<Record<StackTable, RestoredTable>>>;
  /** The deletions that were repeated. */
  readonly deletedAgain: readonly Omit<Deletion, 'requestId' | 'requestedBy'>[];
  /** Projects that only the lost table has. */
  readonly lostProjects: readonly ProjectOfCompany[];
  /** Companies that were not in the usage plan of the API. */
  readonly addedToUsagePlan: readonly string[];
}

const DEFAULT_RECOVERY_DAYS = 7;

/**
 * Prepares restored tables for a stack: gives them the settings that a restored table lacks, repeats the deletions and
 * revocations that they do not know of, and compares the main table with the bucket. Each step can be repeated.
 * @throws {CliError} if a table does not exist, or if nobody knows what was deleted
 */
export async function restore(stack: RestoredStack, request: RestoreRequest): Promise<Restored> {
  const { storeIn, now } = stack;
  const { isDryRun, say, table: name = stack.tables.table } = request;
  const lost = await lostTable(stack, request, name);
  const credentials = await credentialsOf(stack, request);
  say('Reading the settings of the tables');
  const recoveryDays = request.recoveryDays ?? (lost ?? credentials.lost)?.recoveryDays ?? DEFAULT_RECOVERY_DAYS;
  const tables = await settleAll(stack, request, recoveryDays);
  const restoredToUtc = tables.table?.restoredToUtc;
  if (lost && restoredToUtc !== undefined && Date.parse(restoredToUtc) < now() - retentionMsOf('tombstone')) {
    throw new CliError(
      `${name} is of more than ${RETENTIONS.tombstone.days} days ago, so the first deletions since then are no longer known: restore a later time`,
    );
  }
  say('Reading companies and keys');
  const { companyIds, ...keys } = await restoreCredentials(credentials, { isDryRun, now });
  const addedToUsagePlan = await stack.addToUsagePlan(companyIds.restored, isDryRun);
  const content = await contentOf(stack, name, request);
  const lostContent = new Set(content.withoutContent.map(nameOf));
  const repeat = repeatEach(repeaterOf(stack, name), {
    isDryRun,
    // A task cannot be deleted from a project without content. The whole project is reported instead.
    isPossible: (deletion) => deletion.taskId === undefined || !lostContent.has(nameOf(deletion)),
  });
  const deletedAgain: Deletion[] = [];
  const lostProjects: ProjectOfCompany[] = [];
  for (const companyId of lost ? companyIds.all : []) {
    say(`Comparing the projects of ${companyId}`);
    const stores = { lost: storeIn(lost?.name ?? name), restored: storeIn(name) };
    const changes = await restoreProjects(companyId, stores, { repeat, isDryRun });
    deletedAgain.push(...changes.repeated);
    lostProjects.push(...changes.lostProjects);
  }
  if (request.events !== undefined) deletedAgain.push(...(await repeat(deletionsIn(request.events))));
  const isDeleted = new Set(deletedAgain.filter(({ taskId }) => taskId === undefined).map(nameOf));
  return {
    tables,
    ...keys,
    addedToUsagePlan,
    deletedAgain: deletedAgain.map(({ requestId: _, requestedBy: __, ...deleted }) => deleted),
    lostProjects,
    ...content,
    withoutContent: content.withoutContent.filter((project) => !isDeleted.has(nameOf(project))),
  };
}

/** The table from which another one was restored. */
interface LostTable extends FoundTable {
  readonly name: string;
}

/**
 * Finds the table from which the restored one was made.
 * @throws {CliError} if it no longer exists, and nothing else tells what was deleted meanwhile
 */
async function lostTable(
  { call, tables }: RestoredStack,
  { from, events, isComplete }: RestoreRequest,
  restored: string,
): Promise<LostTable | undefined> {
  const name = from ?? tables.table;
  if (name === restored || isComplete) return undefined;
  const found = await findTable(call, name);
  if (found) return { ...found, name };
  if (events !== undefined && from === undefined) return undefined;
  throw new CliError(
    `the table ${name} does not exist, so nobody knows which projects were deleted meanwhile: give --events with the events of the bus since then, or --complete if ${restored} has the last state of the table, as from the backup of a deleted table`,
  );
}

/**
 * Finds the table of credentials, and the one from which it was restored, if it still exists.
 * @throws {CliError} if the table of credentials does not exist, or that of `credentialsFrom`
 */
async function credentialsOf(
  { call, tables, storeIn }: RestoredStack,
  { credentialsTable = tables.credentialsTable, credentialsFrom, isComplete }: RestoreRequest,
) {
  if (!(await findTable(call, credentialsTable))) {
    throw new CliError(
      `the table of credentials ${credentialsTable} does not exist in this region: restore it too, and give its name with --credentials-table`,
    );
  }
  const name = credentialsFrom ?? tables.credentialsTable;
  const isSame = name === credentialsTable || isComplete;
  const lost = isSame ? undefined : await findTable(call, name);
  if (!isSame && !lost && credentialsFrom !== undefined) {
    throw new CliError(`the table ${name} does not exist in this region: check its name, and AWS_REGION`);
  }
  return {
    restored: storeIn(credentialsTable),
    lost: lost && { store: storeIn(name), recoveryDays: lost.recoveryDays },
    isUnchecked: !isSame && !lost,
  };
}

/** Gives each table that the request names its settings. Those of the stack's own tables belong to the stack. */
async function settleAll(
  { call, sleep }: RestoredStack,
  { table, credentialsTable, deliveriesTable, isDryRun }: RestoreRequest,
  recoveryDays: number,
): Promise<Restored['tables']> {
  const settled = (kind: StackTable, name: string) => settle(kind, name, { call, sleep, recoveryDays, isDryRun });
  return {
    ...(table !== undefined && { table: await settled('table', table) }),
    ...(credentialsTable !== undefined && { credentialsTable: await settled('credentialsTable', credentialsTable) }),
    ...(deliveriesTable !== undefined && { deliveriesTable: await settled('deliveriesTable', deliveriesTable) }),
  };
}

function repeaterOf({ storeIn, hosted, ...options }: RestoredStack, table: string): Repeater {
  return hosted ? hostedRepeater(hosted.storageIn(table), options) : upstreamRepeater(storeIn(table), options);
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
