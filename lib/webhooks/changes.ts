import type { Key, Write } from '../storage/port.ts';
import { type CommandRecord, reopened } from './command-records.ts';
import type { Delivery } from './delivery.ts';
import {
  bodyHashOf,
  type Dead,
  type DeliveryRef,
  type Failure,
  KNOWN_MS,
  letterKey,
  MESSAGE_MS,
  markKey,
  messageData,
  messageKey,
  type Open,
  type State,
  stateKey,
} from './records.ts';

/**
 * What becomes of a delivery, each as the writes of one batch. Its state is the first of them, by whose version a worker
 * that has been overtaken is refused.
 */

/** A state as the store has it. */
export interface Kept<S extends State = State> {
  readonly ref: DeliveryRef;
  readonly state: S;
  readonly version: number;
}

/** Takes a delivery in. @param expired the version of one with its id that is as good as gone */
export function accepting(delivery: Delivery, nowMs: number, expired?: number): Write[] {
  const { companyId, receivedAtMs, body } = delivery;
  const open = { openedAtMs: nowMs, dueMs: nowMs, attempts: 0 };
  const data: Open = { kind: 'open', companyId, receivedAtMs, bodyHash: bodyHashOf(body), ...open };
  const key = stateKey(delivery);
  const state: Write =
    expired === undefined ? { kind: 'insert', key, data } : { kind: 'replace', version: expired, key, data };
  const message = { key: messageKey(delivery), data: messageData(delivery), expiresAtMs: receivedAtMs + MESSAGE_MS };
  // a message that has expired may be there for a while
  return [state, { kind: 'put', ...message }, mark(delivery, nowMs)];
}

/** Takes it on: until it is due again, nobody else does. */
export function claiming(kept: Kept<Open>, dueMs: number): Write[] {
  return [replace(kept, { ...kept.state, attempts: kept.state.attempts + 1, dueMs }), ...moved(kept, dueMs)];
}

/** Writes down the commands that it asks for, before any of them is carried out. */
export function beginning(kept: Kept<Open>, commands: readonly CommandRecord[]): Write[] {
  return [replace(kept, { ...kept.state, commands })];
}

/** Puts it off. */
export function postponing(kept: Kept<Open>, failure: Failure | undefined, dueMs: number): Write[] {
  return [replace(kept, { ...kept.state, ...(failure && { failure }), dueMs }), ...moved(kept, dueMs)];
}

/** Ends it well: from then on nothing of the message is there. */
export function finishing(kept: Kept<Open>, message: number, result: unknown, nowMs: number): Write[] {
  const done: State = { kind: 'done', ...commonOf(kept.state), endedAtMs: nowMs, result };
  return [replace(kept, done, nowMs + KNOWN_MS), unmark(kept), erasure(kept.ref, message)];
}

/** Gives it up, and keeps its message for whoever finds out why. */
export function burying(kept: Kept<Open>, failure: Failure, nowMs: number): Write[] {
  const { ref, state } = kept;
  const { commands } = state;
  const expiresAtMs = nowMs + KNOWN_MS;
  const dead: Dead = { kind: 'dead', ...commonOf(state), ...(commands && { commands }), endedAtMs: nowMs, failure };
  const letter: Write = { kind: 'insert', key: letterKey(ref, nowMs), data: {}, expiresAtMs };
  return [replace(kept, dead, expiresAtMs), unmark(kept), letter];
}

/** Opens a dead letter again, as if it had just come. Refused at its second write where its message is gone. */
export function reopening(kept: Kept<Dead>, message: number, nowMs: number): Write[] {
  const { ref, state } = kept;
  const since = { attempts: 0, openedAtMs: nowMs, dueMs: nowMs };
  const { commands } = state;
  const open: State = { kind: 'open', ...commonOf(state), ...(commands && { commands: reopened(commands) }), ...since };
  const there: Write = { kind: 'check', key: messageKey(ref), version: message };
  return [replace(kept, open), there, unlisted(kept), mark(ref, nowMs)];
}

/** Erases a dead letter's message. Its id stays known. @param message its version, where it is there still */
export function dropping(kept: Kept<Dead>, message: number | undefined, nowMs: number): Write[] {
  const dropped: State = { kind: 'dropped', ...commonOf(kept.state), endedAtMs: nowMs };
  const erased = message === undefined ? [] : [erasure(kept.ref, message)];
  return [replace(kept, dropped, nowMs + KNOWN_MS), unlisted(kept), ...erased];
}

function commonOf({ companyId, receivedAtMs, bodyHash, attempts }: State) {
  return { companyId, receivedAtMs, bodyHash, attempts };
}

function replace({ ref, version }: Kept, data: State, expiresAtMs?: number): Write {
  return { kind: 'replace', key: stateKey(ref), version, data, ...(expiresAtMs !== undefined && { expiresAtMs }) };
}

function mark(ref: DeliveryRef, dueMs: number): Write {
  return { kind: 'insert', key: markKey(ref, dueMs), data: {} };
}

function unmark({ ref, state }: Kept<Open>): Write {
  return once(markKey(ref, state.dueMs));
}

function moved(kept: Kept<Open>, dueMs: number): Write[] {
  return dueMs === kept.state.dueMs ? [] : [unmark(kept), mark(kept.ref, dueMs)];
}

function unlisted({ ref, state }: Kept<Dead>): Write {
  return once(letterKey(ref, state.endedAtMs));
}

/** Removes what is written once and never changed. */
function once(key: Key): Write {
  return { kind: 'remove', key, version: 1 };
}

function erasure(ref: DeliveryRef, version: number): Write {
  return { kind: 'remove', key: messageKey(ref), version, erase: true };
}
