import type { ProjectRef } from '../../lib/service/port.ts';
import type { ProjectFields } from './projects.ts';
import type { SimulatorResponse } from './server.ts';

interface Change extends ProjectFields {
  readonly atMs: number;
  /** The response to a read of the project just before the change. `undefined` if the project did not exist then. */
  readonly before: SimulatorResponse | undefined;
}

/** The response that a read would have got at an earlier moment. `undefined` if the project did not exist then. */
export interface PastRead {
  readonly response: SimulatorResponse | undefined;
}

/** The recent changes of projects, for reads that return an earlier state. Changes older than `lagMs` are dropped. */
export class ProjectHistory {
  readonly #lagMs: number;
  #changes: readonly Change[] = [];

  /** Creates a history without changes. @param lagMs how old the state that a read returns may be, in milliseconds */
  constructor(lagMs: number) {
    this.#lagMs = lagMs;
  }

  /** Records that a project was created, changed or deleted. */
  record(change: Change): void {
    const recent = this.#changes.filter(({ atMs }) => atMs >= change.atMs - this.#lagMs);
    this.#changes = [...recent, change];
  }

  /** Reads a project as it was at a moment. @returns `undefined` if the project has not changed since that moment */
  readAt(momentMs: number, ref: ProjectRef): PastRead | undefined {
    const change = this.#changes.find(
      ({ atMs, id, customId }) => atMs > momentMs && ('id' in ref ? ref.id === id : ref.customId === customId),
    );
    return change && { response: change.before };
  }
}
