import type { Key, Write } from '../storage/port.ts';
import { type CommandRecord, redrivenRecords } from './command-records.ts';
import {
  bodyHashOf,
  type DeadState,
  type Delivery,
  type DeliveryFailure,
  type DeliveryRef,
  type DeliveryState,
  deadLetterKey,
  dueKey,
  KNOWN_MS,
  MESSAGE_MS,
  messageData,
  messageKey,
  type OpenState,
  stateKey,
} from './delivery-records.ts';

/**
 * Each change of a delivery, as the writes of one batch. The first write replaces the state and names its version, so that the
 * store refuses the batch of a worker whose lease has expired.
 */

/** A delivery as it was read from the store. */
export interface StoredDelivery<S extends DeliveryState = DeliveryState> {
  readonly ref: DeliveryRef;
  readonly state: S;
  readonly version: number;
}

/** Accepts a delivery. @param expired the version of an expired delivery that has the same id */
export function acceptWrites(delivery: Delivery, nowMs: number, expired?: number): Write[] {
  const { companyId, receivedAtMs, body } = delivery;
  const open = { openedAtMs: nowMs, dueMs: nowMs, attempts: 0 };
  const data: OpenState = { kind: 'open', companyId, receivedAtMs, bodyHash: bodyHashOf(body), ...open };
  const key = stateKey(delivery);
  const state: Write =
    expired === undefined ? { kind: 'insert', key, data } : { kind: 'replace', version: expired, key, data };
  const message = { key: messageKey(delivery), data: messageData(delivery), expiresAtMs: receivedAtMs + MESSAGE_MS };
  // An expired message may still be in the store.
  return [state, { kind: 'put', ...message }, insertDue(delivery, nowMs)];
}

/** Leases a delivery to a worker. */
export function claimWrites(delivery: StoredDelivery<OpenState>, dueMs: number): Write[] {
  const { state } = delivery;
  return [replace(delivery, { ...state, attempts: state.attempts + 1, dueMs }), ...moveDue(delivery, dueMs)];
}

/** Records the commands before the first one runs. */
export function commandsWrites(delivery: StoredDelivery<OpenState>, commands: readonly CommandRecord[]): Write[] {
  return [replace(delivery, { ...delivery.state, commands })];
}

/** Postpones a delivery. */
export function postponeWrites(
  delivery: StoredDelivery<OpenState>,
  failure: DeliveryFailure | undefined,
  dueMs: number,
): Write[] {
  return [replace(delivery, { ...delivery.state, ...(failure && { failure }), dueMs }), ...moveDue(delivery, dueMs)];
}

/** Ends a delivery with success, and erases its message. @param message the version of the message */
export function doneWrites(
  delivery: StoredDelivery<OpenState>,
  message: number,
  result: unknown,
  nowMs: number,
): Write[] {
  const done: DeliveryState = { kind: 'done', ...commonOf(delivery.state), endedAtMs: nowMs, result };
  return [replace(delivery, done, nowMs + KNOWN_MS), removeDue(delivery), eraseMessage(delivery.ref, message)];
}

/** Makes a delivery a dead letter, and keeps its message for a redrive. */
export function deadWrites(delivery: StoredDelivery<OpenState>, failure: DeliveryFailure, nowMs: number): Write[] {
  const { ref, state } = delivery;
  const { commands } = state;
  const expiresAtMs = nowMs + KNOWN_MS;
  const ended = { endedAtMs: nowMs, failure, ...(commands && { commands }) };
  const dead: DeadState = { kind: 'dead', ...commonOf(state), ...ended };
  const listed: Write = { kind: 'insert', key: deadLetterKey(ref, nowMs), data: {}, expiresAtMs };
  return [replace(delivery, dead, expiresAtMs), removeDue(delivery), listed];
}

/** Opens a dead letter as if it had just been received. The second write is refused if its message is gone. */
export function redriveWrites(delivery: StoredDelivery<DeadState>, message: number, nowMs: number): Write[] {
  const { ref, state } = delivery;
  const commands = state.commands && { commands: redrivenRecords(state.commands) };
  const due = { attempts: 0, openedAtMs: nowMs, dueMs: nowMs };
  const open: DeliveryState = { kind: 'open', ...commonOf(state), ...commands, ...due };
  const hasMessage: Write = { kind: 'check', key: messageKey(ref), version: message };
  return [replace(delivery, open), hasMessage, unlist(delivery), insertDue(ref, nowMs)];
}

/** Erases a dead letter's message. Its id stays known. @param message the version of the message, if it still exists */
export function dropWrites(delivery: StoredDelivery<DeadState>, message: number | undefined, nowMs: number): Write[] {
  const dropped: DeliveryState = { kind: 'dropped', ...commonOf(delivery.state), endedAtMs: nowMs };
  const erased = message === undefined ? [] : [eraseMessage(delivery.ref, message)];
  return [replace(delivery, dropped, nowMs + KNOWN_MS), unlist(delivery), ...erased];
}

function commonOf({ companyId, receivedAtMs, bodyHash, attempts }: DeliveryState) {
  return { companyId, receivedAtMs, bodyHash, attempts };
}

function replace({ ref, version }: StoredDelivery, data: DeliveryState, expiresAtMs?: number): Write {
  return { kind: 'replace', key: stateKey(ref), version, data, ...(expiresAtMs !== undefined && { expiresAtMs }) };
}

function insertDue(ref: DeliveryRef, dueMs: number): Write {
  return { kind: 'insert', key: dueKey(ref, dueMs), data: {} };
}

function removeDue({ ref, state }: StoredDelivery<OpenState>): Write {
  return removeFirst(dueKey(ref, state.dueMs));
}

function moveDue(delivery: StoredDelivery<OpenState>, dueMs: number): Write[] {
  return dueMs === delivery.state.dueMs ? [] : [removeDue(delivery), insertDue(delivery.ref, dueMs)];
}

function unlist({ ref, state }: StoredDelivery<DeadState>): Write {
  return removeFirst(deadLetterKey(ref, state.endedAtMs));
}

/** Removes an item that is never replaced. */
function removeFirst(key: Key): Write {
  return { kind: 'remove', key, version: 1 };
}

function eraseMessage(ref: DeliveryRef, version: number): Write {
  return { kind: 'remove', key: messageKey(ref), version, erase: true };
}
