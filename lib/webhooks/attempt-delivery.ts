import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { RequireCompany } from '../credentials/company-record.ts';
import { runCommand } from '../service/command.ts';
import { type Deadline, deadlineAt } from '../service/deadline.ts';
import type { ProjectService } from '../service/port.ts';
import { backoffMs } from '../service/retry.ts';
import type { Item, ItemStore } from '../storage/port.ts';
import { changeDelivery, eraseMessage, isLive, readDelivery, type StoredDelivery } from './deliveries.ts';
import {
  type CommandRecord,
  commonOf,
  type DeadState,
  type DeliveryFailure,
  type DeliveryRef,
  type DeliveryState,
  messageKey,
  type OpenState,
  readMessage,
  storedFaults,
} from './delivery-records.ts';
import { type MappedCommands, problemOfCommands, readCommands } from './mapping/commands.ts';
import { type Mapper, MappingOverLimit } from './mapping/mapper.ts';
import { readBody } from './mapping/read-body.ts';
import { DELIVERY_BACKOFF, MAX_ATTEMPTS, MAX_OVER_LIMIT, OPEN_MS } from './retry-policy.ts';
import { mayHaveRun, problemOf, recordsOf, runCommands } from './run-commands.ts';
import { requireScopes, type Source } from './sources.ts';

/** How long a worker has a delivery to itself, in milliseconds. Longer than any worker lives. */
export const LEASE_MS = 60_000;
/** The part of the lease that an attempt's commands may take. */
export const ATTEMPT_MS = 25_000;
export interface DeliveryDeps {
  readonly store: ItemStore;
  readonly service: ProjectService;
  readonly mapper: Mapper;
  /** Finds the current source with a name. */
  readonly findSource: (name: string) => Promise<Source | undefined>;
  readonly requireCompany: RequireCompany;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** The result of an attempt; `skipped` if the delivery is not due, has ended, or another worker has it. */
export interface AttemptResult {
  readonly end: 'done' | 'postponed' | 'dead' | 'skipped';
  readonly companyId?: string;
  /** Why the attempt failed. */
  readonly error?: unknown;
}

/** The state of a delivery after an attempt, before it is stored. */
interface AttemptEnd {
  readonly next: Exclude<DeliveryState, { kind: 'dropped' }>;
  readonly error?: unknown;
}
type DeliveryEnd = AttemptEnd & { readonly delivery: StoredDelivery };

const SKIPPED: AttemptResult = { end: 'skipped' };

/**
 * Makes one attempt at a delivery, if it is due. If the attempt is cut off, the next one starts when its lease expires.
 * Each command has an idempotency key, so it never takes effect twice.
 * @throws {Problem} if the store fails. The delivery is still open, unless the store saved its end.
 */
export async function attemptDelivery(
  deps: DeliveryDeps,
  ref: DeliveryRef,
  deadline: Deadline,
): Promise<AttemptResult> {
  const { store, now } = deps;
  const delivery = await readDelivery(store, ref, now());
  const state = delivery?.state;
  if (!delivery || state?.kind !== 'open' || state.dueMs > now()) return SKIPPED;
  if (state.attempts >= MAX_ATTEMPTS) {
    return storeEnd(store, { delivery, next: deadState(state, failureOfCutOff(state), now()) });
  }
  const message = await store.read(messageKey(ref));
  const leased = { ...state, attempts: state.attempts + 1, dueMs: now() + LEASE_MS };
  const claimed = await changeDelivery(store, delivery, leased);
  const ended = claimed && (await runMessage(deps, claimed, message, deadline));
  return ended ? storeEnd(store, ended, message) : SKIPPED;
}

/** Stores the end of an attempt, and erases the message if all commands are done. */
async function storeEnd(
  store: ItemStore,
  { delivery, next, error }: DeliveryEnd,
  message?: Item,
): Promise<AttemptResult> {
  const erased = next.kind === 'done' && message ? [eraseMessage(delivery.ref, message.version)] : [];
  if (!(await changeDelivery(store, delivery, next, erased))) return SKIPPED;
  return { end: next.kind === 'open' ? 'postponed' : next.kind, companyId: next.companyId, error };
}

/** @returns `undefined` if another worker has the delivery now */
async function runMessage(
  deps: DeliveryDeps,
  claimed: StoredDelivery<OpenState>,
  message: Item | undefined,
  deadline: Deadline,
): Promise<DeliveryEnd | undefined> {
  const { store, now } = deps;
  const { state } = claimed;
  let delivery = claimed;
  try {
    if (!message || !isLive(message, now())) throw mappingFailed('The message no longer exists.');
    const mapped = await commandsOf(deps, claimed, message).catch((error: unknown) => {
      throw nothingMore(error, state.commands);
    });
    const records = recordsOf(mapped.commands, state.commands);
    if (records.length === 0) return { delivery, next: doneState(state, null, now()) };
    // Save the records first: a later attempt, perhaps with another mapping, must know which commands this one may have run.
    const opened = await changeDelivery(store, claimed, { ...state, commands: openRecords(records) });
    if (!opened) return undefined;
    delivery = opened;
    return { delivery, ...(await runMapped(deps, opened, mapped, records, deadline)) };
  } catch (error) {
    return { delivery, ...failedAttempt(deps, delivery.state, error) };
  }
}

/** The records during an attempt. If it is cut off, it may have run every command that was not done. */
function openRecords(records: readonly CommandRecord[]): CommandRecord[] {
  return records.map((record) => (record.state === 'done' ? record : { state: 'open', id: record.id }));
}

/** If an earlier attempt may have run commands, the problem's detail says that nothing more was done. */
function nothingMore(error: unknown, records: readonly CommandRecord[] = []): unknown {
  if (!(error instanceof Problem && records.some(mayHaveRun))) return error;
  const detail = error.message.replace(/nothing(?= was done|\.)/, 'nothing more');
  if (detail === error.message) return error;
  return new Problem(error.name, { ...error.occurrence, detail }, { cause: error });
}

/**
 * The commands of a message, by the current mapping of its source.
 * @throws {Problem} `mapping-failed`, also if the source is gone; `malformed-json`, `invalid-parameter`, `company-suspended`,
 *   `scope-missing`, `unavailable`
 */
async function commandsOf(
  { mapper, findSource, requireCompany }: DeliveryDeps,
  { ref, state: { companyId, receivedAtMs } }: StoredDelivery<OpenState>,
  message: Item,
): Promise<MappedCommands> {
  const source = await findSource(ref.source);
  if (source?.companyId !== companyId) throw mappingFailed('The source has been removed.');
  await requireCompany(companyId);
  const { headers, body } = readMessage(message.data);
  const input = { headers, body: readBody(headers, body) };
  const mapped = readCommands(await mapper.apply(source.mapping, input, receivedAtMs));
  requireScopes(source, mapped.commands);
  return mapped;
}

/** Runs the commands of a delivery. @param before their records before this attempt */
async function runMapped(
  deps: DeliveryDeps,
  { ref, state }: StoredDelivery<OpenState>,
  { commands, isList }: MappedCommands,
  before: readonly CommandRecord[],
  deadline: Deadline,
): Promise<AttemptEnd> {
  const { service, now } = deps;
  const { companyId } = state;
  const own = deadlineAt(now() + Math.min(ATTEMPT_MS, deadline.remainingMs()), now);
  const { records, refused, stopped, hasProgress } = await runCommands(commands, before, {
    deadline: own,
    run: (command, id) => {
      const idempotency = { key: keyOf(ref, state, id), retentionMs: retentionMsOf('webhookKey'), replayed: () => {} };
      const requestedBy = { kind: 'source', id: ref.source } as const;
      const call = { companyId, requestId: ref.id, requestedBy, deadline: own, idempotency };
      return runCommand(service, command, call, now());
    },
  });
  // An attempt that made progress does not count.
  const attempts = stopped && hasProgress ? state.attempts - 1 : state.attempts;
  const ran = { ...state, attempts, commands: records };
  if (stopped === 'time') return { next: { ...ran, dueMs: now() } };
  const failures = stopped ? [stopped, ...refused] : refused;
  const problem = isList ? problemOfCommands(failures, commands.length) : failures[0]?.problem;
  if (problem) return failedAttempt(deps, ran, problem);
  const results = records.map((record) => (record.state === 'done' ? record.result : null));
  return { next: doneState(ran, isList ? results : results[0], now()) };
}

/**
 * The idempotency key of a command. Keys over HTTP have no spaces. The key outlives the delivery's id, so it has the time of
 * receipt: a message that comes again after its id is forgotten is another one.
 */
function keyOf({ source, id }: DeliveryRef, { receivedAtMs }: OpenState, commandId: string): string {
  return `webhook ${source} ${id} ${receivedAtMs} ${commandId}`;
}

/** Postpones a delivery if a retry may help, and makes it a dead letter otherwise. */
function failedAttempt({ now, random }: DeliveryDeps, state: OpenState, error: unknown): AttemptEnd {
  const problem = problemOf(error);
  const { retryable, outcome } = PROBLEMS[problem.name];
  const failure = failureOf(problem);
  const isOver = state.attempts >= MAX_ATTEMPTS || now() - state.openedAtMs >= OPEN_MS;
  const overLimit = (state.overLimit ?? 0) + Number(error instanceof MappingOverLimit);
  const mayHelp = error instanceof MappingOverLimit ? overLimit < MAX_OVER_LIMIT : retryable || outcome === 'unknown';
  if (isOver || !mayHelp) return { next: deadState(state, failure, now()), error };
  // At least half of the backoff: full jitter could use up all attempts early.
  const jitter = 1 - random() / 2;
  const { retryAfterSeconds } = problem.occurrence;
  const pauseMs = backoffMs(Math.max(1, state.attempts), DELIVERY_BACKOFF, jitter, retryAfterSeconds);
  return { next: { ...state, ...(overLimit > 0 && { overLimit }), failure, dueMs: now() + pauseMs }, error };
}

function doneState(state: OpenState, result: unknown, nowMs: number): DeliveryState & { kind: 'done' } {
  return { kind: 'done', ...commonOf(state), endedAtMs: nowMs, result };
}

/** The message of a dead letter is kept for a redrive. */
function deadState(state: OpenState, failure: DeliveryFailure, nowMs: number): DeadState {
  const { commands } = state;
  return { kind: 'dead', ...commonOf(state), endedAtMs: nowMs, failure, ...(commands && { commands }) };
}

function mappingFailed(detail: string): Problem {
  return new Problem('mapping-failed', { detail });
}

function failureOf({ name, occurrence: { detail, errors } }: Problem): DeliveryFailure {
  const faults = storedFaults(errors, LIMITS.faults);
  return { problem: name, detail, ...(faults && { errors: faults }) };
}

const CUT_OFF: DeliveryFailure = { problem: 'outcome-unknown', detail: 'The last attempt stopped before it finished.' };

/**
 * The failure of a delivery whose last attempt was cut off. If that attempt had started a command, its outcome is unknown,
 * whatever an earlier attempt failed with.
 */
function failureOfCutOff({ failure = CUT_OFF, commands = [] }: OpenState): DeliveryFailure {
  return commands.some(({ state }) => state === 'open') ? CUT_OFF : failure;
}
