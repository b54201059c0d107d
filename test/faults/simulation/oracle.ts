import type { Problem } from '../../../lib/contract/problem.ts';
import { PROBLEMS } from '../../../lib/contract/problems.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import { type OperationState, operationIdOf, type ProjectRef } from '../../../lib/service/port.ts';
import type { ServiceProject } from '../../../lib/service/project-document.ts';
import { type Change, type Operation, told, type Wish } from './operations.ts';
import { type Deed, projectIn, type Result } from './perform.ts';
import type { Cause, Fact, Loss } from './truth.ts';
import { COMPANIES, type Company, type SimulatedWorld } from './world.ts';

/** A change that somebody can ask about: by the key that was sent, or by the id that was told. */
interface Asked {
  readonly change: Change;
  readonly operationId: string;
}

/** An operation that somebody was told to have failed. */
interface Failed {
  readonly company: Company;
  readonly operationId: string;
  /** When somebody asked about it. */
  readonly askedMs: number;
  readonly problem: Problem;
}

/** Holds what everybody was told against what really happened. */
export class Oracle {
  readonly violations: string[] = [];
  readonly deeds: Deed[] = [];
  readonly #world: SimulatedWorld;
  readonly #wishes = new Map<string, Wish>();
  readonly asked: Asked[] = [];
  readonly #failed: Failed[] = [];
  /** When somebody was first given a project. */
  readonly #givenAtMs = new Map<number, number>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  /** An operation begins. */
  begun(operation: Operation): Deed {
    if (operation.kind === 'create') this.#wishes.set(operation.wish.name, operation.wish);
    if ('key' in operation && operation.key !== undefined)
      this.asked.push({ change: operation, operationId: operationIdOf(operation.key) });
    const deed: Deed = {
      operation,
      company: 'company' in operation ? operation.company : undefined,
      startedMs: this.#world.clock.nowMs,
      isReconciliation: operation.kind === 'reconcile',
      result: undefined,
    };
    this.deeds.push(deed);
    return deed;
  }

  /** An operation has come to its end: what it says must be so at this moment. */
  ended(deed: Deed, result: Result): void {
    deed.result = result;
    const { operation } = deed;
    if (!('company' in operation)) return;
    const { company } = operation;
    const operationId = operationIn(result);
    if ('key' in operation && operationId !== undefined) this.asked.push({ change: operation, operationId });
    if (result.is === 'receipt') this.#checkReceipt(result.receipt, operation);
    if (result.is === 'project') this.#checkProject(result.project, operation);
    if (result.is === 'list') for (const head of result.projects) this.#checkHead(head, company, operation);
    if (result.is === 'state') this.#checkState(result.state, deed);
    if (result.is === 'problem') this.#checkProblem(result.problem, deed);
  }

  /** What must hold once nothing goes wrong any more and everything open has been found out about. */
  checkAll(): void {
    this.#checkOnce();
    this.#checkOwners();
    for (const loss of this.#world.truth.losses) this.#checkLoss(loss);
    for (const failed of this.#failed) this.#checkFailed(failed);
  }

  complain(what: string, operation?: Operation): void {
    this.violations.push(operation ? `${what}: ${told(operation)}` : what);
  }

  /** The projects that were made for a wish, but for what somebody else took away: Segue may never have seen it. */
  madeFor(name: string): Fact[] {
    return this.#kept().filter((fact) => fact.name === name);
  }

  /** The deletions with a key of which nobody was told the end the last time that they were sent. */
  openDeletions(): Change[] {
    const last = new Map<string, { readonly operation: Change; readonly result: Result | undefined }>();
    for (const { operation, result } of this.deeds) {
      if (operation.kind === 'delete' && operation.key !== undefined)
        last.set(`${operation.company} ${operation.key}`, { operation, result });
    }
    return [...last.values()].filter(({ result }) => isOpen(result)).map(({ operation }) => operation);
  }

  /** The ids of a company's projects that it deleted. */
  deletedOf(company: Company): number[] {
    const isDeleted = ({ name, deletedAtMs }: Fact) =>
      deletedAtMs !== undefined && this.#wishes.get(name)?.company === company;
    return this.#kept()
      .filter(isDeleted)
      .map(({ id }) => id);
  }

  /** The custom ids that projects of other clients have now. */
  foreignCustomIds(): string[] {
    const { truth, foreign } = this.#world;
    const facts = [...truth.facts.values()].filter(
      ({ id, deletedAtMs }) => foreign.has(id) && deletedAtMs === undefined,
    );
    return facts.flatMap(({ customId = [] }) => customId);
  }

  /** The custom ids that a company has given to what it owns. */
  customIdsOf(company: Company): string[] {
    return this.#world.idsOwnedBy(company).flatMap((id) => this.#customIdOf(id) ?? []);
  }

  #kept(): Fact[] {
    const { truth, foreign } = this.#world;
    return [...truth.facts.values()].filter(({ id }) => !foreign.has(id) && !this.#wasDeletedOutside(id));
  }

  #checkProject(project: ServiceProject, operation: Extract<Operation, { readonly company: Company }>): void {
    const { id } = project;
    this.#checkHead(project, operation.company, operation);
    if ('ref' in operation && !this.#isNamed(id, operation.ref))
      this.complain(`project ${id} was not asked for`, operation);
    if (operation.kind !== 'create') return;
    if (!this.#givenAtMs.has(id)) this.#givenAtMs.set(id, this.#world.clock.nowMs);
    if (this.#world.truth.facts.get(id)?.name !== operation.wish.name)
      this.complain(`project ${id} is said to be made, and is not`, operation);
  }

  #checkHead({ id, name, customId }: ServiceProject, company: Company, operation: Operation): void {
    const wish = this.#wishes.get(String(name));
    if (this.#world.foreign.has(id)) this.complain(`project ${id} is another client's`, operation);
    else if (wish?.company !== company) this.complain(`project ${id} is not the company's`, operation);
    else if (customId !== wish.customId)
      this.complain(`project ${id} has another custom id than it was given`, operation);
  }

  #checkReceipt(receipt: Receipt, operation: Operation): void {
    const { outcome, projectId, scope, taskId } = receipt;
    if (operation.kind === 'delete' && !this.#isReceiptOf(receipt, operation))
      this.complain(`${scope} of project ${projectId} was not asked for`, operation);
    const fact = this.#world.truth.facts.get(projectId);
    if (!fact) this.complain(`there never was a project ${projectId}`, operation);
    if (outcome !== 'deleted' || !fact || fact.deletedAtMs !== undefined) return;
    const isReadable = scope === 'project' || fact.tasks.has(taskId ?? '');
    if (isReadable) this.complain(`${scope} of project ${projectId} is said to be deleted, and can be read`, operation);
  }

  #isReceiptOf({ projectId, scope, taskId }: Receipt, asked: Change): boolean {
    if (asked.kind !== 'delete' || asked.scope.kind !== scope) return false;
    return this.#isNamed(projectId, asked.ref) && (asked.scope.kind === 'project' || asked.scope.taskId === taskId);
  }

  #isNamed(id: number, ref: ProjectRef): boolean {
    return 'id' in ref ? ref.id === id : ref.customId === this.#customIdOf(id);
  }

  /** What is told of an operation is what was asked for under its id, and has become of it. */
  #checkState(state: OperationState, { operation, startedMs }: Deed): void {
    if (operation.kind !== 'operation' || state.kind === 'running') return;
    const { company, operationId } = operation;
    const isMeant = ({ change, operationId: id }: Asked) => change.company === company && id === operationId;
    const changes = this.asked.filter(isMeant).map(({ change }) => change);
    const names = changes.flatMap((change) => (change.kind === 'create' ? [change.wish.name] : []));
    if (state.kind === 'failed') {
      // Nobody can tell: another client's project has its custom id.
      if (PROBLEMS[state.problem.name].outcome === 'unknown') return;
      this.#failed.push({ company, operationId, askedMs: startedMs, problem: state.problem });
      const made = names.flatMap((name) => this.madeFor(name)).filter(({ madeAtMs }) => madeAtMs < startedMs);
      if (made.length > 0) this.complain('an operation is said to have failed, and has not', operation);
    } else if ('json' in state.result) {
      const { project } = projectIn(state.result);
      this.#checkHead(project, company, operation);
      if (!names.includes(project.name)) this.complain(`project ${project.id} is of another operation`, operation);
    } else if ('outcome' in state.result) {
      const receipt = state.result;
      this.#checkReceipt(receipt, operation);
      if (!changes.some((change) => this.#isReceiptOf(receipt, change)))
        this.complain(`the receipt of project ${receipt.projectId} is of another operation`, operation);
    }
  }

  /** What was said to have failed has not happened, and does not happen later unless it is begun anew. */
  #checkFailed({ company, operationId, askedMs, problem }: Failed): void {
    const { facts, losses } = this.#world.truth;
    /** Of an attempt that had begun when somebody asked. */
    const isOf = (cause: Cause | undefined) =>
      cause?.company === company && cause.operationId === operationId && (cause.claimedMs ?? askedMs) < askedMs;
    const what = `operation ${operationId} of ${company} is said to have failed as ${problem.name}`;
    for (const { id, name, cause, madeAtMs } of facts.values()) {
      if (isOf(cause) && !this.#wasDeletedOutside(id))
        this.complain(`${what}, and has made ${name} ${madeAtMs - askedMs} ms after that was asked`);
    }
    for (const { fact, cause, atMs } of losses) {
      // Of several deletions of one project one is told that it deleted, whichever the service listened to.
      const isAnothers = atMs < askedMs && ABSENCES.includes(problem.name);
      if (isOf(cause) && !isAnothers)
        this.complain(`${what}, and has deleted of ${fact.name} ${atMs - askedMs} ms after that was asked`);
    }
  }

  /** Whoever was given a project finds it as long as it is there. */
  #checkProblem({ name }: Problem, { operation, startedMs }: Deed): void {
    if (!('ref' in operation) || name !== 'project-not-found') return;
    for (const [id, givenAtMs] of this.#givenAtMs) {
      const fact = this.#world.truth.facts.get(id);
      const isThere = fact?.deletedAtMs === undefined && givenAtMs < startedMs;
      const isTheirs = this.#wishes.get(fact?.name ?? '')?.company === operation.company;
      if (isThere && isTheirs && this.#isNamed(id, operation.ref))
        this.complain(`project ${id} is said not to be there, and is`, operation);
    }
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
    const { truth, injector, foreign } = this.#world;
    const owned = COMPANIES.flatMap((company) => this.#world.idsOwnedBy(company).map((id) => ({ company, id })));
    const owners = Map.groupBy(owned, ({ id }) => id);
    for (const { id, name, deletedAtMs } of truth.facts.values()) {
      const wish = this.#wishes.get(String(name));
      const [first, ...others] = owners.get(id) ?? [];
      const isForeign = foreign.has(id);
      const isWrong = isForeign || first?.company !== wish?.company || others.length > 0;
      if (first && isWrong) this.complain(`${name} has a wrong owner`);
      if (wish && !isForeign && !first && deletedAtMs === undefined && !injector.hasArchived(id)) {
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
    if (this.#world.foreign.has(id)) return undefined;
    return this.#wishes.get(this.#world.truth.facts.get(id)?.name ?? '')?.customId;
  }

  /** Nothing is gone that nobody asked for to be deleted, or of which everybody was told that it was not. */
  #checkLoss({ fact, atMs, tasks }: Loss): void {
    const wish = this.#wishes.get(fact.name);
    if (this.#wasDeletedOutside(fact.id)) return;
    for (const task of tasks ?? [undefined]) {
      const deletions = this.deeds.filter(
        ({ operation }) =>
          operation.kind === 'delete' &&
          operation.company === wish?.company &&
          ('id' in operation.ref ? operation.ref.id === fact.id : operation.ref.customId === wish.customId) &&
          (operation.scope.kind === 'task' ? operation.scope.taskId : undefined) === task,
      );
      // Of several at once one is told that it deleted, whichever the service listened to; the others find nothing.
      const isTold = deletions.some(({ result }) => !isNotApplied(result));
      const isAsked = deletions.some(
        ({ startedMs, result }) =>
          startedMs <= atMs &&
          // Nobody can tell whether a task went before the project that it was of.
          (!isNotApplied(result) ||
            (isTold && isAbsence(result)) ||
            (task !== undefined && fact.deletedAtMs !== undefined)),
      );
      if (!isAsked) this.complain(`${task ?? 'the whole'} of project ${fact.id} of ${fact.name} is gone, unasked`);
    }
  }

  #wasDeletedOutside(id: number): boolean {
    return this.deeds.some(({ operation }) => operation.kind === 'delete outside' && operation.id === id);
  }
}

/** The id under which whoever was told of it asks what became of a change. */
function operationIn(result: Result): string | undefined {
  if (result.is === 'receipt') return result.receipt.operationId;
  return result.is === 'problem' ? result.problem.occurrence.operationId : undefined;
}

const ABSENCES: readonly string[] = ['project-not-found', 'task-not-found'];

function isAbsence(result: Result | undefined): boolean {
  return result?.is === 'problem' && ABSENCES.includes(result.problem.name);
}

/** Whether whoever asked was not told how it ended. */
export function isOpen(result: Result | undefined): boolean {
  if (result?.is === 'receipt') return result.receipt.outcome === 'pending';
  return result?.is === 'lost' || (result?.is === 'problem' && PROBLEMS[result.problem.name].outcome === 'unknown');
}

function isNotApplied(result: Result | undefined): boolean {
  return result?.is === 'problem' && PROBLEMS[result.problem.name].outcome === 'not-applied';
}
