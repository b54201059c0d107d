import { companyPartition, PROJECT_PREFIX, projectKey } from '../records/keys.ts';
import { readRecord, recordKey } from '../records/request-record.ts';
import { type Deadline, within } from '../service/deadline.ts';
import type { CallContext } from '../service/port.ts';
import { eachItem, type ListedStore } from '../storage/port.ts';
import { companyOfUpstreamId } from './custom-ids.ts';
import type { UpstreamDeps } from './deps.ts';
import { requireOk } from './failures.ts';
import { readLedgerItem } from './ledger.ts';
import { openOperations, readIntent } from './open-operations.ts';
import { fetchAllProjects, fetchProject } from './upstream-project.ts';

/** A project for which the upstream service and the ledger differ. */
export interface Stray {
  readonly companyId: string;
  /** The id of the project at the upstream service. */
  readonly projectId: number;
}

/** The result of an audit. */
export interface Audited {
  /**
   * How many projects were compared: the projects in the ledger, and the projects at the upstream service whose custom
   * id Segue created.
   */
  readonly checked: number;
  /** Projects at the upstream service whose custom id Segue created, but which no company owns. */
  readonly unowned: readonly Stray[];
  /** Projects that a company owns, but which the upstream service does not have. */
  readonly missing: readonly Stray[];
}

export type AuditOptions = Pick<UpstreamDeps, 'client' | 'storage' | 'customIdPrefix' | 'now'> &
  Pick<Partial<UpstreamDeps>, 'isOwnAccount'>;

/** The company id of requests with the shared account. It contains a space, so that no company has this id. */
const NO_COMPANY = 'no company';
/** The time limit for one request, in milliseconds. */
const EACH_MS = 30_000;
/** The minimum age of a project, in milliseconds. The upstream service may not list a younger project yet. */
const YOUNG_MS = 3_600_000;

/** A project that the audit compares, from the ledger or the upstream service. */
interface ComparedProject extends Stray {
  /** The custom id at the upstream service. */
  readonly name: string;
  /** The company whose own upstream account has the project, or `NO_COMPANY` for the shared account. */
  readonly accountOf: string;
}

/**
 * Compares the projects of the upstream service with the ledger, and changes nothing. At the end it checks each
 * difference again, because projects may be created and deleted during the audit.
 * @param companyIds the companies to compare
 * @throws {Problem} if the service or the ledger cannot be read, or no time is left
 */
export async function audit(
  options: AuditOptions,
  companyIds: readonly string[],
  deadline: Deadline,
): Promise<Audited> {
  const { client, storage, isOwnAccount = async () => false, customIdPrefix, now } = options;
  const withOwnAccount = new Set(await filtered(companyIds, isOwnAccount));
  const callContext = (companyId: string): CallContext => {
    // An audit only reads, so `requestedBy` is never recorded.
    const requestedBy = { kind: 'workflow', id: null } as const;
    return { companyId, requestId: 'audit', requestedBy, deadline: within(EACH_MS, deadline, now) };
  };
  const isThere = async ({ accountOf, projectId, name }: ComparedProject) => {
    const shown = await fetchProject(client, { id: projectId }, callContext(accountOf));
    return shown.kind !== 'absent' && requireOk(shown).project.customId === name;
  };
  const nameOfEntered = async ({ companyId, projectId }: Stray) => {
    const item = await storage.read(projectKey(companyId, projectId));
    return item && readLedgerItem(item).entry.name;
  };

  const listed = new Map<string, string>();
  const marked: ComparedProject[] = [];
  for (const accountOf of [NO_COMPANY, ...withOwnAccount]) {
    for await (const { id, customId } of fetchAllProjects(client, () => callContext(accountOf))) {
      const name = typeof customId === 'string' ? customId : '';
      listed.set(projectKeyOf(accountOf, id), name);
      const companyId = companyOfUpstreamId(customIdPrefix, name);
      if (companyId !== undefined) marked.push({ companyId, projectId: id, name, accountOf });
    }
  }

  const entered = new Map<string, string>();
  const unlisted: ComparedProject[] = [];
  for (const companyId of companyIds) {
    const accountOf = withOwnAccount.has(companyId) ? companyId : NO_COMPANY;
    for await (const item of eachItem(storage, companyPartition(companyId), PROJECT_PREFIX)) {
      const { id, name, enteredAtMs } = readLedgerItem(item).entry;
      entered.set(projectKeyOf(companyId, id), name);
      const isOld = enteredAtMs < now() - YOUNG_MS;
      if (isOld && listed.get(projectKeyOf(accountOf, id)) !== name)
        unlisted.push({ companyId, projectId: id, name, accountOf });
    }
  }

  // In a company's own account, callers choose the custom ids. Such an id may look like that of another company.
  const isOwned = ({ companyId, accountOf, projectId, name }: ComparedProject) =>
    [companyId, accountOf].some((owner) => entered.get(projectKeyOf(owner, projectId)) === name);
  const absent = await filtered(unlisted, async (project) => !(await isThere(project)));
  const open = await openIntents(storage);
  const missing = await filtered(absent, async (project) => {
    const isBeingDeleted = open.deletions.has(projectKeyOf(project.companyId, project.projectId));
    return !isBeingDeleted && (await nameOfEntered(project)) === project.name;
  });
  const unowned = await filtered(marked, async (project) => {
    if (isOwned(project) || open.creations.has(project.name)) return false;
    // Ask the service last, because the owner may have deleted the project in the meantime.
    return (await nameOfEntered(project)) !== project.name && (await isThere(project));
  });
  return { checked: marked.length + entered.size, unowned: unowned.map(strayOf), missing: missing.map(strayOf) };
}

/** Returns the custom ids that open creations may have used, and the projects that open deletions may have deleted. */
async function openIntents(storage: ListedStore): Promise<Record<'creations' | 'deletions', ReadonlySet<string>>> {
  const creations = new Set<string>();
  const deletions = new Set<string>();
  for await (const { companyId, operationId } of openOperations(storage)) {
    const item = await storage.read(recordKey(companyPartition(companyId), operationId));
    const intent = readIntent(item && readRecord(item).record.intent);
    if (intent?.kind === 'create') creations.add(intent.name);
    if (intent?.kind === 'delete') deletions.add(projectKeyOf(companyId, intent.projectId));
  }
  return { creations, deletions };
}

function projectKeyOf(whose: string, projectId: number): string {
  return `${whose}/${projectId}`;
}

function strayOf({ companyId, projectId }: ComparedProject): Stray {
  return { companyId, projectId };
}

/** Returns the entries for which `holds` is true. It checks one entry at a time, to limit the load on the service. */
async function filtered<T>(all: readonly T[], holds: (each: T) => Promise<boolean>): Promise<T[]> {
  const kept: T[] = [];
  for (const each of all) if (await holds(each)) kept.push(each);
  return kept;
}
