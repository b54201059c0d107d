import type { Scope } from '../../../lib/contract/routes.ts';
import type { DeletionScope, ProjectRef } from '../../../lib/service/port.ts';
import { operationIdOf } from '../../../lib/service/port.ts';
import type { Random } from '../../../packages/simulator/random.ts';
import { CREATED, DIFFERENCES, type Foreign, PUT_TEXTS, putWish, type Wish } from './wishes.ts';
import { ACCOUNTS, COMPANIES, type Company, type SimulatedWorld } from './world.ts';

/** A put of a project, or of one of its tasks. */
export interface Put {
  readonly kind: 'put';
  readonly company: Company;
  readonly ref: ProjectRef;
  readonly wish: Wish;
  readonly taskId: string | undefined;
  readonly revision: number | undefined;
  /** What the caller may do; everything if absent. */
  readonly scopes: readonly Scope[] | undefined;
  readonly key: string | undefined;
}

/** An operation of a client of Segue, of another client of the account, or of Segue itself. */
export type Operation =
  | { readonly kind: 'create'; readonly company: Company; readonly wish: Wish; readonly key: string | undefined }
  | Put
  | {
      readonly kind: 'delete';
      readonly company: Company;
      readonly ref: ProjectRef;
      readonly scope: DeletionScope;
      readonly key: string | undefined;
    }
  | {
      readonly kind: 'get';
      readonly company: Company;
      readonly ref: ProjectRef;
      readonly taskId: string | undefined;
    }
  | { readonly kind: 'list'; readonly company: Company; readonly after?: number }
  | { readonly kind: 'operation'; readonly company: Company; readonly operationId: string }
  | { readonly kind: 'reconcile' }
  /** Another client of an account creates or deletes a project there. */
  | { readonly kind: 'make outside'; readonly account: string; readonly foreign: Foreign }
  | { readonly kind: 'delete outside'; readonly account: string; readonly id: number }
  /** An account at the upstream service gets a new API key. */
  | { readonly kind: 'rotate'; readonly account: string };

/** An operation whose state a client can read. */
export type Change = Extract<Operation, { readonly kind: 'create' | 'put' | 'delete' }>;

/** Returns an operation as JSON with shortened texts, for traces. */
export function formatOperation(operation: Operation): string {
  return JSON.stringify(operation).replaceAll(/([^"]{12})[^"]{28,}/g, '$1…');
}

/** There are few custom ids, so that requests collide. Some are nearly equal, and some too long for a prefix. */
export const CUSTOM_IDS = [
  'a',
  'A',
  'a/b',
  'a%2Fb',
  'Ü',
  'z'.repeat(255),
  `${'z'.repeat(254)}y`,
  `${'é'.repeat(254)}1`,
];
const TASKS = ['t', 'u', '__proto__'];
/** Only a few of them are put, so that late messages meet others. */
const PUT_CUSTOM_IDS = CUSTOM_IDS.slice(0, 3);
/** The scopes of some callers that may not do everything. */
const FEW_SCOPES: readonly (readonly Scope[])[] = [['create', 'update'], ['create'], ['update', 'delete']];

/** The relative frequency of each kind of operation. */
const WEIGHTS: readonly (readonly [Operation['kind'] | 'again', number])[] = [
  ['create', 18],
  ['put', 20],
  ['again', 20],
  ['delete', 20],
  ['get', 12],
  ['list', 6],
  ['operation', 5],
  ['reconcile', 4],
  ['make outside', 2],
  ['delete outside', 1],
  ['rotate', 1],
];
const ALL = WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0);

type WithKey = Extract<Operation, { readonly key: string | undefined }>;

/** Chooses the next operation, which may repeat an earlier one. */
export class Choosing {
  readonly #world: SimulatedWorld;
  readonly #random: Random;
  readonly #wishes: Wish[] = [];
  readonly #withKey: WithKey[] = [];
  readonly #puts: Put[] = [];
  /** The last revision of each project that is put, by its company and what names it. */
  readonly #revisions = new Map<string, number>();
  #named = 0;

  constructor(world: SimulatedWorld) {
    this.#world = world;
    this.#random = world.random;
  }

  next(): Operation {
    const random = this.#random;
    const company = random.pick(COMPANIES);
    switch (this.#kind()) {
      case 'again':
        return this.#again(company);
      case 'create':
        return this.#withKeyFor({ kind: 'create', company, wish: this.#wish(company), key: this.#key() });
      case 'put':
        return this.#withKeyFor(this.#put(company));
      case 'delete':
        return this.#withKeyFor(this.#delete(company));
      case 'get':
        return {
          kind: 'get',
          company,
          ref: this.#ref(company),
          taskId: random.chance(0.2) ? random.pick(TASKS) : undefined,
        };
      case 'list':
        return { kind: 'list', company };
      case 'operation':
        return this.#operation(company);
      case 'reconcile':
        return { kind: 'reconcile' };
      case 'make outside':
        return this.#makeOutside();
      case 'delete outside':
        return this.#deleteOutside();
      case 'rotate':
        return { kind: 'rotate', account: random.pick(Object.values(ACCOUNTS)) };
    }
  }

  #delete(company: Company): Change {
    const random = this.#random;
    const ref = random.chance(0.15) ? { customId: random.pick(PUT_CUSTOM_IDS) } : this.#ref(company);
    return { kind: 'delete', company, ref, scope: this.#scope(company, ref), key: this.#key() };
  }

  /** Returns a put: a new one, or a message that comes late or a second time. */
  #put(company: Company): Put {
    const random = this.#random;
    const recent = this.#puts.slice(-12);
    if (recent.length > 0 && random.chance(0.25)) return { ...random.pick(recent), key: this.#key() };
    const ref = random.chance(0.75) ? { customId: random.pick(PUT_CUSTOM_IDS) } : this.#ref(company);
    const put = {
      kind: 'put' as const,
      company,
      ref,
      wish: this.#putWish(company, ref),
      taskId: random.chance(0.15) ? random.pick(TASKS) : undefined,
      scopes: random.chance(0.25) ? random.pick(FEW_SCOPES) : undefined,
      key: this.#key(),
    };
    const revision = put.taskId === undefined ? this.#revision(company, ref) : undefined;
    this.#puts.push({ ...put, revision });
    return { ...put, revision };
  }

  /** Returns what a put wants of a project: often the same as before, and sometimes what a creation wanted. */
  #putWish(company: Company, ref: ProjectRef): Wish {
    const random = this.#random;
    const wishes = [...this.#wishes, ...this.#puts.map(({ wish }) => wish)].filter((wish) => wish.company === company);
    const named = 'id' in ref ? this.#world.truth.facts.get(ref.id)?.name : undefined;
    const customId = 'customId' in ref ? ref.customId : wishes.find(({ name }) => name === named)?.customId;
    const earlier = wishes.findLast((wish) =>
      customId === undefined ? wish.name === named : wish.customId === customId,
    );
    if (earlier && random.chance(0.35)) return earlier;
    const of = customId === undefined && 'id' in ref ? `${ref.id}` : JSON.stringify(customId);
    return putWish(company, random.pick(PUT_TEXTS), customId, of);
  }

  /** Returns the next revision of a project, the last one again, or a lower one. Some messages have none. */
  #revision(company: Company, ref: ProjectRef): number | undefined {
    const random = this.#random;
    if (random.chance(0.4)) return undefined;
    const name = JSON.stringify([company, ref]);
    const last = this.#revisions.get(name) ?? 0;
    if (random.chance(0.25)) return random.below(last + 1);
    const next = last + (random.chance(0.7) ? 1 : 0);
    this.#revisions.set(name, next);
    return next;
  }

  #kind(): (typeof WEIGHTS)[number][0] {
    let left = this.#random.below(ALL);
    for (const [kind, weight] of WEIGHTS) {
      left -= weight;
      if (left < 0) return kind;
    }
    return 'list';
  }

  #wish(company: Company): Wish {
    const random = this.#random;
    const wish = {
      company,
      name: `${company} ${++this.#named}`,
      customId: random.chance(0.6) ? random.pick(CUSTOM_IDS) : undefined,
      tasks: TASKS.filter(() => random.chance(0.5)),
      ...CREATED,
    };
    this.#wishes.push(wish);
    return wish;
  }

  #key(): string | undefined {
    return this.#random.chance(0.7) ? `k${++this.#named}` : undefined;
  }

  #withKeyFor<T extends WithKey>(operation: T): T {
    if (operation.key !== undefined) this.#withKey.push(operation);
    return operation;
  }

  /**
   * Repeats a request with its key, mostly one of the last. Sometimes the key has other content or another operation.
   */
  #again(company: Company): Operation {
    const random = this.#random;
    const recent = random.chance(0.8) ? this.#withKey.slice(-6) : this.#withKey;
    if (recent.length === 0) return { kind: 'list', company };
    const before = random.pick(recent);
    if (random.chance(0.9)) return before;
    if (before.kind === 'delete') return { ...before, scope: this.#scope(before.company, before.ref) };
    if (before.kind === 'put') return { ...this.#put(before.company), key: before.key };
    const other = { ...before, company, wish: this.#wish(company) };
    return company === before.company ? other : this.#withKeyFor(other);
  }

  /**
   * Returns a project, mostly one that the company has or had, and often a new one. Sometimes it is another company's,
   * or unknown.
   */
  #ref(company: Company): ProjectRef {
    const random = this.#random;
    if (random.chance(0.3)) return { customId: random.pick(CUSTOM_IDS) };
    const isAnybodys = random.chance(0.15);
    const facts = [...this.#world.truth.facts.values()].slice(-40);
    const ids = facts.filter(({ name }) => isAnybodys || name.startsWith(`${company} `)).map(({ id }) => id);
    if (ids.length === 0 || random.chance(0.05)) return { id: 1 };
    return { id: random.pick(random.chance(0.3) ? ids.slice(-2) : ids) };
  }

  #scope(company: Company, ref: ProjectRef): DeletionScope {
    const random = this.#random;
    if (random.chance(0.4)) return { kind: 'task', taskId: random.pick(TASKS) };
    return { kind: 'project', revision: this.#revision(company, ref) };
  }

  #operation(company: Company): Operation {
    const random = this.#random;
    if (this.#withKey.length === 0 || random.chance(0.1)) return { kind: 'operation', company, operationId: 'nothing' };
    const { key = '', company: owner } = random.pick(this.#withKey);
    return { kind: 'operation', company: random.chance(0.8) ? owner : company, operationId: operationIdOf(key) };
  }

  #makeOutside(): Operation {
    const random = this.#random;
    const { areForeign } = this.#world;
    const wish = this.#wishes.findLast((each) => this.canImitate(each));
    if (areForeign && wish && random.chance(0.5)) return this.imitate(wish);
    const customId = areForeign && random.chance(0.5) ? random.pick(CUSTOM_IDS) : undefined;
    const account = customId === undefined ? ACCOUNTS.one : ACCOUNTS.three;
    const foreign = { name: 'outside', customId, tasks: [], difference: 'name', ...CREATED } as const;
    return { kind: 'make outside', account, foreign };
  }

  /**
   * Whether another client can use the custom id that a company sends. In a shared account, Segue sends ids of its own.
   */
  canImitate({ company, customId }: Wish): boolean {
    return company === 'three' && customId !== undefined;
  }

  /** Returns an operation in which another client creates a project with a company's custom id and one difference. */
  imitate({ company, ...wish }: Wish): Operation {
    const foreign = { ...wish, difference: this.#random.pick(DIFFERENCES) };
    return { kind: 'make outside', account: ACCOUNTS[company], foreign };
  }

  #deleteOutside(): Operation {
    const alive = [...this.#world.truth.facts.values()].filter(({ deletedAtMs }) => deletedAtMs === undefined);
    if (alive.length === 0) return { kind: 'reconcile' };
    const { id, partition } = this.#random.pick(alive);
    return { kind: 'delete outside', account: partition.replace(/^company\//, ''), id };
  }
}
