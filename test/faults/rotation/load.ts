import { setTimeout } from 'node:timers/promises';
import { decodeProtectedHeader } from 'jose';
import * as z from 'zod/mini';
import { send } from '../../support/http.ts';
import { smallProject } from '../../support/projects.ts';
import type { PartnerKey } from '../../support/segue.ts';

/** The tokens of one sign-in or refresh. */
interface Session {
  readonly access: string;
  readonly refresh: string;
  readonly obtainedMs: number;
}

/** What a client has sessions for, all of which it uses by turns. */
const PLACES = ['long', 'signed-in', 'refreshed'] as const;
type Place = (typeof PLACES)[number];

const Pair = z.object({ AccessToken: z.string(), RefreshToken: z.string() });

/** Half of the life of an access token, after which a client renews a long session. */
const RENEWED_AFTER_MS = 900_000;

/** The sessions of a client. */
class Sessions {
  readonly #sessions = new Map<Place, Session>();
  readonly #refreshing = new Set<Place>();
  /** The ids of the keys that signed an access token. */
  readonly signedBy = new Set<string | undefined>();
  readonly #now: () => number;

  /** @param now the clock by which tokens expire, in milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Keeps the tokens of an answer. */
  put(place: Place, answer: string): void {
    const { AccessToken: access, RefreshToken: refresh } = Pair.parse(JSON.parse(answer));
    this.#sessions.set(place, { access, refresh, obtainedMs: this.#now() });
    this.#refreshing.delete(place);
    this.signedBy.add(decodeProtectedHeader(access).kid);
  }

  /** The access token of one of the sessions. */
  access(turn: number): string {
    return this.#at(PLACES[turn % PLACES.length] ?? 'long').access;
  }

  /** A session whose refresh token nobody is using: the long one once it has to be renewed. */
  takeRefresh(): { readonly place: Place; readonly token: string } | undefined {
    const isOld = this.#now() - this.#at('long').obtainedMs > RENEWED_AFTER_MS;
    const place = isOld && !this.#refreshing.has('long') ? 'long' : 'refreshed';
    if (this.#refreshing.has(place)) return undefined;
    this.#refreshing.add(place);
    return { place, token: this.#at(place).refresh };
  }

  #at(place: Place): Session {
    const session = this.#sessions.get(place);
    if (!session) throw new RangeError('Nobody has signed in');
    return session;
  }
}

/** Requests a second. */
const RATE = 50;
const PROJECTS = '/segments/projects';
const TOKEN = '/authentication/token';
const Created = z.object({ id: z.int() });

const DAY_MS = 86_400_000;
const utc = (ms: number) => new Date(ms).toISOString();

/** The requests that are sent by turns, and the status that each must have. */
const EXPECTED = { create: 201, read: 200, list: 200, delete: 204, 'sign in': 200, refresh: 200 } as const;
type What = keyof typeof EXPECTED;
const MIX: readonly What[] = [
  ...(['create', 'read', 'list', 'delete', 'sign in'] as const),
  ...(['create', 'read', 'refresh', 'delete', 'read'] as const),
];
/** More than are deleted while none is made. */
const PROJECTS_AT_FIRST = 10;

/** The service that gets the requests, the key that they come with, and the clock by which tokens expire. */
export interface Target {
  readonly url: string;
  readonly key: PartnerKey;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A steady load of mixed requests, which does not wait for answers before it sends the next. */
export class Load {
  readonly #target: Target;
  readonly sessions: Sessions;
  /** Projects that nobody is asking for. */
  readonly #projects: number[] = [];
  readonly counts = new Map<string, number>();
  /** Every unexpected answer, in words. */
  readonly wrong: string[] = [];
  #sent = 0;

  constructor(target: Target) {
    this.#target = target;
    this.sessions = new Sessions(target.now);
  }

  /** Signs in, and makes what is read and deleted. */
  async prepare(): Promise<void> {
    for (const place of PLACES) await this.#signIn(this.#target.key.authorization, place);
    for (let n = 0; n < PROJECTS_AT_FIRST; n++) await this.#create(this.#target.key.authorization);
  }

  /** Sends for a second, and waits for the answers that are still to come. */
  async runSecond(): Promise<void> {
    const began = performance.now();
    const answers: Promise<void>[] = [];
    for (let n = 0; n < RATE; n++) {
      await setTimeout(Math.max(0, began + (n / RATE) * 1_000 - performance.now()));
      answers.push(this.#sendNext(this.#sent++));
    }
    await Promise.all(answers);
  }

  /** Asks for something that only the service has. */
  async runOnce(): Promise<void> {
    await this.#send('list', this.#target.key.authorization);
  }

  /** Each kind of request comes with the key and with tokens, by turns. */
  #sendNext(n: number): Promise<void> {
    const round = Math.floor(n / MIX.length);
    const token = `Bearer ${this.sessions.access(n)}`;
    return this.#send(MIX[n % MIX.length] ?? 'list', round % 2 ? token : this.#target.key.authorization);
  }

  async #send(what: What, authorization: string): Promise<void> {
    if (what === 'create') return this.#create(authorization);
    if (what === 'sign in') return this.#signIn(this.#target.key.authorization, 'signed-in');
    if (what === 'refresh') return this.#refresh();
    const id = what === 'list' ? undefined : this.#projects.shift();
    if (id === undefined) return void (await this.#ask('list', 'GET', `${PROJECTS}?limit=5`, authorization));
    await this.#ask(what, what === 'read' ? 'GET' : 'DELETE', `${PROJECTS}/${id}`, authorization);
    if (what === 'read') this.#projects.push(id);
  }

  async #create(authorization: string): Promise<void> {
    const text = await this.#ask('create', 'POST', PROJECTS, authorization, this.#project());
    if (text !== undefined) this.#projects.push(Created.parse(JSON.parse(text)).id);
  }

  /** Dated by the service's clock, which a rotation may run faster than this process's. */
  #project() {
    const start = this.#target.now();
    return smallProject({ startDateUtc: utc(start), endDateUtc: utc(start + DAY_MS) });
  }

  async #signIn(authorization: string, place: Place): Promise<void> {
    const text = await this.#ask('sign in', 'POST', TOKEN, authorization);
    if (text !== undefined) this.sessions.put(place, text);
  }

  async #refresh(): Promise<void> {
    const taken = this.sessions.takeRefresh();
    if (!taken) return this.#send('list', this.#target.key.authorization);
    const text = await this.#ask('refresh', 'POST', '/authentication/RefreshToken', undefined, { token: taken.token });
    if (text !== undefined) this.sessions.put(taken.place, text);
  }

  /** The text of an answer that is what it must be. */
  async #ask(what: What, method: string, path: string, authorization: string | undefined, json?: unknown) {
    const by = `${what} by ${authorization?.split(' ')[0] ?? 'a refresh token'}`;
    this.counts.set(by, (this.counts.get(by) ?? 0) + 1);
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const headers = {
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...(authorization !== undefined && { Authorization: authorization }),
    };
    try {
      const { status, text } = await send(this.#target.url, { method, path, headers, ...body });
      if (status === EXPECTED[what]) return text;
      this.wrong.push(`${by}: ${status} ${text.slice(0, 300)}`);
    } catch (error) {
      this.wrong.push(`${by}: ${error}`);
    }
    return undefined;
  }
}
