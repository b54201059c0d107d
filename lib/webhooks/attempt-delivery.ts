import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { RequireCompany } from '../credentials/company-record.ts';
import { runCommand } from '../service/command.ts';
import { type Deadline, deadlineAt } from '../service/deadline.ts';
import type { ProjectService } from '../service/port.ts';
import { backoffMs } from '../service/retry.ts';
import type { Item, ItemStore, Write } from '../storage/port.ts';
import { type CommandRecord, mayHaveRun, openRecords, recordsOf, storedFaults } from './command-records.ts';
import {
  claimWrites,
  commandsWrites,
  deadWrites,
  doneWrites,
  postponeWrites,
  type StoredDelivery,
} from './delivery-changes.ts';
import {
  type DeliveryFailure,
  type DeliveryRef,
  messageKey,
  type OpenState,
  readMessage,
  readState,
  stateKey,
} from './delivery-records.ts';
import { type MappedCommands, problemOfCommands, readCommands } from './mapping/commands.ts';
import { type Mapper, MappingOverLimit } from './mapping/mapper.ts';
import { readBody } from './mapping/read-body.ts';
import { DELIVERY_BACKOFF, MAX_ATTEMPTS, MAX_OVER_LIMIT, OPEN_MS } from './retry-policy.ts';
import { problemOf, runCommands } from './run-commands.ts';
import { requireScopes, type Source } from './sources.ts';

/** How long a worker has a delivery to itself, in milliseconds. Longer than any worker lives. */
export const LEASE_MS = 60_000;
/** The part of the lease that an attempt's commands may take. */
export const ATTEMPT_MS = 25_000;
export interface DeliveryDeps {
  readonly store: ItemStore;
  readonly service: ProjectService;
  readonly mapper: Mapper;
  /** The current source of a name. */
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

/** A result that is not stored yet. */
interface UnstoredResult extends AttemptResult {
  readonly writes: readonly Write[];
}

const SKIPPED: AttemptResult = { end: 'skipped' };

/**
 * Makes one attempt at a delivery, if it is due. If the attempt is cut off, the next one starts when its lease expires; the
 * idempotency key of each command lets nothing happen twice.
 * @throws {Problem} if the store fails: then the delivery is still open, or has ended
 */
export async function attemptDelivery(
  deps: DeliveryDeps,
  ref: DeliveryRef,
  deadline: Deadline,
): Promise<AttemptResult> {
  const { store, now } = deps;
  const found = await readOpen(store, ref);
  if (!found || found.state.dueMs > now()) return SKIPPED;
  const { companyId, attempts } = found.state;
  if (attempts >= MAX_ATTEMPTS) {
    return storeResult(store, {
      end: 'dead',
      companyId,
      writes: deadWrites(found, failureOfCutOff(found.state), now()),
    });
  }
  const message = await store.read(messageKey(ref));
  const dueMs = now() + LEASE_MS;
  if (!(await store.commit({ writes: claimWrites(found, dueMs) })).ok) return SKIPPED;
  const claimed = { ref, state: { ...found.state, attempts: attempts + 1, dueMs }, version: found.version + 1 };
  return storeResult(store, await runMessage(deps, claimed, message, deadline));
}

async function readOpen(store: ItemStore, ref: DeliveryRef): Promise<StoredDelivery<OpenState> | undefined> {
  const item = await store.read(stateKey(ref));
  const state = item && readState(item.data);
  return state?.kind === 'open' ? { ref, state, version: item?.version ?? 0 } : undefined;
}

/** Stores a result. The store refuses it if another worker has the delivery now. */
async function storeResult(store: ItemStore, { writes, ...result }: UnstoredResult): Promise<AttemptResult> {
  return (await store.commit({ writes })).ok ? result : SKIPPED;
}

async function runMessage(
  deps: DeliveryDeps,
  claimed: StoredDelivery<OpenState>,
  message: Item | undefined,
  deadline: Deadline,
): Promise<UnstoredResult> {
  const { store, now } = deps;
  const { companyId } = claimed.state;
  let delivery = claimed;
  try {
    if (!message || (message.expiresAtMs ?? 0) <= now()) throw mappingFailed('The message no longer exists.');
    const mapped = await commandsOf(deps, delivery, message).catch((error: unknown) => {
      throw nothingMore(error, delivery.state.commands);
    });
    const records = recordsOf(mapped.commands, delivery.state.commands);
    if (records.length === 0) {
      return { end: 'done', companyId, writes: doneWrites(delivery, message.version, null, now()) };
    }
    // Save the records first: a later attempt, perhaps with another mapping, must know which commands this one may have run.
    const open = openRecords(records);
    if (!(await store.commit({ writes: commandsWrites(delivery, open) })).ok) return { ...SKIPPED, writes: [] };
    delivery = { ...delivery, state: { ...delivery.state, commands: open }, version: delivery.version + 1 };
    return await runMapped(deps, delivery, mapped, records, message, deadline);
  } catch (error) {
    return failedAttempt(deps, delivery, error);
  }
}

/** If an earlier attempt may have run commands, the problem's detail says that nothing more was done. */
function nothingMore(error: unknown, records: readonly CommandRecord[] = []): unknown {
  if (!(error instanceof Problem && records.some(mayHaveRun))) return error;
  const detail = error.message.replace('nothing was done', 'nothing more was done');
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
  { ref, state, version }: StoredDelivery<OpenState>,
  { commands, isList }: MappedCommands,
  before: readonly CommandRecord[],
  message: Item,
  deadline: Deadline,
): Promise<UnstoredResult> {
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
  const delivery = { ref, version, state: { ...state, attempts, commands: records } };
  if (stopped === 'time') {
    return { end: 'postponed', companyId, writes: postponeWrites(delivery, state.failure, now()) };
  }
  const failures = stopped ? [stopped, ...refused] : refused;
  const problem = isList ? problemOfCommands(failures, commands.length) : failures[0]?.problem;
  if (problem) return failedAttempt(deps, delivery, problem);
  const results = records.map((record) => (record.state === 'done' ? record.result : null));
  const result = isList ? results : results[0];
  return { end: 'done', companyId, writes: doneWrites(delivery, message.version, result, now()) };
}

/**
 * The idempotency key of a command. Keys over HTTP have no spaces. The key outlives the delivery's id, so it has the time of
 * receipt: a message that comes again after its id is forgotten is another one.
 */
function keyOf({ source, id }: DeliveryRef, { receivedAtMs }: OpenState, commandId: string): string {
  return `webhook ${source} ${id} ${receivedAtMs} ${commandId}`;
}

/** Postpones a delivery if a retry may help, and makes it a dead letter otherwise. */
function failedAttempt(
  { now, random }: DeliveryDeps,
  delivery: StoredDelivery<OpenState>,
  error: unknown,
): UnstoredResult {
  const { companyId, attempts, openedAtMs } = delivery.state;
  const problem = problemOf(error);
  const { retryable, outcome } = PROBLEMS[problem.name];
  const failure = failureOf(problem);
  const isOver = attempts >= MAX_ATTEMPTS || now() - openedAtMs >= OPEN_MS;
  const overLimit = (delivery.state.overLimit ?? 0) + Number(error instanceof MappingOverLimit);
  const mayHelp = error instanceof MappingOverLimit ? overLimit < MAX_OVER_LIMIT : retryable || outcome === 'unknown';
  if (isOver || !mayHelp) return { end: 'dead', companyId, error, writes: deadWrites(delivery, failure, now()) };
  // At least half of the backoff: full jitter could use up all attempts early.
  const pauseMs = backoffMs(
    Math.max(1, attempts),
    DELIVERY_BACKOFF,
    1 - random() / 2,
    problem.occurrence.retryAfterSeconds,
  );
  const counted = overLimit === 0 ? delivery : { ...delivery, state: { ...delivery.state, overLimit } };
  return { end: 'postponed', companyId, error, writes: postponeWrites(counted, failure, now() + pauseMs) };
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
