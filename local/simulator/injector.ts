import { AcceptedDeletions } from './accepted.ts';
import { ACCEPTED, madeUp, NO_CONTENT, UNDER_WAY } from './answers.ts';
import type { Asked, Ending, Reply, Service } from './exchange.ts';
import type { FaultName, Rates } from './faults.ts';
import { History } from './history.ts';
import { looking, markedArchived } from './looks.ts';
import { type Plan, planFor } from './plan.ts';
import { type ProjectsPath, pathOf, projectIn, readPath, withoutQuery } from './projects.ts';
import type { Random } from './random.ts';
import { Replicas } from './replicas.ts';
import { Wishes } from './wishes.ts';

export interface InjectorOptions {
  readonly service: Service;
  readonly random: Random;
  readonly rates: Rates;
  /** How far behind a lookup may be and a repeated answer may be old, and how late a deletion is carried out, in milliseconds. */
  readonly settleLagMs: number;
  /** How far behind a stuck replica falls, in milliseconds; the settle lag unless given. */
  readonly replicaLagMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Told of what goes wrong. */
  readonly onFaults: (names: readonly FaultName[], asked: Asked) => void;
}

const MOST_DELAY_MS = 5_000;

interface Remembered {
  readonly atMs: number;
  readonly reply: Reply;
}

/** Stands before a service and lets things go wrong, as its seed, its rates and custom ids say. */
export class Injector {
  readonly #options: InjectorOptions;
  readonly #history: History;
  readonly #replicas: Replicas;
  readonly #accepted: AcceptedDeletions;
  /** The projects that were archived in place of deleted. */
  readonly #archived = new Set<number>();
  readonly #wishes = new Wishes();
  /** The last answer to each request, the oldest first. */
  readonly #answers = new Map<string, Remembered>();
  /** Nothing goes wrong by chance any more where this is off. */
  isOn = true;

  constructor(options: InjectorOptions) {
    const { settleLagMs, replicaLagMs = settleLagMs, random } = options;
    this.#options = options;
    this.#history = new History(Math.max(settleLagMs, replicaLagMs));
    this.#replicas = new Replicas(replicaLagMs, random);
    this.#accepted = new AcceptedDeletions(random);
  }

  /** Whether a project can be read only because its deletion archived it. */
  hasArchived(id: number): boolean {
    return this.#archived.has(id);
  }

  async exchange(asked: Asked): Promise<Ending> {
    const path = readPath(asked.path);
    if (!path) return { kind: 'answered', reply: await this.#options.service(asked) };
    const { random, rates, sleep, onFaults } = this.#options;
    const plan = planFor(asked.method, this.isOn ? rates : {}, random, this.#wishes.grant(asked, path));
    const names = Object.values(plan);
    if (names.length > 0) onFaults(names, asked);
    if (plan.delay) await sleep(random.below(MOST_DELAY_MS));
    if (plan.before) return ended(plan.before, random);
    const reply = await this.#do(asked, path, plan);
    const ending = plan.after ? this.#lost(plan.after, asked, reply) : undefined;
    this.#remember(asked, reply);
    return ending ?? { kind: 'answered', reply: looking(plan.look, reply, random) };
  }

  async #do(asked: Asked, path: ProjectsPath, { doing }: Plan): Promise<Reply> {
    switch (asked.method) {
      case 'POST': {
        const first = await this.#create(asked);
        return doing === 'twice' ? this.#create(asked) : first;
      }
      case 'DELETE': {
        if (doing === 'stuck-replica') this.#bindToReplica(asked);
        if (this.#isNotYetOnReplica(asked, path)) return this.#options.service({ ...asked, path: pathOf(NOBODY) });
        const accepted = await this.#acceptedBefore(asked);
        if (accepted) return accepted;
        if (doing === 'accepted-for-hours') return this.#accept(asked);
        if (doing === 'archived' || doing === 'delete-later') return this.#deleteOtherwise(asked, path, doing);
        const done = doing === 'widening' ? { ...asked, path: withoutQuery(asked.path) } : asked;
        const first = await this.#delete(done);
        return doing === 'twice' ? this.#delete(done) : first;
      }
      default:
        if (doing === 'stuck-replica') this.#bindToReplica(asked);
        return markedArchived(await this.#read(asked, path, doing === 'lagging'), this.#archived);
    }
  }

  async #create(asked: Asked): Promise<Reply> {
    const { service, settleLagMs, now } = this.#options;
    const reply = await service(asked);
    this.#wishes.created(asked, reply);
    // Nothing is read of a large answer that nobody asks for later.
    const project = settleLagMs > 0 ? projectIn(reply) : undefined;
    if (project) this.#history.note({ ...project, atMs: now(), before: undefined });
    return reply;
  }

  async #delete(asked: Asked): Promise<Reply> {
    const before = await this.#whole(asked);
    const project = before && projectIn(before);
    if (project && this.#archived.has(project.id)) return NO_CONTENT;
    const reply = await this.#options.service(asked);
    if (project && reply.status < 300) this.#history.note({ ...project, atMs: this.#options.now(), before });
    return reply;
  }

  /** Deletes at another time, or only as it seems. */
  async #deleteOtherwise(asked: Asked, { hasQuery }: ProjectsPath, how: 'archived' | 'delete-later'): Promise<Reply> {
    const { service, sleep, settleLagMs } = this.#options;
    const there = await service(readingOf(asked));
    const project = projectIn(there);
    // What would be refused is refused now.
    if (!project || (how === 'archived' && hasQuery)) return this.#delete(asked);
    if (how === 'archived') {
      this.#archived.add(project.id);
      return NO_CONTENT;
    }
    const byId = { ...asked, path: asked.path.replace(/^[^?]*/, pathOf(project.id)) };
    void sleep(settleLagMs).then(() => this.#delete(byId));
    return ACCEPTED;
  }

  /** Accepts the deletion of something that is there. */
  async #accept(asked: Asked): Promise<Reply> {
    const project = projectIn(await this.#options.service(readingOf(asked)));
    if (!project) return this.#delete(asked);
    const byId = { ...asked, path: asked.path.replace(/^[^?]*/, pathOf(project.id)) };
    this.#accepted.accept(byId.path, this.#options.sleep, () => this.#delete(byId));
    return ACCEPTED;
  }

  /** The answer to a deletion that was accepted before and is not over; `undefined` if there is none. */
  async #acceptedBefore(asked: Asked): Promise<Reply | undefined> {
    if (this.#accepted.count === 0) return undefined;
    const { service, random } = this.#options;
    const project = projectIn(await service(readingOf(asked)));
    const isUnderWay = project && this.#accepted.isUnderWay(asked.path.replace(/^[^?]*/, pathOf(project.id)));
    return isUnderWay ? random.pick([ACCEPTED, UNDER_WAY]) : undefined;
  }

  #bindToReplica(asked: Asked): void {
    this.#replicas.bind(accountIn(asked), this.#options.now());
  }

  /** What a project was on the replica of its account; `undefined` without one, or if nothing has changed since. */
  #onReplica(asked: Asked, { project }: ProjectsPath): { readonly reply: Reply | undefined } | undefined {
    const momentMs = this.isOn ? this.#replicas.momentOf(accountIn(asked), this.#options.now()) : undefined;
    return momentMs !== undefined && project ? this.#history.at(momentMs, project) : undefined;
  }

  #isNotYetOnReplica(asked: Asked, path: ProjectsPath): boolean {
    const then = this.#onReplica(asked, path);
    return then !== undefined && then.reply === undefined;
  }

  async #read(asked: Asked, path: ProjectsPath, isLagging: boolean): Promise<Reply> {
    const { service, random, now, settleLagMs } = this.#options;
    const { project, hasQuery } = path;
    const moment = now() - random.below(settleLagMs + 1);
    const lagging = isLagging && project && !hasQuery ? this.#history.at(moment, project) : undefined;
    const then = lagging ?? (hasQuery ? undefined : this.#onReplica(asked, path));
    if (!then) return service(asked);
    return then.reply ?? service({ ...asked, path: pathOf(NOBODY) });
  }

  /** The whole project that a request is about, as reading it answers. */
  async #whole(asked: Asked): Promise<Reply | undefined> {
    const reply = await this.#options.service({ ...readingOf(asked), path: withoutQuery(asked.path) });
    return reply.status === 200 ? reply : undefined;
  }

  /** What becomes of an answer that does not arrive as it was given; `undefined` where it does. */
  #lost(name: FaultName, asked: Asked, reply: Reply): Ending | undefined {
    const { now, random, settleLagMs } = this.#options;
    if (name === 'truncated') return { kind: 'truncated', reply };
    if (name !== 'repeated') return ended(name, random);
    const earlier = this.#answers.get(requestIn(asked));
    if (!earlier || now() - earlier.atMs > settleLagMs) return undefined;
    return { kind: 'answered', reply: earlier.reply };
  }

  #remember(asked: Asked, reply: Reply): void {
    const { now, settleLagMs } = this.#options;
    for (const [request, { atMs }] of this.#answers) {
      if (now() - atMs <= settleLagMs) break;
      this.#answers.delete(request);
    }
    this.#answers.delete(requestIn(asked));
    this.#answers.set(requestIn(asked), { atMs: now(), reply });
  }
}

/** No project has this id. */
const NOBODY = 1;

/** What makes two requests the same: all creations of an account are, since what they want is in their bodies. */
function requestIn({ method, path, headers }: Asked): string {
  return `${method} ${path} ${headers.authorization}`;
}

/** Whose request it is, as far as its credentials say. */
function accountIn({ headers: { authorization = '' } }: Asked): string {
  return authorization;
}

/** The reading with which it is found out what a deletion would be about. */
function readingOf({ path, headers: { authorization } }: Asked): Asked {
  return { method: 'GET', path, headers: { ...(authorization !== undefined && { authorization }) } };
}

/** How an exchange ends in which the service's answer has no part. */
function ended(name: FaultName, random: Random): Ending {
  if (name === 'refused') return { kind: 'refused' };
  if (name.startsWith('reset-')) return { kind: 'reset' };
  const reply = madeUp(name, random);
  return reply ? { kind: 'answered', reply } : { kind: 'silent' };
}
