import type { Company } from './world.ts';

/** What names a project in the memory of revisions: its custom id, or its id if it has none. */
export interface Named {
  readonly company: Company;
  readonly customId: string | undefined;
  readonly id?: number | undefined;
}

interface Last {
  readonly revision: number;
  /** Whether a deletion followed, so that a put with the same revision is late, too. */
  readonly isDeleted: boolean;
}

/**
 * The revisions that Segue has to remember, as far as changes and answers show them. The real ones may be higher, because
 * an answer comes after its commit.
 */
export class Revisions {
  readonly #last = new Map<string, Last>();

  /** Records that a put changed a project. @returns whether it came too late */
  put(named: Named, revision: number): boolean {
    const last = this.#last.get(nameOf(named));
    const isLate = last !== undefined && (last.isDeleted ? revision <= last.revision : revision < last.revision);
    if (!isLate) this.#last.set(nameOf(named), { revision, isDeleted: false });
    return isLate;
  }

  /** Records that a project was deleted. @returns whether the deletion came too late */
  deleted(named: Named, revision: number | undefined): boolean {
    const last = this.#last.get(nameOf(named));
    if (!last && revision === undefined) return false;
    const highest = Math.max(last?.revision ?? 0, revision ?? 0);
    this.#last.set(nameOf(named), { revision: highest, isDeleted: true });
    return last !== undefined && revision !== undefined && revision < last.revision;
  }

  /** Records that an answer told of a put that was not late, or of a deletion that found no project. */
  told(named: Named, revision: number, isDeletion: boolean): void {
    const last = this.#last.get(nameOf(named));
    if (!last || revision > last.revision) this.#last.set(nameOf(named), { revision, isDeleted: isDeletion });
    else if (isDeletion && revision === last.revision) this.#last.set(nameOf(named), { ...last, isDeleted: true });
  }
}

function nameOf({ company, customId, id }: Named): string {
  return JSON.stringify([company, customId ?? id]);
}
