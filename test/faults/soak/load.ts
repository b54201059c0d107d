import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import type { StartedGateway } from '../../support/gateway.ts';
import type { HttpAnswer, HttpRequest } from '../../support/http.ts';
import { asObjects, type JsonObject, nowUtc, segments, smallProject } from '../../support/projects.ts';
import { open } from '../../support/raw-http.ts';
import { ask, objectIn, problemIn } from '../asking.ts';

/** What a project is made of. */
export interface Draft {
  readonly customId: string;
  readonly name: string;
  /** The idempotency key of its creation. */
  readonly key: string;
  readonly isLarge: boolean;
}

/** A project that exists, as the answers say. */
interface Live extends Draft {
  readonly id: number;
  /** Whether it still has the task that every project is made with. */
  hasTask: boolean;
}

const TASK = 'the task';
const DAY_MS = 86_400_000;
const END_UTC = nowUtc(30 * DAY_MS);
/** Of the two segments of a large project. */
const LARGE_CHARACTERS = 1_000_000;
/** Texts that no compression makes much smaller. */
const TEXTS = Array.from({ length: 5 }, () =>
  randomBytes(LARGE_CHARACTERS).toString('base64').slice(0, LARGE_CHARACTERS),
);

export function draft(isLarge: boolean): Draft {
  return { customId: randomUUID(), name: randomUUID(), key: randomUUID(), isLarge };
}

/** The request that makes a project: the same each time but for its start date. */
function creation({ customId, name, key, isLarge }: Draft): HttpRequest {
  const fields = { customId, name, endDateUtc: END_UTC, segments: isLarge ? longSegments(name) : shortSegments() };
  return {
    method: 'POST',
    path: '/segments/projects',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(smallProject(fields)),
  };
}

function shortSegments(): JsonObject[] {
  return [...segments(5), ...segments(2, { taskId: TASK })];
}

/** Always the same for a name. */
function longSegments(name: string): JsonObject[] {
  const first = name.charCodeAt(0);
  const text = (n: number) => TEXTS[(first + n) % TEXTS.length] ?? '';
  return [{ content: text(0) }, { content: text(1), taskId: TASK }];
}

/** The request that deletes a project, or its task. */
export function deletion({ id, customId }: Live, what: 'project' | 'task', byCustomId: boolean): HttpRequest {
  const path = `/segments/projects/${byCustomId ? `custom/${customId}` : id}`;
  const query = what === 'task' ? `?taskId=${encodeURIComponent(TASK)}` : '';
  return { method: 'DELETE', path: path + query, headers: { 'Idempotency-Key': randomUUID() } };
}

/** How many deleted projects are remembered. */
const MOST_GONE = 100;

/** The projects that exist and that nobody is at work on, and some that were deleted. */
class Pool {
  readonly #free: Live[] = [];
  readonly #gone: Live[] = [];

  /** A free project, which is the caller's until it is put back. */
  take(pick: number): Live | undefined {
    return this.#free.splice(pick % Math.max(1, this.#free.length), 1)[0];
  }

  put(project: Live): void {
    this.#free.push(project);
  }

  bury(project: Live): void {
    this.#gone.push(project);
    if (this.#gone.length > MOST_GONE) this.#gone.shift();
  }

  gone(pick: number): Live | undefined {
    return this.#gone[pick % Math.max(1, this.#gone.length)];
  }

  /** How many small or large ones are free. */
  count(isLarge: boolean): number {
    return this.#free.filter((project) => project.isLarge === isLarge).length;
  }
}

/** When a client ends its connection: so much of the request is sent, and so many milliseconds have passed since. */
interface Cut {
  readonly share: number;
  readonly afterMs: number;
}

/** Tries before a key must be free again. */
const MOST_REPETITIONS = 20;

/** Sends requests, some of which it breaks off, and remembers what was answered. */
export class Client {
  readonly gateway: StartedGateway;
  requests = 0;
  cut = 0;
  /** Projects whose deletion was acknowledged. */
  deleted = 0;
  readonly problems = new Map<string, number>();
  /** Every answer that is not what it had to be, in words. */
  readonly wrong: string[] = [];
  /** The idempotency keys that were sent. */
  readonly keys = new Set<string>();

  constructor(gateway: StartedGateway) {
    this.gateway = gateway;
  }

  /**
   * Sends a request whose answer is known: a status, or a type of problem.
   * @param cut breaks it off once before, so that it is repeated with its key
   */
  async send(request: HttpRequest, expected: number | ProblemType, cut?: Cut): Promise<HttpAnswer> {
    const key = request.headers?.['Idempotency-Key'];
    if (typeof key === 'string') this.keys.add(key);
    if (cut) await this.#breakOff(request, cut);
    const answer = await this.#repeat(request, cut !== undefined);
    const found = problemIn(answer) ?? answer.status;
    if (found !== expected) {
      this.wrong.push(`${request.method} ${request.path}: ${found}, not ${expected} ${answer.text.slice(0, 300)}`);
    }
    return answer;
  }

  /** The gateway may still be at work on a request that was broken off. */
  async #repeat(request: HttpRequest, wasCut: boolean): Promise<HttpAnswer> {
    for (let repetition = 0; ; repetition++) {
      const answer = await ask(this.gateway, request);
      this.requests += 1;
      const problem = problemIn(answer);
      if (problem !== undefined) this.problems.set(problem, (this.problems.get(problem) ?? 0) + 1);
      if (!wasCut || problem !== 'request-in-progress' || repetition === MOST_REPETITIONS) return answer;
      await setTimeout(Number(answer.headers['retry-after']) * 1_000);
    }
  }

  async #breakOff({ method, path, headers, body = '' }: HttpRequest, { share, afterMs }: Cut): Promise<void> {
    const { hostname, port } = new URL(this.gateway.url);
    const content = Buffer.from(body);
    const lines = Object.entries({
      Host: hostname,
      Authorization: this.gateway.authorization,
      'Content-Length': `${content.length}`,
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    const bytes = Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), content]);
    const socket = await open(Number(port));
    socket.on('error', () => {}); // The gateway may have hung up before.
    socket.write(bytes.subarray(0, Math.ceil(bytes.length * share)));
    await setTimeout(afterMs);
    socket.destroy();
    this.cut += 1;
  }
}

const PROJECTS = '/segments/projects';
const fresh = () => creation(draft(false));
const withHeader = (name: string, value: string): HttpRequest => {
  const request = fresh();
  return { ...request, headers: { ...request.headers, [name]: value } };
};
const withQuery = ({ id }: Live, query: string): HttpRequest => ({
  method: 'DELETE',
  path: `${PROJECTS}/${id}?${query}`,
});

/** A request that is refused, made of a project that exists; `gone` is one that was deleted. */
type Refusal = (live: Live, gone: Live) => HttpRequest;

/** Requests that are refused, by the problem that says so. None of them changes anything. */
const REFUSALS: readonly (readonly [ProblemType, Refusal])[] = [
  ['malformed-json', () => ({ ...fresh(), body: '{' })],
  ['invalid-project', () => ({ ...fresh(), body: '{"name":null}' })],
  ['too-large', () => ({ ...fresh(), body: ' '.repeat(4_194_305) })],
  ['unsupported-media-type', () => withHeader('Content-Type', 'text/plain')],
  ['invalid-header', () => withHeader('Idempotency-Key', 'x'.repeat(256))],
  ['not-acceptable', () => withHeader('Accept', 'text/html')],
  ['unknown-parameter', (live) => withQuery(live, `taskid=${encodeURIComponent(TASK)}`)],
  ['invalid-parameter', (live) => withQuery(live, 'taskId=')],
  ['unexpected-body', (live) => ({ ...withQuery(live, 'taskId=x'), body: '{}' })],
  ['task-not-found', (live) => withQuery(live, 'taskId=x')],
  ['project-not-found', (_, gone) => withQuery(gone, 'taskId=x')],
  ['route-not-found', () => ({ method: 'GET', path: '/nowhere' })],
  ['method-not-allowed', () => ({ method: 'PUT', path: PROJECTS, body: '{}' })],
  ['custom-id-in-use', ({ customId }) => creation({ ...draft(false), customId })],
  ['idempotency-key-reused', (live) => creation({ ...live, name: 'Another' })],
  ['project-deleted', (_, gone) => creation(gone)],
];

/** What chance has to say about one request. */
interface Die {
  readonly action: number;
  readonly pick: number;
  readonly byCustomId: boolean;
  readonly cut: Cut | undefined;
}

type Action = (client: Client, pool: Pool, die: Die) => Promise<void>;

/** How many projects there may be for longer: then one is deleted before another is made. */
const MOST = { small: 150, large: 8 } as const;
type Size = keyof typeof MOST;

/** What is sent, and how often of a hundred times. */
const ACTIONS: readonly (readonly [times: number, Action])[] = [
  [24, (client, pool, die) => create(client, pool, die, 'small')],
  [2, (client, pool, die) => create(client, pool, die, 'large')],
  [22, onProject(read)],
  [6, list],
  [10, onProject(deleteTask)],
  [18, onProject(deleteProject)],
  [8, onProject(replay)],
  [10, onProject(refuse)],
];
const BY_CHANCE = ACTIONS.flatMap(([times, action]) => Array<Action>(times).fill(action));

/** Does what the die says. */
async function act(client: Client, pool: Pool, die: Die): Promise<void> {
  await BY_CHANCE[die.action % BY_CHANCE.length]?.(client, pool, die);
}

/** Makes as many projects as there may be. */
export async function fill(client: Client, pool: Pool): Promise<void> {
  for (const size of ['small', 'large'] as const) while (!isFull(pool, size)) await make(client, pool, size);
}

function isFull(pool: Pool, size: Size): boolean {
  return pool.count(size === 'large') >= MOST[size];
}

async function create(client: Client, pool: Pool, die: Die, size: Size): Promise<void> {
  if (isFull(pool, size)) await onProject(deleteProject)(client, pool, die);
  else await make(client, pool, size, die.cut);
}

async function make(client: Client, pool: Pool, size: Size, cut?: Cut): Promise<void> {
  const made = draft(size === 'large');
  const answer = await client.send(creation(made), 201, cut);
  if (answer.status === 201)
    pool.put({ ...made, id: Number(answer.headers.location?.split('/').at(-1)), hasTask: true });
}

async function list(client: Client, _pool: Pool, { cut }: Die): Promise<void> {
  asObjects(JSON.parse((await client.send({ method: 'GET', path: '/segments/projects?limit=100' }, 200, cut)).text));
}

/** An action on a project that nobody else is at work on; where there is none, one is made. */
function onProject(action: (client: Client, project: Live, die: Die, pool: Pool) => Promise<'there' | 'gone'>): Action {
  return async (client, pool, die) => {
    const project = pool.take(die.pick);
    if (!project) return make(client, pool, 'small', die.cut);
    const state = await action(client, project, die, pool);
    if (state === 'there') pool.put(project);
    else pool.bury(project);
  };
}

async function read(client: Client, { id, customId, name }: Live, { byCustomId, cut }: Die) {
  const path = `/segments/projects/${byCustomId ? `custom/${customId}` : id}`;
  const answer = await client.send({ method: 'GET', path }, 200, cut);
  if (!answer.text.includes(name)) client.wrong.push(`GET ${path} is another project`);
  return 'there' as const;
}

async function deleteTask(client: Client, project: Live, { byCustomId, cut }: Die) {
  const request = deletion(project, 'task', byCustomId);
  await client.send(request, project.hasTask ? 204 : 'task-not-found', cut);
  project.hasTask = false;
  return 'there' as const;
}

async function deleteProject(client: Client, project: Live, { byCustomId, cut }: Die) {
  await client.send(deletion(project, 'project', byCustomId), 204, cut);
  client.deleted += 1;
  return 'gone' as const;
}

async function replay(client: Client, project: Live, { cut }: Die) {
  const answer = await client.send(creation(project), 201, cut);
  if (!answer.headers['idempotent-replayed'] || objectIn(answer)['id'] !== project.id) {
    client.wrong.push('A replay is another project');
  }
  return 'there' as const;
}

async function refuse(client: Client, project: Live, { pick }: Die, pool: Pool) {
  const gone = pool.gone(pick);
  const [type, make] = REFUSALS[pick % REFUSALS.length] ?? [];
  if (type && make && gone) await client.send(make(project, gone), type);
  return 'there' as const;
}

/** Requests that are under way at once. */
const LANES = 8;
/** Longer than any answer takes to begin. */
const LATEST_CUT_MS = 40;
const DICE_AT_ONCE = 1_000;

/** Half of those that break off do so before all of the request is sent. */
const Breaking = fc.record({
  share: fc.double({ min: 0, max: 2, noNaN: true }).map((share) => Math.min(1, share)),
  afterMs: fc.nat(LATEST_CUT_MS),
});
const Dice: fc.Arbitrary<Die> = fc.record({
  action: fc.nat(99),
  pick: fc.nat(),
  byCustomId: fc.boolean(),
  cut: fc.oneof({ weight: 19, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: Breaking }),
});

/** Requests without end, as a seed has them. */
function* dice(seed: number): Generator<Die> {
  for (let batch = 0; ; batch++) yield* fc.sample(Dice, { seed: seed + batch, numRuns: DICE_AT_ONCE });
}

/** Mixed requests to one gateway. */
export class Load {
  readonly #client: Client;
  readonly #dice: Generator<Die>;
  readonly #pool = new Pool();

  constructor(client: Client, seed: number) {
    this.#client = client;
    this.#dice = dice(seed);
  }

  /** Makes as many projects as there will ever be. */
  fill(): Promise<void> {
    return fill(this.#client, this.#pool);
  }

  /**
   * Sends requests for a while: as many as are answered, or at a rate.
   * @returns how many a second
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
        const die = this.#dice.next();
        if (!die.done) await act(this.#client, this.#pool, die.value);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return (sent - LANES) / ((performance.now() - began) / 1_000);
  }
}
