import type { ProjectRef } from '../../lib/service/port.ts';
import type { ProjectFields } from './projects.ts';
import type { SimulatorResponse } from './server.ts';

interface Change extends ProjectFields {
  readonly atMs: number;
  /** The response to a read of the project just before the change; `undefined` if the project did not exist. */
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
