import { Problem } from '../../../lib/contract/problem.ts';
import type { ReadSecret } from '../../../lib/credentials/cached-secret.ts';
import { PROJECT_PREFIX } from '../../../lib/records/keys.ts';
import { NoAnswer, type Transport } from '../../../lib/service/http-client/exchange.ts';
import type { Batch, Commit, Key, Storage } from '../../../lib/storage/port.ts';
import type { Random } from '../../../packages/simulator/random.ts';
import type { ExchangeResult, SimulatorRequest } from '../../../packages/simulator/server.ts';
import type { MachineClock, VirtualClock } from './clock.ts';

/** The probability of each hazard at a point. */
export interface Hazards {
  readonly kill: number;
  readonly freeze: number;
  /** The probability that the process stalls for hours. */
  readonly stall: number;
  /** The probability that the clocks of all processes are set back, by up to an hour. */
  readonly setBack: number;
  /** The probability that the disk of the store becomes full. A deletion frees space. */
  readonly full: number;
  /** The probability that the store is unavailable, or that the answer of a commit is lost. */
  readonly store: number;
}

export const NO_HAZARDS: Hazards = { kill: 0, freeze: 0, stall: 0, setBack: 0, full: 0, store: 0 };

/** The hazards at a point of a process. */
const AT_A_POINT = ['kill', 'freeze', 'stall', 'setBack', 'full'] as const;
type PointHazard = (typeof AT_A_POINT)[number];

/** The detail of the problem of a commit for which the disk has no space. */
export const DISK_FULL = 'The disk is full.';

/** The disk of the store. While it is full, it has space only for batches that use the reserve. */
export class Disk {
  #isFull = false;

  fillUp(): void {
    this.#isFull = true;
  }

  makeSpace(): void {
    this.#isFull = false;
  }

  /** Commits a batch. A deletion of a project frees space. */
  async commit(storage: Storage, batch: Batch): Promise<Commit> {
    if (this.#isFull && !batch.usesReserve) throw new Problem('unavailable', { detail: DISK_FULL });
    const commit = await storage.commit(batch);
    const isDeletion = batch.writes.some(({ kind, key }) => kind === 'remove' && key.sort.startsWith(PROJECT_PREFIX));
    if (commit.ok && isDeletion) this.makeSpace();
    return commit;
  }
}

/** The dependencies of a process. */
export interface ProcessDeps {
  readonly clock: VirtualClock;
  readonly machineClock: MachineClock;
  readonly random: Random;
  readonly hazards: () => Hazards;
  readonly storage: Storage;
  readonly disk: Disk;
  /** Reads the secret with the upstream accounts. */
  readonly readSecret: () => string;
  /** Called with the keys that a process is about to write. */
  readonly onCommit: (keys: readonly Key[]) => void;
  /** Delivers a request to the service, and returns the result. The delivery goes on if the process is killed. */
  readonly deliver: (asked: SimulatorRequest) => Promise<ExchangeResult>;
  readonly trace: (line: string) => void;
}

const MAX_FROZEN_MS = 120_000;
const MAX_STALLED_MS = 3 * 3_600_000;
const MAX_SET_BACK_MS = 3_600_000;
/**
 * The largest difference between the clocks of two processes, in milliseconds. A lease lasts that much longer than
 * its request.
 */
const MAX_APART_MS = 1_000;

/**
 * A process of Segue. Each effect outside its memory has a point before it and a point after it. At each point, the
 * process may be killed or stand still for a while.
 */
export class SimulatedProcess {
  readonly name: string;
  readonly #deps: ProcessDeps;
  isKilled = false;
  /** Whether the process has stood still for too long. The platform then gives it no new requests. */
  isStalled = false;
  #thawsAtMs = 0;
  readonly #behindMs: number;

  constructor(name: string, deps: ProcessDeps) {
    this.name = name;
    this.#deps = deps;
    this.#behindMs = deps.random.below(MAX_APART_MS);
  }

  /** Returns the time of the process's own clock, in milliseconds since 1970. */
  readonly now = (): number => this.#deps.machineClock.now() - this.#behindMs;

  /** Whether the process has been frozen since a moment. */
  wasFrozenSince(ms: number): boolean {
    return this.#thawsAtMs > ms;
  }

  readonly storage: Storage = {
    read: (key) => this.#through(`read ${key.sort}`, () => this.#deps.storage.read(key)),
    list: (partition, range) => this.#through(`list ${range.prefix}`, () => this.#deps.storage.list(partition, range)),
    readPayloadRange: (item, range) =>
      this.#through(`read ${item.sort} in part`, () => this.#deps.storage.readPayloadRange(item, range)),
    readWithPayload: (key) => this.#through(`read ${key.sort} whole`, () => this.#deps.storage.readWithPayload(key)),
    commit: (batch) =>
      this.#through(
        `commit ${batch.writes.map(({ kind, key }) => `${kind} ${key.sort}`).join(', ')}`,
        () => {
          this.#deps.onCommit(batch.writes.map(({ key }) => key));
          return this.#deps.disk.commit(this.#deps.storage, batch);
        },
        'outcome-unknown',
      ),
  };

  readonly secret: ReadSecret = () => this.#through('read secret', async () => this.#deps.readSecret());

  readonly sleep = async (ms: number): Promise<void> => {
    await this.#deps.clock.sleep(ms);
    await this.#alive();
  };

  readonly transport: Transport = async ({ method, path, headers, body, deadline }) => {
    const { clock, deliver } = this.#deps;
    const what = `${method} ${path}`;
    await this.#point(`${what} >`);
    const leftMs = deadline.remainingMs();
    if (leftMs <= 0) throw new NoAnswer(false, 'DEADLINE');
    const asked = { method, path, headers, body: body === undefined ? undefined : Buffer.from(body) };
    const silence: ExchangeResult = { kind: 'silent' };
    const ending = await Promise.race([deliver(asked), clock.sleep(leftMs).then(() => silence)]);
    await this.#point(`${what} < ${ending.kind} ${'response' in ending ? ending.response.status : ''}`);
    switch (ending.kind) {
      case 'answered':
        return ending.response;
      case 'truncated':
        return { ...ending.response, body: 'lost' };
      case 'refused':
        throw new NoAnswer(false, 'ECONNREFUSED');
      default:
        throw new NoAnswer(true, ending.kind === 'reset' ? 'ECONNRESET' : 'DEADLINE');
    }
  };

  async #through<T>(what: string, effect: () => Promise<T>, lost: 'unavailable' | 'outcome-unknown' = 'unavailable') {
    const { random, hazards } = this.#deps;
    await this.#point(`${what} >`);
    if (random.chance(hazards().store)) throw planted('unavailable');
    const result = await effect();
    await this.#point(`${what} <`);
    if (random.chance(hazards().store)) throw planted(lost);
    return result;
  }

  async #point(what: string): Promise<void> {
    const { clock, random, trace } = this.#deps;
    await clock.sleep(1 + random.below(10));
    await this.#alive();
    trace(`${this.name} ${what}${this.#befall(this.#drawn())}`);
    await this.#alive();
  }

  /** Returns the hazard that happens at this point, if any. */
  #drawn(): PointHazard | undefined {
    const { random, hazards } = this.#deps;
    const rates = hazards();
    let left = random.next();
    for (const hazard of AT_A_POINT) {
      if (left < rates[hazard]) return hazard;
      left -= rates[hazard];
    }
    return undefined;
  }

  #befall(hazard: PointHazard | undefined): string {
    const { clock, disk, machineClock, random } = this.#deps;
    switch (hazard) {
      case 'kill':
        this.isKilled = true;
        return ' killed';
      case 'freeze':
        this.#thawsAtMs = clock.nowMs + random.below(MAX_FROZEN_MS);
        return ' frozen';
      case 'stall':
        this.isStalled = true;
        this.#thawsAtMs = clock.nowMs + random.below(MAX_STALLED_MS);
        return ' stalled';
      case 'setBack':
        return ` set back by ${machineClock.setBack(random.below(MAX_SET_BACK_MS))} in all`;
      case 'full':
        disk.fillUp();
        return ' full';
      default:
        return '';
    }
  }

  async #alive(): Promise<void> {
    const { clock } = this.#deps;
    while (!this.isKilled && this.#thawsAtMs > clock.nowMs) await clock.sleep(this.#thawsAtMs - clock.nowMs);
    if (this.isKilled) await new Promise(() => {});
  }
}

function planted(type: 'unavailable' | 'outcome-unknown'): Problem {
  return new Problem(type, { detail: 'A planted fault.' });
}
