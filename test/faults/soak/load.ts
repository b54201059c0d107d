import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import type { StartedGateway } from '../../support/gateway.ts';
import type { HttpAnswer, HttpRequest } from '../../support/http.ts';
import { asObjects, nowUtc, segments, smallProject } from '../../support/projects.ts';
import { open } from '../../support/raw-http.ts';
import { ask, creationOf, objectIn, problemIn } from '../asking.ts';

const PROJECTS = '/segments/projects';
const TASK = 'the task';
const END_UTC = nowUtc(30 * 86_400_000);
const LARGE_CHARACTERS = 1_000_000;
/** Texts that hardly compress. */
const LARGE_TEXTS = Array.from({ length: 5 }, () =>
  randomBytes(LARGE_CHARACTERS).toString('base64').slice(0, LARGE_CHARACTERS),
);

/** A project that exists, as the answers say. */
interface Live {
  readonly id: number;
  readonly customId: string;
  readonly name: string;
  /** The idempotency key of its creation. */
  readonly key: string;
  readonly isLarge: boolean;
  /** Whether it still has the task that every project is created with. */
  hasTask: boolean;
}
type Draft = Omit<Live, 'id' | 'hasTask'>;

function draft(isLarge = false): Draft {
  return { customId: randomUUID(), name: randomUUID(), key: randomUUID(), isLarge };
}

/** The request that creates a project: the same each time but for its start date. */
function creation({ customId, name, key, isLarge }: Draft): HttpRequest {
  const large = (n: number) => LARGE_TEXTS[(name.charCodeAt(0) + n) % LARGE_TEXTS.length] ?? '';
  const own = isLarge
    ? [{ content: large(0) }, { content: large(1), taskId: TASK }]
    : [...segments(5), ...segments(2, { taskId: TASK })];
  const project = smallProject({ customId, name, endDateUtc: END_UTC, segments: own });
  return creationOf(project, { 'Idempotency-Key': key });
}

function pathOf({ id, customId }: Live, byCustomId: boolean): string {
  return `${PROJECTS}/${byCustomId ? `custom/${customId}` : id}`;
}

function deletion(path: string): HttpRequest {
  return { method: 'DELETE', path, headers: { 'Idempotency-Key': randomUUID() } };
}

const withHeader = (name: string, value: string): HttpRequest => {
  const request = creation(draft());
  return { ...request, headers: { ...request.headers, [name]: value } };
};
const withBody = (body: string): HttpRequest => ({ ...creation(draft()), body });
const withQuery = ({ id }: Live, query: string): HttpRequest => deletion(`${PROJECTS}/${id}?${query}`);

/** Requests that are refused, by the problem; `gone` was deleted. None of them changes anything. */
const REFUSALS: readonly (readonly [ProblemType, (live: Live, gone: Live) => HttpRequest])[] = [
  ['malformed-json', () => withBody('{')],
  ['invalid-project', () => withBody('{"name":null}')],
  ['too-large', () => withBody(' '.repeat(4_194_305))],
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
  ['custom-id-in-use', ({ customId }) => creation({ ...draft(), customId })],
  ['idempotency-key-reused', (live) => creation({ ...live, name: 'Another' })],
  ['project-deleted', (_, gone) => creation(gone)],
];

/** A client ends its connection once it has sent this share of the request, and so many milliseconds have passed. */
interface Cut {
  readonly share: number;
  readonly afterMs: number;
}

/** Tries before a key must be free again. */
const MOST_REPETITIONS = 20;

/** Sends requests, some of which it breaks off, and remembers the answers. */
export class Client {
  readonly gateway: StartedGateway;
  requests = 0;
  cut = 0;
  /** Projects whose deletion was acknowledged. */
  deleted = 0;
  readonly problems = new Map<string, number>();
  /** Every unexpected answer, in words. */
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
    const { hostname: Host, port } = new URL(this.gateway.url);
    const content = Buffer.from(body);
    const own = { Host, Authorization: this.gateway.authorization, 'Content-Length': `${content.length}` };
    const lines = Object.entries({ ...own, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const bytes = Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), content]);
    const socket = await open(Number(port));
    socket.on('error', () => {}); // The gateway may have hung up before.
    socket.write(bytes.subarray(0, Math.ceil(bytes.length * share)));
    await setTimeout(afterMs);
    socket.destroy();
    this.cut += 1;
  }
}

/** The random choices of one request. */
interface Die {
  readonly action: (typeof ACTIONS)[number];
  readonly pick: number;
  readonly byCustomId: boolean;
  readonly cut: Cut | undefined;
}

/** How often each action is sent, out of a hundred. */
const WEIGHTS = {
  create: 24,
  'create large': 2,
  read: 22,
  list: 6,
  'delete task': 10,
  delete: 18,
  replay: 8,
  refuse: 10,
};
const ACTIONS = ['create', 'create large', 'read', 'list', 'delete task', 'delete', 'replay', 'refuse'] as const;
/** How many small and large projects there may be: then one is deleted before another is created. */
const MOST_SMALL = 150;
const MOST_LARGE = 8;
/** How many deleted projects are remembered. */
const MOST_GONE = 100;
/** Requests that are under way at once. */
const LANES = 8;
/** Longer than any answer takes to begin. */
const LATEST_CUT_MS = 40;
const DICE_AT_ONCE = 1_000;

/** Half of those that break off do so before all of the request is sent. */
const AnyCut = fc.record({
  share: fc.double({ min: 0, max: 2, noNaN: true }).map((share) => Math.min(1, share)),
  afterMs: fc.nat(LATEST_CUT_MS),
});
const AnyDie: fc.Arbitrary<Die> = fc.record({
  action: fc.oneof(...ACTIONS.map((action) => ({ weight: WEIGHTS[action], arbitrary: fc.constant(action) }))),
  pick: fc.nat(),
  byCustomId: fc.boolean(),
  cut: fc.oneof({ weight: 19, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: AnyCut }),
});

/** Requests without end, as a seed has them. */
function* dice(seed: number): Generator<Die, never> {
  for (let batch = 0; ; batch++) yield* fc.sample(AnyDie, { seed: seed + batch, numRuns: DICE_AT_ONCE });
}

/** Mixed requests to one gateway. */
export class Load {
  readonly #client: Client;
  readonly #dice: Generator<Die, never>;
  /** Projects that no request is about. */
  readonly #free: Live[] = [];
  readonly #gone: Live[] = [];

  constructor(client: Client, seed: number) {
    this.#client = client;
    this.#dice = dice(seed);
  }

  /** Creates as many projects as there may be. */
  async fill(): Promise<void> {
    for (const isLarge of [false, true]) while (!this.#isFull(isLarge)) await this.#create(isLarge);
  }

  /**
   * Sends requests for some milliseconds: as many as are answered, or at a rate.
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
        await this.#act(this.#dice.next().value);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return (sent - LANES) / ((performance.now() - began) / 1_000);
  }

  #isFull(isLarge: boolean): boolean {
    const count = this.#free.filter((project) => project.isLarge === isLarge).length;
    return count >= (isLarge ? MOST_LARGE : MOST_SMALL);
  }

  async #create(isLarge: boolean, cut?: Cut): Promise<void> {
    const project = draft(isLarge);
    const { status, headers } = await this.#client.send(creation(project), 201, cut);
    if (status === 201) this.#free.push({ ...project, id: Number(headers.location?.split('/').at(-1)), hasTask: true });
  }

  async #act({ action, ...die }: Die): Promise<void> {
    const isLarge = action === 'create large';
    const isCreation = isLarge || action === 'create';
    if (action === 'list') {
      const answer = await this.#client.send({ method: 'GET', path: `${PROJECTS}?limit=100` }, 200, die.cut);
      asObjects(JSON.parse(answer.text));
      return;
    }
    if (isCreation && !this.#isFull(isLarge)) return this.#create(isLarge, die.cut);
    const [project] = this.#free.splice(die.pick % Math.max(1, this.#free.length), 1);
    if (!project) return this.#create(false, die.cut);
    await this.#actOn(project, isCreation ? 'delete' : action, die);
  }

  async #actOn(project: Live, action: Die['action'], { pick, byCustomId, cut }: Omit<Die, 'action'>): Promise<void> {
    const client = this.#client;
    const path = pathOf(project, byCustomId);
    if (action === 'delete') {
      await client.send(deletion(path), 204, cut);
      client.deleted += 1;
      this.#gone.push(project);
      if (this.#gone.length > MOST_GONE) this.#gone.shift();
      return;
    }
    if (action === 'read') {
      const { text } = await client.send({ method: 'GET', path }, 200, cut);
      if (!text.includes(project.name)) client.wrong.push(`GET ${path} is another project`);
    } else if (action === 'delete task') {
      const task = deletion(`${path}?taskId=${encodeURIComponent(TASK)}`);
      await client.send(task, project.hasTask ? 204 : 'task-not-found', cut);
      project.hasTask = false;
    } else if (action === 'replay') {
      const answer = await client.send(creation(project), 201, cut);
      const isSame = answer.headers['idempotent-replayed'] && objectIn(answer)['id'] === project.id;
      if (!isSame) client.wrong.push('A replay is another project');
    } else {
      const gone = this.#gone[pick % Math.max(1, this.#gone.length)];
      const [problem, requestFor] = REFUSALS[pick % REFUSALS.length] ?? [];
      if (problem && requestFor && gone) await client.send(requestFor(project, gone), problem);
    }
    this.#free.push(project);
  }
}
