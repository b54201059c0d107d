import type { Reply } from './exchange.ts';
import type { Named, ProjectFields } from './projects.ts';

interface Change extends ProjectFields {
  readonly atMs: number;
  /** What reading the project answered before; `undefined` where there was none. */
  readonly before: Reply | undefined;
}

/** Remembers what became of projects for as long as a lookup may lag behind. */
export class History {
  readonly #lagMs: number;
  #changes: readonly Change[] = [];

  /** @param lagMs how far behind a lookup may be, in milliseconds */
  constructor(lagMs: number) {
    this.#lagMs = lagMs;
  }

  /** Notes that a project was made, changed or deleted. */
  note(change: Change): void {
    const recent = this.#changes.filter(({ atMs }) => atMs >= change.atMs - this.#lagMs);
    this.#changes = [...recent, change];
  }

  /**
   * What reading a project would have answered at a moment.
   * @returns `undefined` where nothing has changed since; no reply where it was not there yet
   */
  at(moment: number, ref: Named): { readonly reply: Reply | undefined } | undefined {
    const change = this.#changes.find(({ atMs, ...project }) => atMs > moment && isNamed(project, ref));
    return change && { reply: change.before };
  }
}

function isNamed({ id, customId }: ProjectFields, ref: Named): boolean {
  return 'id' in ref ? ref.id === id : ref.customId === customId;
}
