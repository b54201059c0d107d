import type { ProjectHead } from '../../lib/contract/answer.ts';
import { PROBLEMS } from '../../lib/contract/problems.ts';
import type { Receipt } from '../../lib/contract/receipt.ts';
import type { Deed, Result } from './deeds.ts';
import { type Operation, told, type Wish } from './operations.ts';
import type { Fact, Loss } from './truth.ts';
import { COMPANIES, type Company, type SimulatedWorld } from './world.ts';

/** Holds what everybody was told against what really happened. */
export class Oracle {
  readonly violations: string[] = [];
  readonly deeds: Deed[] = [];
  readonly #world: SimulatedWorld;
  readonly #wishes = new Map<string, Wish>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  /** An operation begins. */
  begun(operation: Operation): Deed {
    if (operation.kind === 'create') this.#wishes.set(operation.wish.name, operation.wish);
    const deed: Deed = { operation, startedMs: this.#world.clock.nowMs, result: undefined };
    this.deeds.push(deed);
    return deed;
  }

  /** An operation has come to its end: what it says must be so at this moment. */
  ended(deed: Deed, result: Result): void {
    deed.result = result;
    const { operation } = deed;
    if (!('company' in operation)) return;
    const { company } = operation;
    if (result.is === 'receipt') this.#checkReceipt(result.receipt, operation);
    if (result.is === 'project') this.#checkProject(result.project, operation);
    if (result.is === 'list') for (const head of result.projects) this.#checkHead(head, company, operation);
  }

  /** What must hold once nothing goes wrong any more and everything open has been found out about. */
  checkAll(): void {
    this.#checkOnce();
    this.#checkOwners();
    for (const loss of this.#world.truth.losses) this.#checkLoss(loss);
  }

  complain(what: string, operation?: Operation): void {
    this.violations.push(operation ? `${what}: ${told(operation)}` : what);
  }

  /** The projects that were made for a wish, but for what somebody else took away: Segue may never have seen it. */
  madeFor(name: string): Fact[] {
    return this.#kept().filter((fact) => fact.name === name);
  }

  #kept(): Fact[] {
    return [...this.#world.truth.facts.values()].filter(({ id }) => !this.#wasDeletedOutside(id));
  }

  #checkProject(project: ProjectHead, operation: Extract<Operation, { readonly company: Company }>): void {
    this.#checkHead(project, operation.company, operation);
    if (operation.kind !== 'create') return;
    const fact = this.#world.truth.facts.get(project.id);
    if (fact?.name !== operation.wish.name)
      this.complain(`project ${project.id} is said to be made, and is not`, operation);
  }

  #checkHead({ id, name, customId }: ProjectHead, company: Company, operation: Operation): void {
    const wish = this.#wishes.get(name);
    if (wish?.company !== company) this.complain(`project ${id} is not the company's`, operation);
    else if (customId !== wish.customId)
      this.complain(`project ${id} has another custom id than it was given`, operation);
  }

  #checkReceipt({ outcome, projectId, scope, taskId }: Receipt, operation: Operation): void {
    const fact = this.#world.truth.facts.get(projectId);
    if (!fact) this.complain(`there never was a project ${projectId}`, operation);
    if (outcome !== 'deleted' || !fact || fact.deletedAtMs !== undefined) return;
    const isReadable = scope === 'project' || fact.tasks.has(taskId ?? '');
    if (isReadable) this.complain(`${scope} of project ${projectId} is said to be deleted, and can be read`, operation);
  }

  /** No project twice for a wish, no two for a key, and none for a wish of which everybody was told that nothing was done. */
  #checkOnce(): void {
    const made = Map.groupBy(this.#kept(), ({ name }) => name);
    for (const [name, facts] of made) {
      if (facts.length > 1 && this.#wishes.has(name)) this.complain(`${name} was made ${facts.length} times`);
    }
    const creations = this.deeds.flatMap(({ operation, result }) =>
      operation.kind === 'create' ? [{ ...operation, result }] : [],
    );
    for (const [name, deeds] of Map.groupBy(creations, ({ wish }) => wish.name)) {
      if (made.has(name) && deeds.every(({ result }) => isNotApplied(result))) {
        this.complain(`${name} was made, and nobody was told but that it was not`);
      }
    }
    const byKey = Map.groupBy(creations, ({ company, key }) => (key === undefined ? '' : `${company} ${key}`));
    for (const [key, deeds] of byKey) {
      const names = new Set(deeds.map(({ wish }) => wish.name));
      if (key !== '' && [...names].filter((name) => made.has(name)).length > 1) {
        this.complain(`two projects were made with the key ${key}`);
      }
    }
  }

  #checkOwners(): void {
    const { truth, injector } = this.#world;
    const owned = COMPANIES.flatMap((company) => this.#world.idsOwnedBy(company).map((id) => ({ company, id })));
    const owners = Map.groupBy(owned, ({ id }) => id);
    for (const { id, name, deletedAtMs } of truth.facts.values()) {
      const wish = this.#wishes.get(name);
      const [first, ...others] = owners.get(id) ?? [];
      if (first && (first.company !== wish?.company || others.length > 0)) this.complain(`${name} has a wrong owner`);
      if (wish && !first && deletedAtMs === undefined && !injector.hasArchived(id)) {
        this.complain(`project ${id} of ${name} has no owner`);
      }
    }
    for (const { company, id } of owned) {
      const customId = this.#customIdOf(id);
      const same = owned.filter((other) => other.company === company && this.#customIdOf(other.id) === customId);
      if (customId !== undefined && same.length > 1)
        this.complain(`${company} has ${same.length} projects ${customId}`);
      const fact = truth.facts.get(id);
      const isGone = !fact || (fact.deletedAtMs !== undefined && !this.#wasDeletedOutside(id));
      if (isGone) this.complain(`${company} owns project ${id}, which is not there`);
    }
  }

  #customIdOf(id: number): string | undefined {
    return this.#wishes.get(this.#world.truth.facts.get(id)?.name ?? '')?.customId;
  }

  /** Nothing is gone that nobody asked for to be deleted, or of which everybody was told that it was not. */
  #checkLoss({ fact, atMs, tasks }: Loss): void {
    const wish = this.#wishes.get(fact.name);
    if (this.#wasDeletedOutside(fact.id)) return;
    for (const task of tasks ?? [undefined]) {
      const isAsked = this.deeds.some(
        ({ operation, startedMs, result }) =>
          operation.kind === 'delete' &&
          operation.company === wish?.company &&
          startedMs <= atMs &&
          // Nobody can tell whether a task went before the project that it was of.
          (!isNotApplied(result) || (task !== undefined && fact.deletedAtMs !== undefined)) &&
          ('id' in operation.ref ? operation.ref.id === fact.id : operation.ref.customId === wish.customId) &&
          (operation.scope.kind === 'task' ? operation.scope.taskId : undefined) === task,
      );
      if (!isAsked) this.complain(`${task ?? 'the whole'} of project ${fact.id} of ${fact.name} is gone, unasked`);
    }
  }

  #wasDeletedOutside(id: number): boolean {
    return this.deeds.some(({ operation }) => operation.kind === 'delete outside' && operation.id === id);
  }
}

function isNotApplied(result: Result | undefined): boolean {
  return result?.is === 'problem' && PROBLEMS[result.problem.name].outcome === 'not-applied';
}
