import { projectPath } from '../../lib/contract/paths.ts';
import { ACCEPTED, IN_PROGRESS, NO_CONTENT, reshape, resultOfFault } from './fault-responses.ts';
import { type FaultName, type FaultPlan, planFaults, type Rates, RequestedFaults } from './faults.ts';
import { type PastRead, ProjectHistory } from './project-history.ts';
import { mapProjects, type ProjectsPath, projectIn, readPath, withId, withoutQuery } from './projects.ts';
import type { Random } from './random.ts';
import type { ExchangeResult, SimulatedService, SimulatorRequest, SimulatorResponse } from './server.ts';

export interface FaultInjectorOptions {
  readonly service: SimulatedService;
  readonly random: Random;
  readonly rates: Rates;
  /**
   * The settle lag, in milliseconds: how far reads may be behind, how old a repeated response may be, and how late a
   * deletion is.
   */
  readonly settleLagMs: number;
  /** How far a stuck replica falls behind, in milliseconds. Default: the settle lag. */
  readonly replicaLagMs?: number | undefined;
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Receives the faults of each exchange that has any. */
  readonly onFaults: (names: readonly FaultName[], request: SimulatorRequest) => void;
}

const MAX_DELAY_MS = 5_000;
const HOUR_MS = 3_600_000;
/**
 * The longest times from accepting a deletion to deleting the project, in milliseconds. One is picked for each
 * deletion, so that some are quick and others take hours.
 */
const PENDING_MS = [20 * HOUR_MS, HOUR_MS, HOUR_MS / 6];
/** The share of accepted deletions that never delete the project. */
const DROPPED = 0.25;
/** The id that no project has. A request with this id gets the 404 of a missing project. */
const NO_PROJECT = 1;

/** Injects faults into the exchanges with a service. Random numbers, rates and custom ids decide which faults occur. */
export class FaultInjector {
  readonly #options: FaultInjectorOptions;
  readonly #history: ProjectHistory;
  readonly #replicaLagMs: number;
  /** The moment that each account's stale replica shows, in milliseconds since 1970. */
  readonly #replicas = new Map<string, number>();
  /** The paths of accepted deletions whose projects are not yet deleted. */
  readonly #pending = new Set<string>();
  /** The ids of projects that were archived instead of deleted. */
  readonly #archived = new Set<number>();
  readonly #requested = new RequestedFaults();
  /** The last response to each request. The oldest response comes first. */
  readonly #responses = new Map<string, { readonly atMs: number; readonly response: SimulatorResponse }>();
  /** Whether faults occur by their rates. If not, only custom ids cause faults. */
  isOn = true;

  constructor(options: FaultInjectorOptions) {
    const { settleLagMs, replicaLagMs = settleLagMs } = options;
    this.#options = options;
    this.#history = new ProjectHistory(Math.max(settleLagMs, replicaLagMs));
    this.#replicaLagMs = replicaLagMs;
  }

  /** Whether a project was archived instead of deleted. */
  hasArchived(id: number): boolean {
    return this.#archived.has(id);
  }

  async exchange(request: SimulatorRequest): Promise<ExchangeResult> {
    const path = readPath(request.path);
    if (!path) return { kind: 'answered', response: await this.#options.service(request) };
    const { random, rates, sleep, onFaults } = this.#options;
    const plan = planFaults(request.method, this.isOn ? rates : {}, random, this.#requested.take(request, path));
    const names = Object.values(plan);
    if (names.length > 0) onFaults(names, request);
    if (plan.delay) await sleep(random.below(MAX_DELAY_MS));
    if (plan.before) return resultOfFault(plan.before, random);
    const response = await this.#carryOut(request, path, plan);
    const result = plan.after ? this.#lose(plan.after, request, response) : undefined;
    this.#remember(request, response);
    return result ?? { kind: 'answered', response: reshape(plan.look, response, random) };
  }

  async #carryOut(request: SimulatorRequest, path: ProjectsPath, { doing }: FaultPlan): Promise<SimulatorResponse> {
    if (request.method === 'POST') {
      const first = await this.#create(request);
      return doing === 'twice' ? this.#create(request) : first;
    }
    if (doing === 'stuck-replica') {
      const { random, now } = this.#options;
      this.#replicas.set(accountOf(request), now() - random.below(this.#replicaLagMs + 1));
    }
    return request.method === 'DELETE'
      ? this.#carryOutDeletion(request, path, doing)
      : this.#markArchived(await this.#read(request, path, doing === 'lagging'));
  }

  async #carryOutDeletion(
    request: SimulatorRequest,
    path: ProjectsPath,
    doing: FaultName | undefined,
  ): Promise<SimulatorResponse> {
    const replicated = this.#readReplica(request, path);
    if (replicated && !replicated.response)
      return this.#options.service({ ...request, path: projectPath({ id: NO_PROJECT }) });
    if (this.#pending.size > 0) {
      const project = await this.#find(request);
      const isPending = project && this.#pending.has(withId(request.path, project.id));
      if (isPending) return this.#options.random.pick([ACCEPTED, IN_PROGRESS]);
    }
    if (doing === 'accepted-for-hours' || doing === 'archived' || doing === 'delete-later') {
      return this.#deleteOtherwise(request, path, doing);
    }
    const deletion = doing === 'widening' ? { ...request, path: withoutQuery(request.path) } : request;
    const first = await this.#delete(deletion);
    return doing === 'twice' ? this.#delete(deletion) : first;
  }

  async #create(request: SimulatorRequest): Promise<SimulatorResponse> {
    const { service, settleLagMs, now } = this.#options;
    const response = await service(request);
    this.#requested.recordCreated(request, response);
    // If no later read needs the response, it is not parsed, because it may be large.
    const project = settleLagMs > 0 ? projectIn(response) : undefined;
    if (project) this.#history.record({ ...project, atMs: now(), before: undefined });
    return response;
  }

  async #delete(request: SimulatorRequest): Promise<SimulatorResponse> {
    const before = await this.#options.service(readOf({ ...request, path: withoutQuery(request.path) }));
    const project = before.status === 200 ? projectIn(before) : undefined;
    if (project && this.#archived.has(project.id)) return NO_CONTENT;
    const response = await this.#options.service(request);
    if (project && response.status < 300) this.#history.record({ ...project, atMs: this.#options.now(), before });
    return response;
  }

  /**
   * Archives the project of a deletion, or deletes it later or never. A deletion that the service would reject is
   * rejected now.
   */
  async #deleteOtherwise(
    request: SimulatorRequest,
    { hasQuery }: ProjectsPath,
    how: 'accepted-for-hours' | 'archived' | 'delete-later',
  ): Promise<SimulatorResponse> {
    const { sleep, settleLagMs } = this.#options;
    const project = await this.#find(request);
    if (!project || (how === 'archived' && hasQuery)) return this.#delete(request);
    if (how === 'archived') {
      this.#archived.add(project.id);
      return NO_CONTENT;
    }
    const byId = { ...request, path: withId(request.path, project.id) };
    const carryOut = () => this.#delete(byId);
    if (how === 'delete-later') void sleep(settleLagMs).then(carryOut);
    else this.#deleteMuchLater(byId.path, carryOut);
    return ACCEPTED;
  }

  #deleteMuchLater(path: string, carryOut: () => Promise<unknown>): void {
    const { random, sleep } = this.#options;
    this.#pending.add(path);
    const afterMs = random.below(random.pick(PENDING_MS));
    const isDropped = random.chance(DROPPED);
    void sleep(afterMs).then(() => {
      this.#pending.delete(path);
      return isDropped ? undefined : carryOut();
    });
  }

  /** Reads the project that a deletion names, by id or custom id. */
  async #find(request: SimulatorRequest) {
    return projectIn(await this.#options.service(readOf(request)));
  }

  async #read(request: SimulatorRequest, path: ProjectsPath, isLagging: boolean): Promise<SimulatorResponse> {
    const { service, random, now, settleLagMs } = this.#options;
    const { project, end, hasQuery } = path;
    const momentMs = now() - random.below(settleLagMs + 1);
    const lagging = isLagging && project && !hasQuery ? this.#history.readAt(momentMs, project) : undefined;
    const past = lagging ?? (hasQuery ? undefined : this.#readReplica(request, path));
    // The history has no earlier segments and no earlier progress.
    if (!past || (end !== '' && past.response)) return service(request);
    return past.response ?? service({ ...request, path: projectPath({ id: NO_PROJECT }) });
  }

  /**
   * Reads a project on the stale replica of its account.
   * @returns `undefined` if the account has no stale replica, or the project has not changed since
   */
  #readReplica(request: SimulatorRequest, { project }: ProjectsPath): PastRead | undefined {
    const momentMs = this.#replicas.get(accountOf(request));
    if (!this.isOn || !project || momentMs === undefined) return undefined;
    const hasCaughtUp = this.#options.now() > momentMs + this.#replicaLagMs;
    return hasCaughtUp ? undefined : this.#history.readAt(momentMs, project);
  }

  #markArchived(response: SimulatorResponse): SimulatorResponse {
    if (this.#archived.size === 0) return response;
    return mapProjects(response, (fields) => {
      const { id } = fields;
      return typeof id === 'number' && this.#archived.has(id) ? { ...fields, archived: true } : fields;
    });
  }

  /**
   * Returns the result of an exchange whose response is lost or replaced.
   * @returns `undefined` if the client gets the service's response
   */
  #lose(name: FaultName, request: SimulatorRequest, response: SimulatorResponse): ExchangeResult | undefined {
    const { now, random, settleLagMs } = this.#options;
    if (name === 'truncated') return { kind: 'truncated', response };
    if (name !== 'repeated') return resultOfFault(name, random);
    const earlier = this.#responses.get(keyOf(request));
    if (!earlier || now() - earlier.atMs > settleLagMs) return undefined;
    return { kind: 'answered', response: earlier.response };
  }

  #remember(request: SimulatorRequest, response: SimulatorResponse): void {
    const { now, settleLagMs } = this.#options;
    for (const [key, { atMs }] of this.#responses) {
      if (now() - atMs <= settleLagMs) break;
      this.#responses.delete(key);
    }
    this.#responses.delete(keyOf(request));
    this.#responses.set(keyOf(request), { atMs: now(), response });
  }
}

/**
 * Returns the key of a request for remembering its response. All creations of an account have one key, because they
 * differ only in their bodies.
 */
function keyOf({ method, path, headers }: SimulatorRequest): string {
  return `${method} ${path} ${headers.authorization}`;
}

function accountOf({ headers: { authorization = '' } }: SimulatorRequest): string {
  return authorization;
}

/** Returns a GET request for the project that a deletion names. */
function readOf({ path, headers: { authorization } }: SimulatorRequest): SimulatorRequest {
  return { method: 'GET', path, headers: { ...(authorization !== undefined && { authorization }) } };
}
