import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';

export interface KeepAliveAgentOptions {
  readonly isSecure: boolean;
  /** For how long a connection that nobody uses is kept, in milliseconds: less than the far end keeps it. */
  readonly idleMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Gives the agent that keeps connections. A function's timers stand still between invocations, so that its idle
 * connections outlive their timeout: after such a pause it is another agent, without connections.
 */
export function keepAliveAgent({ isSecure, idleMs, now }: KeepAliveAgentOptions): () => Agent {
  const AgentOf = isSecure ? SecureAgent : Agent;
  const newAgent = () => new AgentOf({ keepAlive: true, timeout: idleMs });
  let agent = newAgent();
  let usedAtMs = now();
  return () => {
    const idledMs = now() - usedAtMs;
    // If the clock was set back, nobody knows how long the connections were idle.
    if (idledMs < 0 || idledMs > idleMs) agent = newAgent();
    usedAtMs = now();
    return agent;
  };
}
