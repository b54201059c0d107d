import type { ProjectRef } from '../../lib/service/port.ts';
import type { ProjectFields } from './projects.ts';
import type { Random } from './random.ts';
import type { SimulatorResponse } from './server.ts';

interface Change extends ProjectFields {
  readonly atMs: number;
  /** The response to reading the project before; `undefined` if it did not exist. */
  readonly before: SimulatorResponse | undefined;
}

/** The response to reading a project at an earlier moment; none if the project did not exist yet. */
export interface PastRead {
  readonly response: SimulatorResponse | undefined;
}

/** Remembers the changes of projects for as long as a read may be behind. */
export class ProjectHistory {
  readonly #lagMs: number;
  #changes: readonly Change[] = [];

  /** @param lagMs how far a read may be behind, in milliseconds */
  constructor(lagMs: number) {
    this.#lagMs = lagMs;
  }

  /** Records that a project was created, changed or deleted. */
  record(change: Change): void {
    const recent = this.#changes.filter(({ atMs }) => atMs >= change.atMs - this.#lagMs);
    this.#changes = [...recent, change];
  }

  /** Reads a project as it was at a moment. @returns `undefined` if nothing has changed since */
  readAt(momentMs: number, ref: ProjectRef): PastRead | undefined {
    const change = this.#changes.find(
      ({ atMs, id, customId }) => atMs > momentMs && ('id' in ref ? ref.id === id : ref.customId === customId),
    );
    return change && { response: change.before };
  }
}

/** A replica that shows one moment until it catches up. */
interface Replica {
  readonly momentMs: number;
  readonly untilMs: number;
}

/** The stale replicas that answer the requests of some accounts. */
export class StaleReplicas {
  readonly #lagMs: number;
  readonly #random: Random;
  readonly #replicas = new Map<string, Replica>();

  /** @param lagMs how far a replica falls behind before it catches up, in milliseconds */
  constructor(lagMs: number, random: Random) {
    this.#lagMs = lagMs;
    this.#random = random;
  }

  /** Binds an account to a stale replica until that catches up. */
  bind(account: string, nowMs: number): void {
    const momentMs = nowMs - this.#random.below(this.#lagMs + 1);
    this.#replicas.set(account, { momentMs, untilMs: momentMs + this.#lagMs });
  }

  /** The moment that an account's replica shows; `undefined` if no replica is bound to it. */
  momentOf(account: string, nowMs: number): number | undefined {
    const replica = this.#replicas.get(account);
    return replica && nowMs <= replica.untilMs ? replica.momentMs : undefined;
  }
}
