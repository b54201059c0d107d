import { LIMITS } from '../contract/limits.ts';
import { Problem } from '../contract/problem.ts';
import { PROBLEMS } from '../contract/problems.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { RequireCompany } from '../credentials/company-record.ts';
import type { AttemptResult } from '../deliveries/due-worker.ts';
import { deliveriesIn, isLive, SKIPPED, type StoredDelivery } from '../deliveries/queue.ts';
import { runCommand } from '../service/command.ts';
import { type Deadline, within } from '../service/deadline.ts';
import type { ProjectChanges } from '../service/port.ts';
import type { Item } from '../storage/port.ts';
import { customIdHashes } from './changed-projects.ts';
import { DELIVERIES, MAX_OVER_LIMIT } from './delivery-queue.ts';
import {
  type CommandRecord,
  commonOf,
  type DeadState,
  type DeliveryFailure,
  type DeliveryRef,
  type DeliveryState,
  eraseMessage,
  messageKey,
  type OpenState,
  readMessage,
  storedFaults,
} from './delivery-records.ts';
import { FetchFailure } from './fetch-failure.ts';
import { eraseFetched, type FetchDeps, type FetchedEntry, fetchedFor } from './fetched-entry.ts';
import { type MappedCommands, problemOfCommands, readCommands } from './mapping/commands.ts';
import { type Mapper, type MappingInput, MappingOverLimit } from './mapping/mapper.ts';
import { withMappingHints } from './mapping/mapping-hints.ts';
import { readBody } from './mapping/read-body.ts';
import { mayHaveRun, problemOf, recordsOf, runCommands } from './run-commands.ts';
import { requireScopes, type Source, type SourceScope, scopesOf } from './sources.ts';

/** The time limit for the commands of one attempt, in milliseconds. */
export const ATTEMPT_MS = 25_000;
/** The dependencies of an attempt at a delivery. */
export interface DeliveryDeps extends FetchDeps {
  readonly service: ProjectChanges;
  readonly mapper: Mapper;
  /** Finds the webhook source that has this name now. */
  readonly findSource: (name: string) => Promise<Source | undefined>;
  readonly requireCompany: RequireCompany;
  /** Returns a random number from 0 to 1, like `Math.random`. */
  readonly random: () => number;
}

/** The end of an attempt, before it is stored. */
interface AttemptEnd {
  /** The next state of the delivery. */
  readonly next: Exclude<DeliveryState, { kind: 'dropped' }>;
  readonly error?: unknown;
}
type OpenDelivery = StoredDelivery<DeliveryRef, OpenState>;

/**
 * Makes one attempt at a delivery, if the delivery is due. If the process dies during the attempt, the next attempt
 * starts when the lease expires. Each command has an idempotency key, so it never takes effect twice.
 * @throws {Problem} if the store fails. The delivery stays open, unless the store has already saved its end.
 */
export async function attemptDelivery(
  deps: DeliveryDeps,
  ref: DeliveryRef,
  deadline: Deadline,
): Promise<AttemptResult> {
  const { store, now } = deps;
  const queue = deliveriesIn(DELIVERIES, store, now);
  const due = await queue.readDue(ref);
  if (!due) return SKIPPED;
  const { state } = due;
  if (state.attempts >= DELIVERIES.retry.maxAttempts && !state.finished) {
    return queue.settle(due, deadState(state, failureOfCutOff(state), now()));
  }
  const message = await store.read(messageKey(ref));
  const claimed = await queue.claim(due);
  const ended = claimed && (await runMessage(deps, claimed, message, deadline));
  if (!ended) return SKIPPED;
  const { delivery, next, error } = ended;
  if (next.kind !== 'done') return queue.settle(delivery, next, error);
  const left = await eraseFetched(queue, delivery, { finished: { result: next.result } });
  if (!left) return SKIPPED;
  const others = [...left.writes, ...(message ? [eraseMessage(ref, message.version)] : [])];
  return queue.settle(left.delivery, next, error, others);
}

/**
 * Maps a claimed message to commands and runs them. If that fails, it decides whether the delivery is postponed.
 * @returns `undefined` if another worker has claimed the delivery meanwhile
 */
async function runMessage(
  deps: DeliveryDeps,
  claimed: OpenDelivery,
  message: Item | undefined,
  deadline: Deadline,
): Promise<(AttemptEnd & { readonly delivery: OpenDelivery }) | undefined> {
  const { store, now } = deps;
  const { commands: before, finished } = claimed.state;
  if (finished) return { delivery: claimed, next: doneState(claimed.state, finished.result, now()) };
  let delivery = claimed;
  try {
    if (!message || !isLive(message, now())) throw mappingFailed('The message of this delivery no longer exists.');
    const parsed = await parseMessage(deps, claimed, message);
    const fetched = await fetchedFor(deps, claimed, parsed, deadline);
    if (!fetched) return undefined;
    ({ delivery } = fetched);
    if (fetched.error !== undefined) throw fetched.error;
    const { state } = delivery;
    // The entry is stored, so the next attempt has its full time for the commands.
    if (fetched.isNew && deadline.remainingMs() < DELIVERIES.attemptMs)
      return { delivery, next: { ...state, attempts: state.attempts - 1, dueMs: now() } };
    const mapped = await commandsOf(deps, delivery, { ...parsed, fetchedJson: fetched.fetchedJson });
    const records = recordsOf(mapped.commands, before);
    if (records.length === 0) return { delivery, next: doneState(state, null, now()) };
    // Save the records first: the mapping may change, and a later attempt must know which commands may have run.
    const opened = await deliveriesIn(DELIVERIES, store, now).change(delivery, {
      ...state,
      commands: openRecords(records),
    });
    if (!opened) return undefined;
    delivery = opened;
    return { delivery, ...(await runMapped(deps, opened, mapped, records, deadline)) };
  } catch (error) {
    return { delivery, ...failedAttempt(deps, delivery.state, nothingMore(error, before)) };
  }
}

/** Marks the commands that are not done as `open`: if the process dies, the attempt may have run any of them. */
function openRecords(records: readonly CommandRecord[]): CommandRecord[] {
  return records.map((record) => (record.state === 'done' ? record : { state: 'open', id: record.id }));
}

/** Changes "nothing" in a problem's detail to "nothing more" if an earlier attempt may have run commands. */
function nothingMore(error: unknown, records: readonly CommandRecord[] = []): unknown {
  if (!(error instanceof Problem && records.some(mayHaveRun))) return error;
  const detail = error.message.replace(/\bnothing(?= was|\.)/i, '$& more');
  if (detail === error.message) return error;
  return new Problem(error.name, { ...error.occurrence, detail }, { cause: error });
}

/** The commands of a message, with the scopes of its source. */
interface SourceCommands extends MappedCommands {
  readonly scopes: readonly SourceScope[];
  /** How many projects the company may create in a day; absent if it has no limit. */
  readonly projectsADay: number | undefined;
}

/** A message, parsed for the expressions of its source. */
interface ParsedMessage {
  readonly source: Source;
  readonly projectsADay: number | undefined;
  readonly input: MappingInput;
}

/**
 * Reads the source of a message as it is now, and how many projects its company may create in a day. Parses the message.
 * @throws {Problem} `mapping-failed` if the source was removed; `malformed-json`, `company-suspended`, `unavailable`
 */
async function parseMessage(
  { findSource, requireCompany }: DeliveryDeps,
  { ref, state: { companyId } }: OpenDelivery,
  message: Item,
): Promise<ParsedMessage> {
  const source = await findSource(ref.source);
  if (source?.companyId !== companyId) throw mappingFailed('The webhook source of this delivery has been removed.');
  const projectsADay = (await requireCompany(companyId))?.projects;
  const { headers, body } = readMessage(message.data);
  return { source, projectsADay, input: { headers, body: readBody(headers, body) } };
}

/**
 * Maps a message to its commands, with the current mapping of its source.
 * @throws {Problem} `mapping-failed` if the mapping fails
 * @throws {Problem} `invalid-parameter`, `scope-missing`, `unavailable`
 */
async function commandsOf(
  { mapper }: DeliveryDeps,
  { state: { receivedAtMs } }: OpenDelivery,
  { source, projectsADay, input, fetchedJson }: ParsedMessage & Pick<FetchedEntry, 'fetchedJson'>,
): Promise<SourceCommands> {
  const mapped = readCommands(await mapper.apply(source.mapping, { ...input, fetchedJson }, receivedAtMs));
  requireScopes(source, mapped.commands);
  return { ...mapped, scopes: scopesOf(source), projectsADay };
}

/**
 * Runs the commands of a delivery, and decides its next state.
 * @param before the records of the commands before this attempt
 */
async function runMapped(
  deps: DeliveryDeps,
  { ref, state }: OpenDelivery,
  { commands, isList, scopes, projectsADay }: SourceCommands,
  before: readonly CommandRecord[],
  deadline: Deadline,
): Promise<AttemptEnd> {
  const { service, now } = deps;
  const { companyId, traceId } = state;
  const own = within(ATTEMPT_MS, deadline, now);
  const { records, refused, stopped, hasProgress } = await runCommands(commands, before, {
    deadline: own,
    run: (command, id) => {
      const idempotency = { key: keyOf(ref, state, id), retentionMs: retentionMsOf('webhookKey'), replayed: () => {} };
      const requestedBy = { kind: 'source', id: ref.source } as const;
      const call = {
        companyId,
        requestId: ref.id,
        traceId,
        requestedBy,
        scopes,
        projectsADay,
        deadline: own,
        idempotency,
      };
      return runCommand(service, command, call, now()).catch((error: unknown) => {
        throw withMappingHints(error);
      });
    },
  });
  // An attempt that stopped early but made progress does not count.
  const attempts = stopped && hasProgress ? state.attempts - 1 : state.attempts;
  const ran = { ...state, attempts, commands: records };
  if (stopped === 'time') return { next: { ...ran, dueMs: now() } };
  const failures = stopped ? [stopped, ...refused] : refused;
  const problem = isList ? problemOfCommands(failures, commands.length) : failures[0]?.problem;
  if (problem) {
    const { open = [], done = [] } = Object.groupBy(commands, (_, at) =>
      records[at]?.state === 'done' ? 'done' : 'open',
    );
    const customIds = customIdHashes({ open, done });
    return failedAttempt(deps, { ...ran, ...(customIds && { customIds }) }, problem);
  }
  const results = records.map((record) => (record.state === 'done' ? record.result : null));
  return { next: doneState(ran, isList ? results : results[0], now()) };
}

/**
 * Builds the idempotency key of a command. It contains spaces, so no key sent over HTTP equals it. It contains the time
 * of receipt, because its record is kept longer than the delivery's id. A message that arrives again after its id was
 * forgotten counts as a new message.
 */
function keyOf({ source, id }: DeliveryRef, { receivedAtMs }: OpenState, commandId: string): string {
  return `webhook ${source} ${id} ${receivedAtMs} ${commandId}`;
}

/** Decides the state after a failure: postponed if another attempt may succeed, otherwise a dead letter. */
function failedAttempt({ store, now, random }: DeliveryDeps, state: OpenState, error: unknown): AttemptEnd {
  const problem = problemOf(error);
  const { retryable, outcome } = PROBLEMS[problem.name];
  const failure = failureOf(problem);
  const overLimit = (state.overLimit ?? 0) + Number(error instanceof MappingOverLimit);
  const mayHelp =
    error instanceof MappingOverLimit
      ? overLimit < MAX_OVER_LIMIT
      : error instanceof FetchFailure
        ? error.mayHelp(now() - state.openedAtMs)
        : retryable || outcome === 'unknown';
  const dueMs = mayHelp
    ? deliveriesIn(DELIVERIES, store, now).nextDueMs(state, random, problem.occurrence.retryAfterSeconds)
    : undefined;
  if (dueMs === undefined) return { next: deadState(state, failure, now()), error };
  return { next: { ...state, ...(overLimit > 0 && { overLimit }), failure, dueMs }, error };
}

function doneState(state: OpenState, result: unknown, nowMs: number): DeliveryState & { kind: 'done' } {
  return { ...commonOf(state), kind: 'done', endedAtMs: nowMs, result };
}

/** Returns the state of a dead letter. The message is kept, so that the dead letter can be redriven. */
function deadState(state: OpenState, failure: DeliveryFailure, nowMs: number): DeadState {
  const { commands, customIds, fetched } = state;
  const kept = { ...(commands && { commands }), ...(customIds && { customIds }), ...(fetched && { fetched }) };
  return { ...commonOf(state), kind: 'dead', endedAtMs: nowMs, failure, ...kept };
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
 * Returns the failure of a delivery whose last attempt did not finish. If a command may have run, the failure is
 * `outcome-unknown`. Otherwise it is the failure of the attempt before.
 */
function failureOfCutOff({ failure = CUT_OFF, commands = [] }: OpenState): DeliveryFailure {
  return commands.some(({ state }) => state === 'open') ? CUT_OFF : failure;
}
