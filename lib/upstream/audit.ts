import { companyPartition, PROJECT_PREFIX, projectKey } from '../idempotency/project-item.ts';
import { readRecord, recordKey } from '../idempotency/request-record.ts';
import { type Deadline, deadlineAt } from '../service/deadline.ts';
import type { Call } from '../service/port.ts';
import type { ListedStore } from '../storage/port.ts';
import { eachItem } from '../storage/port.ts';
import type { Foundation } from './foundation.ts';
import { creationIn, deletionIn } from './intent.ts';
import { readEntry } from './ledger.ts';
import { companyInName } from './names.ts';
import { openOperations } from './open-operations.ts';
import { projectsAt } from './pages.ts';
import { findProject } from './reading.ts';
import type { UpstreamOptions } from './service.ts';

/** A project that the service and the ledger do not agree about. */
export interface Stray {
  readonly companyId: string;
  /** The project's id at the service. */
  readonly projectId: number;
}

/** What an audit came to. */
export interface Audited {
  /** How many projects were compared: those of the ledger, and those at the service that carry the mark. */
  readonly checked: number;
  /** Projects at the service that carry the mark, and that nobody owns. */
  readonly unowned: readonly Stray[];
  /** Projects that a company owns, and that the service does not have. */
  readonly missing: readonly Stray[];
}

export type AuditOptions = Pick<Foundation, 'client' | 'storage' | 'mark' | 'now'> &
  Pick<UpstreamOptions, 'isOwnAccount'>;

/** No company has this id, since there is a space in it: who asks so, asks with the account that companies share. */
const NOBODY = 'no company';
/** The most that one request may take, in milliseconds. */
const EACH_MS = 30_000;
/** A project that was entered since may not be listed by the service yet, in milliseconds. */
const YOUNG_MS = 3_600_000;

/** A project of one side or the other. */
interface Named extends Stray {
  /** The custom id at the service. */
  readonly name: string;
  /** With whose account it is at the service. */
  readonly asker: string;
}

/**
 * Compares what the service has with what companies own, and changes nothing. A project is reported only where both
 * sides were the same before and after: what is looked at first on one side is looked at again in the end.
 * @param companyIds whose projects are looked for
 * @throws {Problem} where one side cannot be asked, or there is no time left
 */
export async function audit(
  options: AuditOptions,
  companyIds: readonly string[],
  deadline: Deadline,
): Promise<Audited> {
  const { client, storage, isOwnAccount = async () => false, mark, now } = options;
  const apart = new Set(await filtered(companyIds, isOwnAccount));
  const callOf = (companyId: string): Call => {
    const eachMs = Math.min(EACH_MS, deadline.remainingMs());
    // An audit only reads, so nothing records this.
    const requestedBy = { kind: 'workflow', id: null } as const;
    return { companyId, requestId: 'audit', requestedBy, deadline: deadlineAt(now() + eachMs, now) };
  };
  const isThere = async ({ asker, projectId, name }: Named) =>
    (await findProject(client, { id: projectId }, callOf(asker)))?.customId === name;
  const nameOfEntered = async ({ companyId, projectId }: Stray) => {
    const item = await storage.read(projectKey(companyId, projectId));
    return item && readEntry(item).entry.name;
  };

  const listed = new Map<string, string>();
  const marked: Named[] = [];
  for (const asker of [NOBODY, ...apart]) {
    for await (const { id, customId } of projectsAt(client, () => callOf(asker))) {
      const name = typeof customId === 'string' ? customId : '';
      listed.set(placeOf(asker, id), name);
      const companyId = companyInName(mark, name);
      if (companyId !== undefined) marked.push({ companyId, projectId: id, name, asker });
    }
  }

  const entered = new Map<string, string>();
  const unlisted: Named[] = [];
  for (const companyId of companyIds) {
    const asker = apart.has(companyId) ? companyId : NOBODY;
    for await (const item of eachItem(storage, companyPartition(companyId), PROJECT_PREFIX)) {
      const { id, name, enteredAtMs } = readEntry(item).entry;
      entered.set(placeOf(companyId, id), name);
      const isOld = enteredAtMs < now() - YOUNG_MS;
      if (isOld && listed.get(placeOf(asker, id)) !== name) unlisted.push({ companyId, projectId: id, name, asker });
    }
  }

  // In an account of its own a company's custom ids are as it wrote them, and may look like another's.
  const isOwned = ({ companyId, asker, projectId, name }: Named) =>
    [companyId, asker].some((owner) => entered.get(placeOf(owner, projectId)) === name);
  const absent = await filtered(unlisted, async (project) => !(await isThere(project)));
  const open = await openIntents(storage);
  const missing = await filtered(absent, async (project) => {
    const isBeingDeleted = open.deletions.has(placeOf(project.companyId, project.projectId));
    return !isBeingDeleted && (await nameOfEntered(project)) === project.name;
  });
  const unowned = await filtered(marked, async (project) => {
    if (isOwned(project) || open.creations.has(project.name)) return false;
    // The service last: an owner may have come and deleted it meanwhile.
    return (await nameOfEntered(project)) !== project.name && (await isThere(project));
  });
  return { checked: marked.length + entered.size, unowned: unowned.map(strayOf), missing: missing.map(strayOf) };
}

/** What operations mean to do whose end is not known: the custom ids they may adopt, and what they may delete. */
async function openIntents(storage: ListedStore): Promise<Record<'creations' | 'deletions', ReadonlySet<string>>> {
  const creations = new Set<string>();
  const deletions = new Set<string>();
  for await (const { companyId, operationId } of openOperations(storage)) {
    const item = await storage.read(recordKey(companyPartition(companyId), operationId));
    const intent = item && readRecord(item).record.intent;
    const creation = creationIn(intent);
    const deletion = deletionIn(intent);
    if (creation) creations.add(creation.name);
    if (deletion) deletions.add(placeOf(companyId, deletion.projectId));
  }
  return { creations, deletions };
}

function placeOf(whose: string, projectId: number): string {
  return `${whose}/${projectId}`;
}

function strayOf({ companyId, projectId }: Named): Stray {
  return { companyId, projectId };
}

/** One after the other: nobody waits, and the service has others to serve. */
async function filtered<T>(all: readonly T[], holds: (each: T) => Promise<boolean>): Promise<T[]> {
  const kept: T[] = [];
  for (const each of all) if (await holds(each)) kept.push(each);
  return kept;
}
