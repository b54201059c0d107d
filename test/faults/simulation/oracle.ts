import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../../lib/contract/problem.ts';
import { PROBLEMS } from '../../../lib/contract/problems.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import { type OperationState, operationIdOf, type ProjectRef } from '../../../lib/service/port.ts';
import type { ServiceProject } from '../../../lib/service/project-document.ts';
import { type Change, formatOperation, type Operation } from './operations.ts';
import { type Deed, projectIn, type Result } from './perform.ts';
import { DISK_FULL } from './process.ts';
import { contentsSince, PutOracle } from './put-oracle.ts';
import { type Cause, contentIn, type Fact, type Loss } from './truth.ts';
import type { Wish } from './wishes.ts';
import { COMPANIES, type Company, LIMITED, type SimulatedWorld } from './world.ts';

/** A change whose state a client can read: by its key, or by the operation id of an answer. */
interface Asked {
  readonly change: Change;
  readonly operationId: string;
}

/** An operation that an answer reported as failed. */
interface Failed {
  readonly company: Company;
  readonly operationId: string;
  /** When the client sent the request for the state, in milliseconds of the world's clock. */
  readonly askedMs: number;
  readonly problem: Problem;
}

/** An operation of a company. */
type Asking = Extract<Operation, { readonly company: Company }>;

/** Compares the answers of Segue with what happened at the service. */
export class Oracle {
  readonly violations: string[] = [];
  readonly deeds: Deed[] = [];
  readonly #world: SimulatedWorld;
  readonly #wishes = new Map<string, Wish>();
  readonly asked: Asked[] = [];
  readonly #failed: Failed[] = [];
  /** When an answer first returned each project, in milliseconds of the world's clock. */
  readonly #givenAtMs = new Map<number, number>();
  readonly #puts: PutOracle;

  constructor(world: SimulatedWorld) {
    this.#world = world;
    const complain = (what: string, operation?: Operation) => this.complain(what, operation);
    this.#puts = new PutOracle({ world, deeds: this.deeds, wishes: this.#wishes, kept: () => this.#kept(), complain });
    world.truth.watcher = this.#puts;
  }

  /** Records that an operation begins. */
  begun(operation: Operation): Deed {
    if ('wish' in operation) this.#wishes.set(operation.wish.name, operation.wish);
    if ('key' in operation && operation.key !== undefined)
      this.asked.push({ change: operation, operationId: operationIdOf(operation.key) });
    const deed: Deed = {
      operation,
      company: 'company' in operation ? operation.company : undefined,
      startedMs: this.#world.clock.nowMs,
      isReconciliation: operation.kind === 'reconcile',
      isReplayed: false,
      projectsADay: 'company' in operation && operation.company === LIMITED ? this.#world.projectsADay : undefined,
      creationsSent: 0,
      result: undefined,
    };
    this.deeds.push(deed);
    return deed;
  }

  /** Records that an operation ends. Its answer must be true at this moment. */
  ended(deed: Deed, result: Result): void {
    deed.result = result;
    const { operation } = deed;
    if (!('company' in operation)) return;
    const { company } = operation;
    const operationId = operationIn(result);
    if ('key' in operation && operationId !== undefined) this.asked.push({ change: operation, operationId });
    if (result.is === 'receipt') this.#checkReceipt(result.receipt, operation);
    if ('project' in result) this.#checkProject(result.project, deed, operation);
    if (result.is === 'list') for (const head of result.projects) this.#checkHead(head, company, operation);
    if (result.is === 'state') this.#checkState(result.state, deed);
    if (result.is === 'problem') this.#checkProblem(result.problem, deed);
    this.#puts.ended(deed, result);
  }

  /** Checks the rules that must hold at the end, after the reconciler has finished every open operation. */
  checkAll(): void {
    this.#checkOnce();
    this.#checkOwners();
    // A project that somebody else deleted before Segue saw it does not count.
    const limited = this.#kept().filter(isLimited);
    const [limit = 0] = limited.map(({ cause }) => cause?.projectsADay ?? 0);
    if (limited.length > limit * this.#world.limitedDays)
      this.complain(`${limited.length} projects were created where ${limit} are allowed`);
    this.#puts.checkAll(isNotApplied);
    for (const loss of this.#world.truth.losses) this.#checkLoss(loss);
    for (const failed of this.#failed) this.#checkFailed(failed);
  }

  complain(what: string, operation?: Operation): void {
    this.violations.push(operation ? `${what}: ${formatOperation(operation)}` : what);
  }

  /** Returns the projects that creations made for a wish, without those that another client deleted unseen by Segue. */
  madeFor(name: string): Fact[] {
    return this.#kept().filter((fact) => isCreatedFor(fact, name));
  }

  /** Returns the deletions with a key whose last answer left the outcome open. */
  openDeletions(): Change[] {
    const last = new Map<string, { readonly operation: Change; readonly result: Result | undefined }>();
    for (const { operation, result } of this.deeds) {
      if (operation.kind === 'delete' && operation.key !== undefined)
        last.set(`${operation.company} ${operation.key}`, { operation, result });
    }
    return [...last.values()].filter(({ result }) => isOpen(result)).map(({ operation }) => operation);
  }

  /** Returns the ids of the projects that a company deleted. */
  deletedOf(company: Company): number[] {
    const isDeleted = ({ name, deletedAtMs }: Fact) =>
      deletedAtMs !== undefined && this.#wishes.get(name)?.company === company;
    return this.#kept()
      .filter(isDeleted)
      .map(({ id }) => id);
  }

  /** Returns the custom ids that projects of other clients have now. */
  foreignCustomIds(): string[] {
    const { truth, foreign } = this.#world;
    const facts = [...truth.facts.values()].filter(
      ({ id, deletedAtMs }) => foreign.has(id) && deletedAtMs === undefined,
    );
    return facts.flatMap(({ customId = [] }) => customId);
  }

  /** Returns the custom ids of the projects that a company owns. */
  customIdsOf(company: Company): string[] {
    return this.#world.idsOwnedBy(company).flatMap((id) => this.#customIdOf(id) ?? []);
  }

  #kept(): Fact[] {
    const { truth, foreign } = this.#world;
    return [...truth.facts.values()].filter(({ id }) => !foreign.has(id) && !this.#wasDeletedOutside(id));
  }

  #checkProject(project: ServiceProject, { startedMs }: Deed, operation: Asking): void {
    const { id } = project;
    this.#checkHead(project, operation.company, operation);
    if ('ref' in operation && !this.#isNamed(id, operation.ref))
      this.complain(`project ${id} was not asked for`, operation);
    const fact = this.#world.truth.facts.get(id);
    if (this.#world.isItself && fact && !(operation.kind === 'get' && operation.taskId !== undefined)) {
      const shown = contentIn(project);
      if (!contentsSince(fact, startedMs).some((content) => isDeepStrictEqual(content, shown)))
        this.complain(`project ${id} is not shown as it was during the request`, operation);
    }
    if (operation.kind !== 'create' && operation.kind !== 'put') return;
    if (!this.#givenAtMs.has(id)) this.#givenAtMs.set(id, this.#world.clock.nowMs);
    if (operation.kind === 'create' && fact?.firstName !== operation.wish.name)
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
    const isReadable = scope === 'project' || (fact.tasks.has(taskId ?? '') && !isPutAgain(fact, taskId));
    if (isReadable) this.complain(`${scope} of project ${projectId} is said to be deleted, and can be read`, operation);
  }

  #isReceiptOf({ projectId, scope, taskId }: Receipt, asked: Change): boolean {
    if (asked.kind !== 'delete' || asked.scope.kind !== scope) return false;
    return this.#isNamed(projectId, asked.ref) && (asked.scope.kind === 'project' || asked.scope.taskId === taskId);
  }

  #isNamed(id: number, ref: ProjectRef): boolean {
    return 'id' in ref ? ref.id === id : ref.customId === this.#customIdOf(id);
  }

  /** Checks that the state of an operation has the right id, and is true. */
  #checkState(state: OperationState, { operation, startedMs }: Deed): void {
    if (operation.kind !== 'operation' || state.kind === 'running') return;
    const { company, operationId } = operation;
    const isMeant = ({ change, operationId: id }: Asked) => change.company === company && id === operationId;
    const changes = this.asked.filter(isMeant).map(({ change }) => change);
    const names = changes.flatMap((change) => (change.kind === 'create' ? [change.wish.name] : []));
    const isOfPut = ({ id }: { readonly id: number }) =>
      changes.some((change) => change.kind === 'put' && this.#isNamed(id, change.ref));
    if (state.kind === 'failed') {
      // The outcome stays unknown, because another client's project has the custom id.
      if (PROBLEMS[state.problem.name].outcome === 'unknown') return;
      this.#failed.push({ company, operationId, askedMs: startedMs, problem: state.problem });
      const made = names.flatMap((name) => this.madeFor(name)).filter(({ madeAtMs }) => madeAtMs < startedMs);
      const isPut = ({ cause, madeAtMs }: Fact) =>
        cause?.operation.kind === 'put' &&
        cause.company === company &&
        cause.operationId === operationId &&
        madeAtMs < startedMs;
      if (made.length > 0 || this.#kept().some(isPut))
        this.complain('an operation is said to have failed, and has not', operation);
    } else if ('json' in state.result) {
      const { project } = projectIn(state.result);
      this.#checkHead(project, company, operation);
      const { firstName } = this.#world.truth.facts.get(project.id) ?? {};
      if (!names.includes(firstName ?? '') && !isOfPut(project))
        this.complain(`project ${project.id} is of another operation`, operation);
    } else if ('projectId' in state.result) {
      const receipt = state.result;
      this.#checkReceipt(receipt, operation);
      if (!changes.some((change) => this.#isReceiptOf(receipt, change)))
        this.complain(`the receipt of project ${receipt.projectId} is of another operation`, operation);
    }
  }

  /** Checks that a failed operation has no effect, also later, unless a client starts it again. */
  #checkFailed({ company, operationId, askedMs, problem }: Failed): void {
    const { facts, losses } = this.#world.truth;
    /** Whether an attempt that had begun before the answer is the cause. */
    const isOf = (cause: Cause | undefined) =>
      cause?.company === company && cause.operationId === operationId && (cause.claimedMs ?? askedMs) < askedMs;
    const what = `operation ${operationId} of ${company} is said to have failed as ${problem.name}`;
    for (const { id, versions } of facts.values()) {
      for (const { cause, atMs, content } of versions) {
        const isMeant = cause?.operation.kind !== 'delete' && isOf(cause) && !this.#wasDeletedOutside(id);
        if (isMeant) this.complain(`${what}, and has made ${content.name} ${atMs - askedMs} ms after that was asked`);
      }
    }
    for (const { fact, cause, atMs } of losses) {
      // If several deletions of one project run at once, one of them reports the deletion, whichever caused it.
      const isAnothers = atMs < askedMs && ABSENCES.includes(problem.name);
      if (isOf(cause) && !isAnothers)
        this.complain(`${what}, and has deleted of ${fact.name} ${atMs - askedMs} ms after that was asked`);
    }
  }

  /** Checks that a company finds its project as long as the project exists. */
  #checkProblem({ name, message }: Problem, deed: Deed): void {
    const { operation, startedMs } = deed;
    if (name === 'quota-exceeded') this.#checkQuota(deed);
    if (operation.kind === 'delete' && message === DISK_FULL) this.complain('the disk has no room for it', operation);
    // With the key of another put, Segue may speak of that one's project.
    if (!('ref' in operation) || name !== 'project-not-found' || this.#isOfAnotherPut(operation)) return;
    for (const [id, givenAtMs] of this.#givenAtMs) {
      const fact = this.#world.truth.facts.get(id);
      const isThere = fact?.deletedAtMs === undefined && givenAtMs < startedMs;
      const isTheirs = this.#wishes.get(fact?.name ?? '')?.company === operation.company;
      if (isThere && isTheirs && this.#isNamed(id, operation.ref))
        this.complain(`project ${id} is said not to be there, and is`, operation);
    }
  }

  /** Whether an operation has the key of a put that is not the same. */
  #isOfAnotherPut(operation: Operation): boolean {
    const keyed = 'key' in operation && operation.key !== undefined ? operation : undefined;
    return this.deeds.some(
      ({ operation: other }) =>
        keyed !== undefined &&
        other.kind === 'put' &&
        other !== keyed &&
        other.company === keyed.company &&
        other.key === keyed.key,
    );
  }

  /** Checks that a company has reached its limit when it is told so. */
  #checkQuota({ operation, projectsADay }: Deed): void {
    if (projectsADay === undefined) this.complain('a company without a limit has reached it', operation);
    // A creation in front of an upstream service counts before it is over.
    else if (this.#world.isItself && [...this.#world.truth.facts.values()].filter(isLimited).length < projectsADay)
      this.complain('a company has reached its limit too early', operation);
  }

  /** Checks that each wish and each key created at most one project, and no project if all answers say so. */
  #checkOnce(): void {
    const created = this.#kept().filter(({ cause }) => cause?.operation.kind !== 'put');
    const made = Map.groupBy(created, ({ firstName }) => firstName);
    for (const [name, facts] of made) {
      if (facts.length > 1 && this.#wishes.has(name)) this.complain(`${name} was made ${facts.length} times`);
    }
    const creations = this.deeds.flatMap(({ operation, result }) =>
      operation.kind === 'create' ? [{ ...operation, result }] : [],
    );
    for (const [name, deeds] of Map.groupBy(creations, ({ wish }) => wish.name)) {
      if (made.has(name) && deeds.every(({ result }) => isNotApplied(result))) {
        this.complain(`${name} was made, although every answer says that it was not`);
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

  /** Checks that every loss has a deletion that requested it and was not refused. */
  #checkLoss({ fact, cause, atMs, tasks }: Loss): void {
    const wish = this.#wishes.get(fact.name);
    // The rules about puts check what a put removes.
    if (this.#wasDeletedOutside(fact.id) || cause?.operation.kind === 'put') return;
    for (const task of tasks ?? [undefined]) {
      const deletions = this.deeds.filter(
        ({ operation }) =>
          operation.kind === 'delete' &&
          operation.company === wish?.company &&
          ('id' in operation.ref ? operation.ref.id === fact.id : operation.ref.customId === wish.customId) &&
          (operation.scope.kind === 'task' ? operation.scope.taskId : undefined) === task,
      );
      // Of several deletions at once, one reports the deletion and the others find nothing.
      const isTold = deletions.some(({ result }) => !isNotApplied(result));
      const isAsked = deletions.some(
        ({ startedMs, result }) =>
          startedMs <= atMs &&
          // The service does not show whether a task was deleted before its project.
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

/** Whether a project was created under a limit. */
function isLimited({ cause }: Fact): boolean {
  return cause?.projectsADay !== undefined;
}

/** Whether a creation made a project for a wish. */
function isCreatedFor({ firstName, cause }: Fact, name: string): boolean {
  return firstName === name && cause?.operation.kind !== 'put';
}

/** Whether a put has brought a deleted task back. */
function isPutAgain({ versions }: Fact, task: string | null): boolean {
  const deleted = versions.findLastIndex(({ cause }) => {
    const operation = cause?.operation;
    return operation?.kind === 'delete' && operation.scope.kind === 'task' && operation.scope.taskId === task;
  });
  return deleted >= 0 && versions.slice(deleted).some(({ cause }) => cause?.operation.kind === 'put');
}

/** Returns the operation id in an answer. */
function operationIn(result: Result): string | undefined {
  if (result.is === 'receipt') return result.receipt.operationId;
  return result.is === 'problem' ? result.problem.occurrence.operationId : undefined;
}

const ABSENCES: readonly string[] = ['project-not-found', 'task-not-found'];

function isAbsence(result: Result | undefined): boolean {
  return result?.is === 'problem' && ABSENCES.includes(result.problem.name);
}

/** Whether a result leaves the outcome open. */
export function isOpen(result: Result | undefined): boolean {
  if (result?.is === 'receipt') return result.receipt.outcome === 'pending';
  return result?.is === 'lost' || (result?.is === 'problem' && PROBLEMS[result.problem.name].outcome === 'unknown');
}

function isNotApplied(result: Result | undefined): boolean {
  return result?.is === 'problem' && PROBLEMS[result.problem.name].outcome === 'not-applied';
}
