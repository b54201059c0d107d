import { setTimeout } from 'node:timers/promises';
import { type Random, randomFrom } from '../../../packages/simulator/random.ts';
import type { HttpRequest } from '../../support/http.ts';
import { open } from '../../support/raw-http.ts';
import { type Caller, listProjects } from '../asking.ts';
import { type Change, change, check, choose, type Kind, type KnownProject, requestOf } from '../load.ts';

/** The kinds of requests. A kind is chosen as often as it is listed. */
const KINDS: readonly Kind[] = [
  ...Array.from({ length: 12 }, () => 'create' as const),
  ...Array.from({ length: 12 }, () => 'get' as const),
  ...Array.from({ length: 8 }, () => 'delete project' as const),
  ...(['delete task', 'delete task', 'delete task', 'create large'] as const),
];
/** The number of segments of a large project. */
const LARGE = 10_000;
/** One of this many projects is large while the load fills the store. */
const LARGE_EVERY = 20;
/** The largest number of projects. At this number, a project is deleted instead of created. */
const MAX_PROJECTS = 150;
const LIST_SHARE = 0.06;
/** The share of requests that the client breaks off. */
const CUT_SHARE = 0.05;
/** The longest time until the client breaks off a request, in milliseconds. */
const LATEST_CUT_MS = 40;
/** The number of requests in flight at the same time. */
const LANES = 8;
const RETRY_MS = 100;

/** Sends mixed requests to one gateway. A client that breaks off repeats its request with the same key. */
export class Load {
  readonly #gateway: Caller;
  readonly #random: Random;
  #projects: KnownProject[] = [];
  readonly #busy = new Set<KnownProject>();
  requests = 0;
  cut = 0;
  /** The number of projects whose deletion was acknowledged. */
  deleted = 0;
  /** The number of idempotency keys that were sent. */
  keys = 0;

  constructor(gateway: Caller, seed: number) {
    this.#gateway = gateway;
    this.#random = randomFrom(seed);
  }

  /** Creates the largest number of projects. */
  async fill(): Promise<void> {
    for (let n = 0; n < MAX_PROJECTS; n++) await this.#act(n % LARGE_EVERY === 0 ? 'create large' : 'create');
  }

  /**
   * Sends requests for some milliseconds, as fast as they are answered, or at a rate.
   * @returns the number of requests per second
   */
  async run(ms: number, perSecond = Number.POSITIVE_INFINITY): Promise<number> {
    const began = performance.now();
    let sent = 0;
    const lane = async () => {
      for (;;) {
        const dueMs = (sent++ / perSecond) * 1_000;
        const nowMs = performance.now() - began;
        if (Math.max(dueMs, nowMs) >= ms) return;
        if (dueMs > nowMs) await setTimeout(dueMs - nowMs);
        if (this.#random.chance(LIST_SHARE)) await listProjects(this.#gateway);
        else await this.#act(this.#random.pick(KINDS));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return (sent - LANES) / ((performance.now() - began) / 1_000);
  }

  /** Deletes every project. */
  async deleteAll(): Promise<void> {
    while (this.#projects.length > 0) await this.#act('delete project');
  }

  async #act(kind: Kind): Promise<void> {
    const isFull = this.#projects.length >= MAX_PROJECTS;
    const pick = this.#random.below(MAX_PROJECTS);
    const choice = { kind: kind === 'create' && isFull ? 'delete project' : kind, pick, byCustomId: true };
    const { project, wanted } = choose(choice, this.#projects, this.#busy, LARGE);
    this.#busy.add(project);
    if (wanted) await this.#change(wanted);
    else await check(this.#gateway, project);
    this.requests += 1;
    this.#busy.delete(project);
    if (project.state !== 'deleted') return;
    this.deleted += 1;
    this.#projects = this.#projects.filter((other) => other !== project);
  }

  async #change(wanted: Change): Promise<void> {
    this.keys += 1;
    if (this.#random.chance(CUT_SHARE)) await this.#breakOff(requestOf(wanted));
    while ((await change(this.#gateway, wanted)) === 'claimed') await setTimeout(RETRY_MS);
  }

  /** Ends the connection: in half of the cases after a part of the request, else soon after the whole request. */
  async #breakOff({ method, path, headers, body = '' }: HttpRequest): Promise<void> {
    const { hostname: Host, port } = new URL(this.#gateway.url);
    const content = Buffer.from(body);
    const own = { Host, Authorization: this.#gateway.authorization, 'Content-Length': `${content.length}` };
    const lines = Object.entries({ ...own, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const bytes = Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), content]);
    const socket = await open(Number(port));
    socket.on('error', () => {}); // The gateway may already have closed the connection.
    socket.write(bytes.subarray(0, Math.ceil(bytes.length * Math.min(1, 2 * this.#random.next()))));
    await setTimeout(this.#random.below(LATEST_CUT_MS));
    socket.destroy();
    this.cut += 1;
  }
}
