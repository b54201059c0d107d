import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';

export interface KeepAliveOptions {
  readonly isSecure: boolean;
  /** How long an idle connection is kept, in milliseconds: less than the server keeps it. */
  readonly idleMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Returns the agent to send a request with, which keeps connections alive. Lambda freezes timers between invocations, so
 * idle connections outlive their timeout: after such a pause it is a new agent, without connections.
 */
export function keepAliveAgent({ isSecure, idleMs, now }: KeepAliveOptions): () => Agent {
  const AgentOf = isSecure ? SecureAgent : Agent;
  const newAgent = () => new AgentOf({ keepAlive: true, timeout: idleMs });
  let agent = newAgent();
  let usedAtMs = now();
  return () => {
    const idledMs = now() - usedAtMs;
    // If the clock was set back, the idle time is unknown.
    if (idledMs < 0 || idledMs > idleMs) agent = newAgent();
    usedAtMs = now();
    return agent;
  };
}
