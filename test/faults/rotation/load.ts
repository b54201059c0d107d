import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod/mini';
import { ask, type Caller } from '../asking.ts';
import { change, check, choose, type Kind, type KnownProject } from '../load.ts';

const Pair = z.object({ AccessToken: z.string(), RefreshToken: z.string() });
type Pair = z.infer<typeof Pair>;

/** The number of requests per second. */
const RATE = 50;
/** The kinds of requests, sent in this order again and again. */
const MIX: readonly (Kind | 'sign in' | 'refresh')[] = [
  ...(['create', 'get', 'delete task', 'sign in', 'delete project'] as const),
  ...(['create', 'get', 'get', 'refresh', 'delete project'] as const),
];
/** The number of token pairs in use at the same time. */
const PAIRS = 8;

/**
 * A steady load of mixed requests with a key and with tokens. It does not wait for an answer before the next request.
 */
export class Load {
  readonly #company: Caller;
  #projects: KnownProject[] = [];
  readonly #busy = new Set<KnownProject>();
  #pairs: Pair[] = [];
  readonly counts = new Map<string, number>();
  #sent = 0;

  constructor(company: Caller) {
    this.#company = company;
  }

  /** Obtains tokens, and creates projects to read and delete. */
  async prepare(): Promise<void> {
    for (let n = 0; n < PAIRS; n++) await this.#send('sign in', this.#company);
    for (let n = 0; n < PAIRS; n++) await this.#send('create', this.#company);
  }

  /**
   * Sends requests for a second, and waits for their answers.
   * @throws if a request is refused or has a wrong answer
   */
  async runSecond(): Promise<void> {
    const began = performance.now();
    const responses: Promise<void>[] = [];
    for (let n = 0; n < RATE; n++) {
      await setTimeout(Math.max(0, began + (n / RATE) * 1_000 - performance.now()));
      responses.push(this.#sendNext(this.#sent++));
    }
    await Promise.all(responses);
  }

  /** Sends one read, which Segue sends on to the upstream service. */
  readOnce(): Promise<void> {
    return this.#send('get', this.#company);
  }

  #sendNext(n: number): Promise<void> {
    const pair = this.#pairs[n % this.#pairs.length];
    const isByToken = Math.floor(n / MIX.length) % 2 === 1 && pair !== undefined;
    const authorization = isByToken ? `Bearer ${pair.AccessToken}` : this.#company.authorization;
    return this.#send(MIX[n % MIX.length] ?? 'get', { ...this.#company, authorization });
  }

  async #send(what: (typeof MIX)[number], caller: Caller): Promise<void> {
    const by = `${what} by ${caller.authorization.split(' ')[0]}`;
    this.counts.set(by, (this.counts.get(by) ?? 0) + 1);
    if (what === 'sign in') return this.#obtain('/authentication/token');
    // The newest pair is refreshed, because a sign-in ends when its key has 100 newer ones.
    if (what === 'refresh') return this.#obtain('/authentication/RefreshToken', this.#pairs.pop()?.RefreshToken);
    const choice = { kind: what, pick: this.#sent, byCustomId: this.#sent % 2 === 0 };
    const { project, wanted } = choose(choice, this.#projects, this.#busy, 1);
    this.#busy.add(project);
    if (wanted) assert.equal(await change(caller, wanted), 'done');
    else await check(caller, project);
    this.#busy.delete(project);
    if (project.state === 'deleted') this.#projects = this.#projects.filter((other) => other !== project);
  }

  async #obtain(path: string, token?: string): Promise<void> {
    const body = token === undefined ? {} : { body: JSON.stringify({ token }) };
    const headers = { 'Content-Type': 'application/json' };
    const { status, text } = await ask(this.#company, { method: 'POST', path, headers, ...body });
    assert.equal(status, 200, text);
    this.#pairs = [...this.#pairs, Pair.parse(JSON.parse(text))].slice(-PAIRS);
  }
}
