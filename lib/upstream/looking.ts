import { instantOf } from '../contract/date.ts';
import { Problem } from '../contract/problem.ts';
import { OutcomeLost, OutcomeOpen } from '../idempotency/run-idempotent.ts';
import { deletionTime } from '../idempotency/tombstones.ts';
import type { Call } from '../service/port.ts';
import { hasContentOf } from './content-digests.ts';
import { upstreamFailures } from './failures.ts';
import type { Foundation } from './foundation.ts';
import type { CreateIntent } from './intent.ts';
import { patience } from './patience.ts';
import type { UpstreamProject } from './project.ts';
import { findProject } from './reading.ts';

/** What is known before looking. */
interface Lost {
  /** What the caller is told where there is no time to find out. */
  readonly told: Problem;
  /** Whether the service said that the custom id is another project's. */
  readonly isTaken: boolean;
}

/**
 * Looks for what a creation may have made, until it is found or cannot be there any more.
 * @returns `undefined` where nothing was made
 * @throws {OutcomeOpen} where that cannot be told yet
 * @throws {OutcomeLost} if the custom id has a project with different content, and nothing is on its way any more
 */
export async function lookForMade(
  foundation: Foundation,
  intent: CreateIntent,
  call: Call,
  { told, isTaken }: Lost,
): Promise<UpstreamProject | undefined> {
  const { pause } = patience(foundation.sleep, call.deadline);
  for (;;) {
    const askedAtMs = foundation.now();
    const seen = await look(foundation, intent, call);
    if (typeof seen === 'object') return seen;
    const isTheirs = seen === 'older' || (seen === 'different' && intent.startDateUtc !== undefined);
    if (isTaken && isTheirs) return undefined;
    if (seen !== 'silence' && askedAtMs >= intent.settledAfterMs) {
      if (seen === 'different') throw new OutcomeLost(differentContent(told));
      return undefined;
    }
    if (foundation.looksOnce || !(await pause())) throw new OutcomeOpen(told, intent);
  }
}

/** How far the clocks of the service and of Segue may be apart, in milliseconds. */
const CLOCKS_APART_MS = 300_000;
const TICKS_PER_MS = 10_000n;

/**
 * Whether the answer to a creation is of a project that was deleted before: a proxy may give an old answer again. It is
 * looked up only for a project that seems older than the creation, since a new one needs no reading of the store.
 */
export async function isOldAnswer(
  foundation: Foundation,
  { sinceMs }: CreateIntent,
  call: Call,
  made: UpstreamProject,
): Promise<boolean> {
  const created = createdAt(made);
  if (created !== undefined && created >= BigInt(sinceMs) * TICKS_PER_MS) return false;
  // If the tombstone cannot be read, treat the answer as stale; the lookup decides.
  return wasDeleted(foundation, call, made).catch(() => true);
}

/** Earlier dates are default values, such as the year 1. */
const EARLIEST = BigInt(Date.UTC(2000)) * TICKS_PER_MS;
const WITH_OFFSET = /(?:Z|[+-]\d\d:\d\d)$/i;

/** When a project was created; `undefined` if the service does not name the moment. Without an offset it may be local time. */
function createdAt({ creationDateUtc }: UpstreamProject): bigint | undefined {
  if (typeof creationDateUtc !== 'string' || !WITH_OFFSET.test(creationDateUtc)) return undefined;
  const created = instantOf(creationDateUtc);
  return created !== undefined && created >= EARLIEST ? created : undefined;
}

async function wasDeleted(foundation: Foundation, { companyId }: Call, { id }: UpstreamProject): Promise<boolean> {
  return (await deletionTime(foundation, companyId, { id })) !== undefined;
}

/**
 * Nobody can say whose project it is: another client's, or one that was changed after Segue created it. The service may
 * also accept a custom id twice, and show only the other project.
 */
function differentContent({ occurrence: { operationId } }: Problem): Problem {
  const detail = 'The service has a project with this custom id and different content.';
  return upstreamFailures.outcomeUnknown(detail, undefined, operationId);
}

/**
 * What stands under the custom id of a creation: its project, one that was there before, one with different content,
 * nothing, or no answer.
 */
async function look(
  foundation: Foundation,
  intent: CreateIntent,
  call: Call,
): Promise<UpstreamProject | 'older' | 'different' | 'nothing' | 'silence'> {
  const { name, sinceMs } = intent;
  try {
    const found = await findProject(foundation.client, { customId: name }, call);
    // A service may show for a while what was deleted.
    if (!found || (await wasDeleted(foundation, call, found))) return 'nothing';
    const created = createdAt(found);
    const isOlder = created !== undefined && created < BigInt(sinceMs - CLOCKS_APART_MS) * TICKS_PER_MS;
    if (isOlder) return 'older';
    return isSent(intent, found) ? found : 'different';
  } catch (error) {
    if (error instanceof Problem) return 'silence';
    throw error;
  }
}

/** Whether a project is the one that a creation sent. Nobody else has a name that Segue made. */
function isSent({ content, startDateUtc }: CreateIntent, found: UpstreamProject): boolean {
  if (!content) return true;
  return (
    hasContentOf(content, found) && (startDateUtc === undefined || isSameMoment(found['startDateUtc'], startDateUtc))
  );
}

/** Compares two dates to the millisecond, or to the second if the service shows no fraction. */
function isSameMoment(shown: unknown, sent: string): boolean {
  if (typeof shown !== 'string') return false;
  const ticks = TICKS_PER_MS * (shown.includes('.') ? 1n : 1_000n);
  const [one, other] = [shown, sent].map(instantOf);
  return one !== undefined && other !== undefined && one / ticks === other / ticks;
}
