import { readBasic } from '../../../lib/contract/basic-credentials.ts';
import type { ReadSecret } from '../../../lib/credentials/cached-secret.ts';
import { hostedService } from '../../../lib/hosted/service.ts';
import { companyPartition, PROJECT_PREFIX } from '../../../lib/records/keys.ts';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import type { Transport } from '../../../lib/service/http-client/exchange.ts';
import type { CallContext, ProjectService } from '../../../lib/service/port.ts';
import type { Key, Storage } from '../../../lib/storage/port.ts';
import { FaultInjector } from '../../../packages/simulator/fault-injector.ts';
import type { Rates } from '../../../packages/simulator/faults.ts';
import { withFreeCustomIds } from '../../../packages/simulator/free-custom-ids.ts';
import { readPath } from '../../../packages/simulator/projects.ts';
import { type Random, randomFrom } from '../../../packages/simulator/random.ts';
import type { ExchangeResult, SimulatorRequest } from '../../../packages/simulator/server.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { MachineClock, VirtualClock } from './clock.ts';
import { Disk, type Hazards, NO_HAZARDS, type ProcessDeps, SimulatedProcess } from './process.ts';
import { serviceDoor } from './service-door.ts';
import { causes, Truth } from './truth.ts';

/** The longest time by which lookups of the service may be behind, in milliseconds. */
const SETTLE_LAG_MS = 3_000;
/** The longest total time until the service carries out a request, in milliseconds. */
const MAX_ON_ITS_WAY_MS = 2_000;
/**
 * The longest time until the service carries out a request whose connection broke, in milliseconds. With every delay
 * and lag it is less than `SETTLE_MS`.
 */
const MAX_CUT_OFF_MS = 20_000;
/** How far behind a stuck replica falls before it catches up, in milliseconds. */
const REPLICA_LAG_MS = 30_000;
/** The time after which a sent request has no later effect, in milliseconds. Production uses the same value. */
export const SETTLE_MS = 60_000;
/** The time limit of a request to Segue, in milliseconds. */
export const REQUEST_MS = 28_500;

export const COMPANIES = ['one', 'two', 'three'] as const;
export type Company = (typeof COMPANIES)[number];

/** The company that may have a limit. */
export const LIMITED: Company = 'two';

/** The account of each company. Two companies share one; the third has its own. */
export const ACCOUNTS = { one: 'shared', two: 'shared', three: 'third' } as const satisfies Record<Company, string>;
/** How far the service lets the dates of a create be off. Segue's own clocks may be hours behind. */
const START_DATE_TOLERANCE_MS = 24 * 3_600_000;
/**
 * The longest time for which Segue may send an API key that the secret no longer has, in milliseconds. It caches a
 * secret for 30 s, and a request takes as long.
 */
const OLD_KEY_MS = 100_000;
const DAY_MS = 86_400_000;
/** The prefix of the sort keys of request records. */
const RECORD = 'request/';

/** The dependencies of a process of Segue. */
interface SegueDeps {
  readonly storage: Storage;
  readonly transport: Transport;
  /** Reads the secret with the upstream accounts. */
  readonly secret: ReadSecret;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  readonly newId: () => string;
  readonly propagationMs: number;
}

/** A process of Segue, with its background work. */
interface SegueProcess extends ProjectService {
  /** Settles open operations. */
  reconcile(): Promise<unknown>;
}

/** A service under test: how its processes are created, and where their projects are. */
export interface Subject {
  readonly make: (surroundings: SegueDeps) => SegueProcess;
  /** Whether the processes keep projects in their own store, without an upstream service. */
  readonly isItself?: boolean;
}

export interface WorldOptions {
  readonly seed: number;
  readonly subject: Subject;
  readonly rates: Rates;
  readonly hazards: Hazards;
  /** Whether the service accepts a custom id that a project already has. */
  readonly areCustomIdsFree: boolean;
  /** Whether other clients of a company's own account use the same custom ids. */
  readonly areForeign: boolean;
  /** How many projects the limited company may create in a day (UTC); absent if there is no limit. */
  readonly projectsADay: number | undefined;
  readonly processes: number;
  readonly trace: (line: string) => void;
}

/** A simulated world: a clock, a service behind faults, a store, and processes of Segue. */
export class SimulatedWorld {
  readonly clock = new VirtualClock();
  readonly random: Random;
  /** The data of the upstream service. */
  readonly truth = new Truth(this.clock.now);
  /** The store of Segue. */
  readonly store = new MemoryStorage();
  /** The upstream service itself, for clients that bypass Segue. */
  readonly service: ProjectService;
  readonly trace: (line: string) => void;
  readonly injector: FaultInjector;
  readonly #disk = new Disk();
  readonly #machineClock = new MachineClock(this.clock);
  readonly #options: WorldOptions;
  readonly #deps: ProcessDeps;
  readonly #running: (Running | undefined)[];
  #hazards: Hazards;
  /** The limit of the limited company now. */
  projectsADay: number | undefined;
  /** The number of UTC days that the clocks of processes had shown when the limit ended. */
  limitedDays = 1;
  #made = 0;
  #ids = 0;
  /** The API keys of each account, the current one last. The service also accepts earlier ones. */
  readonly #apiKeys: Readonly<Record<string, string[]>> = { shared: ['key-of-shared-0'], third: ['key-of-third-0'] };
  /** When each API key left the secret, in milliseconds of the world's clock. */
  readonly #withdrawnAtMs = new Map<string, number>();
  /** The violations that no answer shows. */
  readonly violations: string[] = [];
  /** The ids of projects that other clients of an account created directly. */
  readonly foreign = new Set<number>();

  readonly areForeign: boolean;
  /** Whether the processes keep projects in their own store, without an upstream service. */
  readonly isItself: boolean;

  constructor(options: WorldOptions) {
    this.areForeign = options.areForeign;
    this.isItself = options.subject.isItself ?? false;
    const { seed, rates, hazards, areCustomIdsFree, processes, trace } = options;
    this.#options = options;
    this.#hazards = hazards;
    this.projectsADay = options.projectsADay;
    this.random = randomFrom(seed);
    this.trace = (line) => trace(`${this.clock.nowMs % 100_000_000} ${line}`);
    const { now, sleep } = this.clock;
    this.service = hostedService({
      storage: this.truth,
      now,
      random: this.random.next,
      newEventId: () => 'ignored',
      startDateToleranceMs: START_DATE_TOLERANCE_MS,
    });
    const door = serviceDoor({ service: this.service, now, accounts: this.#apiKeys });
    this.injector = new FaultInjector({
      service: areCustomIdsFree ? withFreeCustomIds(door) : door,
      random: this.random,
      rates,
      settleLagMs: SETTLE_LAG_MS,
      replicaLagMs: REPLICA_LAG_MS,
      now,
      sleep,
      onFaults: (faults, { method, path }) => this.trace(`fault ${method} ${path}: ${faults.join(', ')}`),
    });
    this.#deps = {
      clock: this.clock,
      machineClock: this.#machineClock,
      random: this.random,
      hazards: () => this.#hazards,
      storage: this.isItself ? this.truth : this.store,
      disk: this.#disk,
      readSecret: () => this.#secret(),
      onCommit: (keys) => this.#noteClaim(keys),
      deliver: (asked) => this.#deliver(asked),
      trace: this.trace,
    };
    this.#running = Array.from({ length: processes });
  }

  /** Returns one of the processes. If it was killed or stalls, a new process without memory takes its place. */
  process(place: number): Running {
    const present = this.#running[place];
    if (present && !present.process.isKilled && !present.process.isStalled) return present;
    const process = new SimulatedProcess(`p${++this.#made}`, this.#deps);
    const running = { process, segue: this.#segue(process) };
    this.#running[place] = running;
    return running;
  }

  /** Stops all faults from now on, and ends the limit of a company. */
  calm(): void {
    this.projectsADay = undefined;
    const dayOf = (ms: number) => Math.floor(ms / DAY_MS);
    this.limitedDays = dayOf(this.clock.nowMs) - dayOf(this.#machineClock.now()) + 1;
    this.#hazards = NO_HAZARDS;
    this.#disk.makeSpace();
    this.injector.isOn = false;
  }

  /** Returns the ids of a company's projects in Segue's ledger, newest first. */
  idsOwnedBy(company: Company): number[] {
    const store = this.isItself ? this.truth : this.store;
    const sorts = store.sorts(companyPartition(company)).filter((sort) => sort.startsWith(PROJECT_PREFIX));
    return sorts.map((sort) => Number(sort.slice(PROJECT_PREFIX.length))).sort((one, other) => other - one);
  }

  call(company: string, key?: string, replayed: () => void = () => {}): CallContext {
    return {
      companyId: company,
      requestId: `request-${++this.#ids}`,
      requestedBy: { kind: 'workflow', id: null },
      ...(company === LIMITED && { projectsADay: this.projectsADay }),
      deadline: deadlineAt(this.clock.nowMs + REQUEST_MS, this.clock.now),
      // Some requests show that they are running, also between requests with the same key that do not.
      idempotency: key === undefined ? undefined : { key, replayed, isAnnounced: this.#ids % 3 === 0 },
    };
  }

  #segue({ storage, transport, secret, now, sleep }: SimulatedProcess): SegueProcess {
    return this.#options.subject.make({
      storage,
      transport,
      sleep,
      secret,
      now,
      random: this.random.next,
      newId: () => `id-${++this.#ids}`,
      propagationMs: SETTLE_MS,
    });
  }

  /** Gives an account at the service a new API key. */
  rotate(account: string): void {
    const keys = this.#apiKeys[account] ?? [];
    this.#withdrawnAtMs.set(keys.at(-1) ?? '', this.clock.nowMs);
    keys.push(`key-of-${account}-${keys.length}`);
  }

  /** Returns the secret. Two companies share an account; the third has its own, and uses tokens. */
  #secret(): string {
    const account = (companyId: string) => ({ companyId, apiKey: this.#apiKeys[companyId]?.at(-1) });
    const companies = { three: { ...account(ACCOUNTS.three), scheme: 'bearer' } };
    return JSON.stringify({ ...account(ACCOUNTS.one), companies });
  }

  /** Records the operation under whose record the work is done. */
  #noteClaim(keys: readonly Key[]): void {
    const cause = causes.getStore();
    const record = keys.find(({ sort }) => sort.startsWith(RECORD));
    if (!cause || !record) return;
    cause.operationId ??= record.sort.slice(RECORD.length);
    cause.claimedMs ??= this.clock.nowMs;
  }

  #checkSent({ method, path, headers: { authorization = '' } }: SimulatorRequest): void {
    if (method === 'GET' || !readPath(path)) return;
    const cause = causes.getStore();
    if (cause && method === 'POST') cause.creationsSent++;
    if (cause?.isReconciliation) this.violations.push(`a reconciliation sent ${method} ${path}`);
    const withdrawnAtMs = this.#withdrawnAtMs.get(readBasic(authorization)?.apiKey ?? '');
    if (method === 'DELETE' && withdrawnAtMs !== undefined && withdrawnAtMs + OLD_KEY_MS < this.clock.nowMs)
      this.violations.push(`${method} ${path} was sent with an API key that the secret has not held for long`);
  }

  async #deliver(asked: SimulatorRequest): Promise<ExchangeResult> {
    this.#checkSent(asked);
    const isCut = this.injector.isOn && this.random.chance(this.#options.rates.delay ?? 0);
    if (!isCut) return this.#arrive(asked, this.random.chance(0.02) ? MAX_ON_ITS_WAY_MS : 40);
    void this.#arrive(asked, MAX_CUT_OFF_MS);
    await this.clock.sleep(5 + this.random.below(40));
    return { kind: 'reset' };
  }

  async #arrive(asked: SimulatorRequest, maxMs: number): Promise<ExchangeResult> {
    await this.clock.sleep(5 + this.random.below(maxMs));
    const ending = await this.injector.exchange(asked);
    if (ending.kind === 'silent') await this.clock.sleep(10 * REQUEST_MS);
    await this.clock.sleep(5 + this.random.below(40));
    return ending;
  }
}

/** A running process that takes requests. */
export interface Running {
  readonly process: SimulatedProcess;
  readonly segue: SegueProcess;
}
