import { instantAt, instantOf } from '../contract/date.ts';
import type { Problem } from '../contract/problem.ts';
import { OutcomeLost, OutcomeOpen } from '../idempotency/run-idempotent.ts';
import { deletionTime } from '../records/tombstones.ts';
import type { CallContext } from '../service/port.ts';
import { hasContentOf } from './content-digests.ts';
import { pollBackoff, type UpstreamDeps } from './deps.ts';
import { unknownOutcome } from './failures.ts';
import { ifReadable } from './ledger.ts';
import type { CreateIntent } from './open-operations.ts';
import { fetchProject, type UpstreamProject } from './upstream-project.ts';

/**
 * Looks up the project of a creation by its custom id, until the project is found or can no longer appear.
 * @param unknown the problem to throw if the deadline passes before the result is certain
 * @param isTaken whether the service refused the creation because a project has the custom id already
 * @returns `undefined` if no project was created
 * @throws {OutcomeOpen} if it is not certain yet whether a project was created
 * @throws {OutcomeLost} if the creation can no longer take effect, and a project with different content has the custom
 *   id
 */
export async function findCreated(
  deps: UpstreamDeps,
  intent: CreateIntent,
  call: CallContext,
  unknown: Problem,
  isTaken = false,
): Promise<UpstreamProject | undefined> {
  const { pause } = pollBackoff(deps, call.deadline);
  for (;;) {
    const requestedAtMs = deps.now();
    const found = await lookUp(deps, intent, call);
    if (typeof found === 'object') return found;
    const isTheirs = found === 'older' || (found === 'different' && intent.startDateUtc !== undefined);
    if (isTaken && isTheirs) return undefined;
    if (found !== 'no-answer' && requestedAtMs >= intent.settledAfterMs) {
      if (found === 'different') throw new OutcomeLost(differentContent(unknown));
      return undefined;
    }
    if (deps.looksOnce || !(await pause())) throw new OutcomeOpen(unknown, intent);
  }
}

/** Looks up the custom id of a creation once. Returns the created project, or why it was not found. */
async function lookUp(
  deps: UpstreamDeps,
  intent: CreateIntent,
  call: CallContext,
): Promise<UpstreamProject | 'older' | 'different' | 'nothing' | 'no-answer'> {
  const found = await fetchProject(deps.client, { customId: intent.name }, call);
  switch (found.kind) {
    case 'absent':
      return 'nothing';
    case 'refused':
    case 'busy':
    case 'lost':
    case 'unreadable':
      return 'no-answer';
  }
  const { project } = found;
  const isDeleted = await wasDeleted(deps, call, project);
  if (isDeleted === undefined) return 'no-answer';
  // A service may show a deleted project for a while.
  if (isDeleted) return 'nothing';
  const created = creationMoment(project);
  const isOlder = created !== undefined && created < instantAt(intent.sinceMs - CLOCK_DIFFERENCE_MS);
  if (isOlder) return 'older';
  return isSent(intent, project) ? project : 'different';
}

/**
 * Creates the problem for a project that has the custom id, but different content. Another client may have created the
 * project, or changed it after Segue created it. Or the service accepts a custom id twice, and shows only the other
 * project.
 */
function differentContent({ occurrence }: Problem): Problem {
  const detail =
    'The upstream service has a project with this custom id, but with different content. Segue cannot tell whether this request created it.';
  return unknownOutcome(occurrence, undefined, detail);
}

/**
 * Checks whether a project is the sent one. A custom id that Segue created proves it. Otherwise the content is
 * compared.
 */
function isSent({ content, startDateUtc }: CreateIntent, found: UpstreamProject): boolean {
  if (!content) return true;
  return (
    hasContentOf(content, found) && (startDateUtc === undefined || isSameMoment(found['startDateUtc'], startDateUtc))
  );
}

/** How far the clocks of the service and of Segue may differ, in milliseconds. */
const CLOCK_DIFFERENCE_MS = 300_000;
/**
 * The earliest creation date that counts, in nanoseconds since 1970. Earlier dates are default values,
 * such as the year 1.
 */
const EARLIEST = instantAt(Date.UTC(2000));
const WITH_OFFSET = /(?:Z|[+-]\d\d:\d\d)$/i;

/**
 * Checks whether the response to a creation shows a project that was deleted before: a proxy may repeat an old
 * response. A project that was created after this creation began cannot be in an old response, so the store is not
 * read.
 * @param sinceMs when the creation began, in milliseconds since 1970
 */
export async function isStaleResponse(
  deps: UpstreamDeps,
  sinceMs: number,
  call: CallContext,
  created: UpstreamProject,
): Promise<boolean> {
  const moment = creationMoment(created);
  if (moment !== undefined && moment >= instantAt(sinceMs)) return false;
  // If the tombstone cannot be read, treat the response as stale; the lookup decides.
  return (await wasDeleted(deps, call, created)) ?? true;
}

/**
 * Returns when a project was created, in nanoseconds since 1970. Returns `undefined` if its date is
 * missing, a default value, or local time without an offset.
 */
function creationMoment({ creationDateUtc }: UpstreamProject): bigint | undefined {
  if (typeof creationDateUtc !== 'string' || !WITH_OFFSET.test(creationDateUtc)) return undefined;
  const moment = instantOf(creationDateUtc);
  return moment !== undefined && moment >= EARLIEST ? moment : undefined;
}

/** Checks whether Segue deleted a project; `undefined` if the store cannot be read now. */
function wasDeleted(deps: UpstreamDeps, { companyId }: CallContext, { id }: UpstreamProject) {
  return ifReadable(deletionTime(deps, companyId, { id }).then((time) => time !== undefined));
}

/** Checks whether two dates are equal to the millisecond, or to the second if the service shows no fraction. */
function isSameMoment(shown: unknown, sent: string): boolean {
  if (typeof shown !== 'string') return false;
  const precision = instantAt(shown.includes('.') ? 1 : 1_000);
  const [one, other] = [shown, sent].map(instantOf);
  return one !== undefined && other !== undefined && one / precision === other / precision;
}
