import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { RequireCompany } from '../credentials/company-record.ts';
import { runCommand } from '../service/command.ts';
import { type Deadline, deadlineAt } from '../service/deadline.ts';
import type { ProjectService } from '../service/port.ts';
import type { Item, ItemStore, Write } from '../storage/port.ts';
import { carryOutCommands, problemOf } from './carry-out-commands.ts';
import { beginning, burying, claiming, finishing, type Kept, postponing } from './changes.ts';
import { begun, type CommandRecord, mayBeDone, recordsOf } from './command-records.ts';
import { keptFaults } from './kept-faults.ts';
import { readBody } from './mapping/body.ts';
import { commandsOf } from './mapping/check.ts';
import { type Commands, problemOfCommands } from './mapping/commands.ts';
import { type Mapper, MappingOverLimit } from './mapping/mapper.ts';
import { ATTEMPT_MS, LEASE_MS, MOST_ATTEMPTS, MOST_OVER_LIMIT, OPEN_MS, pauseMs } from './patience.ts';
import { type DeliveryRef, type Failure, messageKey, type Open, readMessage, readState, stateKey } from './records.ts';
import { requireScopes } from './scopes.ts';
import type { Source } from './source.ts';

/** What working on deliveries needs. */
export interface Workshop {
  readonly store: ItemStore;
  readonly service: ProjectService;
  readonly mapper: Mapper;
  /** A source as it is now; `undefined` where there is none of that name. */
  readonly findSource: (name: string) => Promise<Source | undefined>;
  readonly requireCompany: RequireCompany;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** How an attempt ended; `passed-over` where the delivery is not due, has ended, or is another worker's by now. */
export interface Attempted {
  readonly end: 'done' | 'postponed' | 'dead' | 'passed-over';
  readonly companyId?: string;
  /** What it failed with, where it did. */
  readonly error?: unknown;
}

/** An end that is still to be written down. */
interface Ending extends Attempted {
  readonly writes: readonly Write[];
}

const PASSED_OVER: Attempted = { end: 'passed-over' };

/**
 * Works on one delivery, if it is due. Whoever stops on the way leaves it to the next, who comes when its time is over;
 * the key that it is carried out with lets nothing happen twice.
 * @throws {Problem} what the store fails with: the delivery is open still, or has ended
 */
export async function attempt(workshop: Workshop, ref: DeliveryRef, deadline: Deadline): Promise<Attempted> {
  const { store, now } = workshop;
  const found = await openAt(store, ref);
  if (!found || found.state.dueMs > now()) return PASSED_OVER;
  const { companyId } = found.state;
  if (found.state.attempts >= MOST_ATTEMPTS) {
    return ended(store, { end: 'dead', companyId, writes: burying(found, failureOfCutOff(found.state), now()) });
  }
  const message = await store.read(messageKey(ref));
  const dueMs = now() + LEASE_MS;
  if (!(await store.commit({ writes: claiming(found, dueMs) })).ok) return PASSED_OVER;
  const state = { ...found.state, attempts: found.state.attempts + 1, dueMs };
  return ended(store, await work(workshop, { ref, state, version: found.version + 1 }, message, deadline));
}

async function openAt(store: ItemStore, ref: DeliveryRef): Promise<Kept<Open> | undefined> {
  const item = await store.read(stateKey(ref));
  const state = item && readState(item.data);
  return state?.kind === 'open' ? { ref, state, version: item?.version ?? 0 } : undefined;
}

/** Writes down how it ended. Where that is refused, another worker has taken over. */
async function ended(store: ItemStore, { writes, ...attempted }: Ending): Promise<Attempted> {
  return (await store.commit({ writes })).ok ? attempted : PASSED_OVER;
}

async function work(
  workshop: Workshop,
  claimed: Kept<Open>,
  message: Item | undefined,
  deadline: Deadline,
): Promise<Ending> {
  const { store, now } = workshop;
  const { companyId } = claimed.state;
  let kept = claimed;
  try {
    if (!message || (message.expiresAtMs ?? 0) <= now()) throw none('The message is there no more.');
    const made = await commandsFor(workshop, kept, message).catch((error: unknown) => {
      throw sayingNothingMore(error, kept.state.commands);
    });
    const records = recordsOf(made.commands, kept.state.commands);
    if (records.length === 0) return { end: 'done', companyId, writes: finishing(kept, message.version, null, now()) };
    // Save the records first: a later attempt, perhaps with another mapping, must know which commands this one may have done.
    const open = begun(records);
    if (!(await store.commit({ writes: beginning(kept, open) })).ok) return { ...PASSED_OVER, writes: [] };
    kept = { ...kept, state: { ...kept.state, commands: open }, version: kept.version + 1 };
    return await carriedOut(
      workshop,
      { ...kept, state: { ...kept.state, commands: records } },
      made,
      message,
      deadline,
    );
  } catch (error) {
    return failed(workshop, kept, error);
  }
}

/** The same problem, but if an earlier attempt may have carried out commands, its detail says that nothing more was done. */
function sayingNothingMore(error: unknown, records: readonly CommandRecord[] = []): unknown {
  if (!(error instanceof Problem && records.some(mayBeDone))) return error;
  const detail = error.message.replace('nothing was done', 'nothing more was done');
  if (detail === error.message) return error;
  return new Problem(error.name, { ...error.occurrence, detail }, { cause: error });
}

/** @throws {Problem} as `commandsOf` does; `mapping-failed` if the source is gone, `malformed-json`, `company-suspended`, `scope-missing` */
async function commandsFor(
  { mapper, findSource, requireCompany }: Workshop,
  { ref, state: { companyId, receivedAtMs } }: Kept<Open>,
  message: Item,
): Promise<Commands> {
  const source = await findSource(ref.source);
  if (source?.companyId !== companyId) throw none('The source has been removed.');
  await requireCompany(companyId);
  const { headers, body } = readMessage(message.data);
  const made = await commandsOf(source.mapping, { headers, body: readBody(headers, body) }, mapper, receivedAtMs);
  requireScopes(source, made.commands);
  return made;
}

/** Carries out the commands of a delivery, whose records its state has. */
async function carriedOut(
  workshop: Workshop,
  { ref, state, version }: Kept<Open>,
  { commands, isList }: Commands,
  message: Item,
  deadline: Deadline,
): Promise<Ending> {
  const { service, now } = workshop;
  const { companyId } = state;
  const own = deadlineAt(now() + Math.min(ATTEMPT_MS, deadline.remainingMs()), now);
  const { records, refused, stopped, hasProgress } = await carryOutCommands(commands, state.commands ?? [], {
    deadline: own,
    carryOut: (command, id) => {
      const idempotency = { key: keyOf(ref, state, id), retentionMs: retentionMsOf('webhookKey'), replayed: () => {} };
      const requestedBy = { kind: 'source', id: ref.source } as const;
      return runCommand(
        service,
        command,
        { companyId, requestId: ref.id, requestedBy, deadline: own, idempotency },
        now(),
      );
    },
  });
  // an attempt that made progress does not count
  const attempts = stopped && hasProgress ? state.attempts - 1 : state.attempts;
  const kept = { ref, version, state: { ...state, attempts, commands: records } };
  if (stopped === 'time') return { end: 'postponed', companyId, writes: postponing(kept, state.failure, now()) };
  const failures = stopped ? [stopped, ...refused] : refused;
  const problem = isList ? problemOfCommands(failures, commands.length) : failures[0]?.problem;
  if (problem) return failed(workshop, kept, problem);
  const results = records.map((record) => (record.state === 'done' ? record.result : null));
  return { end: 'done', companyId, writes: finishing(kept, message.version, isList ? results : results[0], now()) };
}

/**
 * The key of a command. No key over HTTP has a space in it. The receipt is a part of it because the key outlives the id of
 * the delivery: a message that comes again after its id is forgotten is another one.
 */
function keyOf({ source, id }: DeliveryRef, { receivedAtMs }: Open, commandId: string): string {
  return `webhook ${source} ${id} ${receivedAtMs} ${commandId}`;
}

/** Tries a delivery again later where that may help, and gives it up where not. */
function failed({ now, random }: Workshop, kept: Kept<Open>, error: unknown): Ending {
  const { companyId, attempts, openedAtMs } = kept.state;
  const problem = problemOf(error);
  const { retryable, outcome } = PROBLEMS[problem.name];
  const failure = failureOf(problem);
  const isOver = attempts >= MOST_ATTEMPTS || now() - openedAtMs >= OPEN_MS;
  const overLimit = (kept.state.overLimit ?? 0) + Number(error instanceof MappingOverLimit);
  const mayHelp = error instanceof MappingOverLimit ? overLimit < MOST_OVER_LIMIT : retryable || outcome === 'unknown';
  if (isOver || !mayHelp) return { end: 'dead', companyId, error, writes: burying(kept, failure, now()) };
  const pause = pauseMs(Math.max(1, attempts), random(), problem.occurrence.retryAfterSeconds);
  const counted = overLimit === 0 ? kept : { ...kept, state: { ...kept.state, overLimit } };
  return { end: 'postponed', companyId, error, writes: postponing(counted, failure, now() + pause) };
}

function none(detail: string): Problem {
  return new Problem('mapping-failed', { detail });
}

function failureOf({ name, occurrence: { detail, errors } }: Problem): Failure {
  const faults = keptFaults(errors, LIMITS.faults);
  return { problem: name, detail, ...(faults && { errors: faults }) };
}

const CUT_OFF: Failure = { problem: 'outcome-unknown', detail: 'The last attempt was cut off.' };

/**
 * The failure of a delivery whose last attempt was cut off. If that attempt had begun a command, it may only be frozen:
 * the failure of an earlier attempt says nothing about it.
 */
function failureOfCutOff({ failure = CUT_OFF, commands = [] }: Open): Failure {
  return commands.some(({ state }) => state === 'open') ? CUT_OFF : failure;
}
