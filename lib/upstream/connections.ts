import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { keepAliveAgent } from '../service/keep-alive-agent.ts';

/** Below the 5 seconds after which many servers hang up. */
const IDLE_MS = 4_000;

/** Chooses the connection of each exchange. */
export interface Connections {
  /** For an exchange that changes nothing: a connection that was used before, where there is one. */
  kept(): Agent;
  /**
   * For an exchange that changes something, or is to prove something: always a new connection. A kept one may be closed
   * by the far end just as the request is written, and then nobody could tell whether it was carried out; and it may
   * still hold the second of two answers to what was asked before.
   */
  fresh(): Agent;
}

/** @param now milliseconds since 1970 */
export function openConnections(secure: boolean, now: () => number): Connections {
  const fresh = secure ? new SecureAgent() : new Agent();
  return { kept: keepAliveAgent({ isSecure: secure, idleMs: IDLE_MS, now }), fresh: () => fresh };
}
