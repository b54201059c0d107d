import type { BasicCredentials } from '../../../lib/contract/basic-credentials.ts';
import { type Clock, checkProject } from '../../../lib/contract/check-project.ts';
import { utc } from '../../../lib/contract/date.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import type { CheckedProject } from '../../../lib/contract/project.ts';
import { Project } from '../../../lib/contract/project-answer.ts';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import {
  NoAnswer,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../../lib/service/http-client/exchange.ts';
import { httpTransport } from '../../../lib/service/http-client/transport.ts';
import {
  type CallContext,
  type DeletionScope,
  type OperationState,
  operationIdOf,
  type ProjectService,
} from '../../../lib/service/port.ts';
import type { ServiceProject } from '../../../lib/service/project-document.ts';
import { projectFrom } from '../../../lib/service/project-from.ts';
import { readUpstreamCredentials } from '../../../lib/upstream/accounts.ts';
import { type Client, upstreamClient } from '../../../lib/upstream/client.ts';
import type { UpstreamOptions } from '../../../lib/upstream/deps.ts';
import { serviceUrl } from '../../../lib/upstream/requests.ts';
import { randomFrom } from '../../../packages/simulator/random.ts';
import type { SimulatedService } from '../../../packages/simulator/server.ts';
import { serviceDoor } from '../../faults/simulation/service-door.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { asObject, type Json, type JsonObject, segment, smallProject } from '../../support/projects.ts';
import { hosted, TestWorld, type UpstreamService } from '../../support/world.ts';
import { callContext } from '../support.ts';
import { type Kind, kindOf } from './server.ts';

export const ACCOUNT: BasicCredentials = { companyId: 'acme', apiKey: 'key-at-the-service' };
export const START_MS = Date.UTC(2026, 10, 20, 12, 0, 0, 789);
/** The time that API Gateway leaves to a request, in milliseconds. */
const REQUEST_MS = 28_500;
/** The settle time: how long a sent request may take to be visible everywhere, in milliseconds. */
export const SETTLE_MS = 60_000;
export const DAY_MS = 86_400_000;
export const NOTHING_OPEN = { settled: 0, givenUp: 0, left: 0, oldestMs: 0 };

/** Returns a client that sends every request once. */
function clientOf(transport: Transport, now: () => number): Client {
  const credentials = cachedSecret(async () => JSON.stringify(ACCOUNT), readUpstreamCredentials, { now });
  // Every pause is longer than any deadline.
  return upstreamClient({ transport, credentials, now, random: () => Number.POSITIVE_INFINITY });
}

/** A ledger, and a clock that moves only during pauses. */
export class World extends TestWorld {
  readonly storage = new MemoryStorage();
  override readonly companyId = 'company';
  override readonly requestMs = REQUEST_MS;

  /** @param nowMs milliseconds since 1970 */
  constructor(nowMs = START_MS) {
    super(nowMs);
  }

  /** Returns a process of Segue. Its client sends every request once. */
  service(transport: Transport, options: Partial<UpstreamOptions> = {}): UpstreamService {
    return this.upstream({ client: clientOf(transport, this.now), propagationMs: SETTLE_MS, ...options });
  }

  /** Returns a process of Segue in front of a server. */
  serviceAt(baseUrl: string): UpstreamService {
    return this.service(httpTransport(serviceUrl(baseUrl), this.now));
  }

  /** Returns a call with time for one lookup only. */
  hurried(key: string, fields: Partial<CallContext> = {}): CallContext {
    return this.once(key, { deadline: { remainingMs: () => 1_600 }, ...fields });
  }

  /** Lets so much time pass that no earlier request can still take effect. */
  settle(): void {
    this.nowMs += REQUEST_MS + SETTLE_MS;
  }
}

/** The fate of an exchange: it may let the request reach the service, and may return another response. */
export type Fate = (reach: () => Promise<TransportResponse>) => Promise<TransportResponse>;
/** The way to the service, by request. */
export type Way = (request: TransportRequest, reach: () => Promise<TransportResponse>) => Promise<TransportResponse>;

export const response = (status: number, body: TransportResponse['body'] = new Uint8Array()): TransportResponse => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
});
export const straight: Way = (_, reach) => reach();
/** Returns a way that gives every request the same fate. */
export const every =
  (fate: Fate): Way =>
  (_, reach) =>
    fate(reach);
/** The service carries the request out, but its response is lost. */
export const lost: Fate = async (reach) => {
  await reach();
  throw new NoAnswer(true, 'ECONNRESET');
};
/** The request never arrives, and the client cannot know that. */
export const swallowed: Fate = async () => {
  throw new NoAnswer(true, 'ECONNRESET');
};
/** Returns a fate in which the service, or a proxy, answers with this status and does nothing. */
export const answers =
  (status: number): Fate =>
  async () => ({ status, headers: {}, body: new Uint8Array() });
/** The service answers normally. */
export const there: Fate = (reach) => reach();
/** Returns a fate that uses each of these in turn, and then repeats the last one. */
export function inTurn(...fates: readonly Fate[]): Fate {
  let turn = 0;
  return (reach) => (fates[Math.min(turn++, fates.length - 1)] ?? there)(reach);
}
/** Returns a fate in which the response breaks off. */
export const breaksOff =
  (status: number): Fate =>
  async () => ({ status, headers: {}, body: 'lost' });
/** Returns a fate in which the service answers with a problem of the catalogue. */
export const refuses =
  (status: number, type: string, fields: object = {}): Fate =>
  async () => ({
    status,
    headers: { 'content-type': 'application/problem+json' },
    body: Buffer.from(JSON.stringify({ type: `https://service.example/problems/${type}`, status, ...fields })),
  });
/** A proxy answers in place of the service. */
export const proxied: Fate = async () => response(404, Buffer.from('<html><h1>404</h1></html>'));
/** The service does not show the project. */
export const absent = answers(404);
export const failing = answers(500);
/** The service only accepts a deletion. */
export const accepted = answers(202);
/** A proxy sends the request twice, and returns the second response. */
export const twice: Fate = async (reach) => {
  await reach();
  return reach();
};
/** The process of Segue dies while it waits for the response. */
export const killed: Fate = async () => {
  throw new Error('killed');
};
/** Returns a fate in which something on the way changes the project in the response. */
export const changed =
  (change: (project: JsonObject) => JsonObject): Fate =>
  async (reach) => {
    const answer = await reach();
    const value: Json = JSON.parse(Buffer.from(answer.body).toString());
    const shown = Array.isArray(value) ? value.map((each) => change(asObject(each))) : change(asObject(value));
    return { ...answer, body: Buffer.from(JSON.stringify(shown)) };
  };

/** Returns the value that the service shows in place of a project. */
export type Shown = (project: JsonObject, kind: Kind) => Json;

/** An account at the hosted service, in this process. Clients may bypass Segue. */
export class UpstreamAccount {
  readonly now: () => number;
  /** The data of the service. */
  readonly storage = new MemoryStorage();
  /** The service, for clients that bypass Segue. */
  readonly service: ProjectService;
  readonly asked: Kind[] = [];
  /** The handling of all exchanges that have no fate of their own. */
  way: Way = straight;
  /** Changes how the service shows its projects. */
  shown: Shown = (project) => project;
  /** The largest number of projects on a page. */
  pageSize = 100;
  readonly #fates = new Map<Kind, Fate[]>();
  readonly #door: SimulatedService;

  constructor(now: () => number) {
    this.now = now;
    this.service = hosted({ storage: this.storage, now, random: randomFrom(1).next });
    this.#door = serviceDoor({ service: this.service, now, accounts: { [ACCOUNT.companyId]: ACCOUNT.apiKey } });
  }

  readonly transport: Transport = (request) => {
    const kind = kindOf(request.method, request.path);
    this.asked.push(kind);
    const reach = async () => this.#show(await this.#reach(request), kind);
    const fate = this.#fates.get(kind)?.shift();
    return fate ? fate(reach) : this.way(request, reach);
  };

  /** A client of the account that sends every request once. */
  readonly client: Client = (request, call) => this.#client(request, call);
  readonly #client = clientOf(this.transport, () => this.now());

  /** Sets the fates of the next exchanges of a kind. */
  next(kind: Kind, ...fates: readonly Fate[]): void {
    this.#fates.set(kind, [...fates]);
  }

  /** Returns a call of the account at the service itself. */
  account(): CallContext {
    return { ...callContext(ACCOUNT.companyId), deadline: deadlineAt(this.now() + REQUEST_MS, this.now) };
  }

  /** Returns the heads of the projects that the service has, the newest first. */
  async heads(): Promise<readonly ServiceProject[]> {
    return (await this.service.list({ limit: 100 }, this.account())).projects;
  }

  /** Returns the custom ids of the service's projects. */
  async names(): Promise<(string | undefined)[]> {
    return (await this.heads()).map(({ customId }) => customId);
  }

  /** Removes a project without Segue. */
  async lose(id: number): Promise<void> {
    await this.service.delete({ id }, { kind: 'project' }, this.account());
  }

  #reach({ method, path, headers, body }: TransportRequest): Promise<TransportResponse> {
    const sized = path.replace(/(?<=[?&]limit=)\d+/, String(this.pageSize));
    return this.#door({ method, path: sized, headers, body: body === undefined ? undefined : Buffer.from(body) });
  }

  #show(response: TransportResponse, kind: Kind): TransportResponse {
    if (response.status >= 300 || response.body.length === 0) return response;
    const value: Json = JSON.parse(Buffer.from(response.body).toString());
    const show = (project: Json) => this.shown(asObject(project), kind);
    const body = Buffer.from(JSON.stringify(Array.isArray(value) ? value.map(show) : show(value)));
    return { ...response, body };
  }
}

/** Segue in front of an account. Other clients may use the same account. */
export class HostedUpstream extends UpstreamAccount {
  readonly world: World;

  constructor(world = new World()) {
    super(world.now);
    this.world = world;
  }

  /** Returns a process of Segue. */
  segue(options: Partial<UpstreamOptions> = {}): UpstreamService {
    return this.world.service(this.transport, options);
  }

  /** Returns the state of the operation with a key. */
  state(key = 'k', segue = this.segue()): Promise<OperationState> {
    return segue.operation(operationIdOf(key), this.world.call());
  }
}

const TASKED = { customId: 'a', segments: [segment(), segment({ taskId: 't' })] };

/** Segue with a project of two tasks that it created just now. */
export async function young(fields: JsonObject = TASKED) {
  const upstream = new HostedUpstream();
  const { world } = upstream;
  const segue = upstream.segue();
  const { id } = await segue.create(world.checked(fields), world.call());
  const remove = (scope: DeletionScope = { kind: 'project' }, call: CallContext = world.once('k')) =>
    segue.delete({ id }, scope, call);
  const list = async () => (await segue.list({ limit: 9 }, world.call())).projects;
  const reconcile = () => segue.reconcile(() => true);
  upstream.asked.splice(0);
  return { upstream, world, segue, id, remove, list, reconcile };
}

/** Returns the same as `young`, with a project that is visible everywhere. */
export async function old(fields?: JsonObject): ReturnType<typeof young> {
  const made = await young(fields);
  made.world.settle();
  return made;
}

const clockAt = (nowMs: number): Clock => ({ nowMs, toleranceMs: LIMITS.startDateToleranceMs });

/** Returns a project that passed the checks when the clock started. */
export function checked(fields: JsonObject = {}, nowMs = START_MS): CheckedProject {
  const dates = { startDateUtc: utc(START_MS), endDateUtc: '2059-01-01T00:00:00Z' };
  return checkProject(smallProject({ ...dates, ...fields }), clockAt(nowMs));
}

/** Returns the response of a service that keeps the contract. */
export function answered(project: CheckedProject, id = 1_000, nowMs = START_MS): Project {
  return Project.parse(JSON.parse(JSON.stringify(projectFrom(project, id, nowMs))));
}

/** Returns the response of such a service to the body of a create. */
export function answeredTo(body: string, id = 1_000): Project {
  return answered(checkProject(JSON.parse(body), clockAt(START_MS)), id);
}
