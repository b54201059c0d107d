import { customIdIn, type ProjectsPath, projectIn } from './projects.ts';
import type { Random } from './random.ts';
import type { SimulatorRequest, SimulatorResponse } from './server.ts';

/**
 * The stages of an exchange (a request and its response), with at most one fault each: the request starts late, does
 * not run, or runs differently; its response is lost or wrong, or has another form.
 */
export const STAGES = ['delay', 'before', 'doing', 'after', 'look'] as const;
export type Stage = (typeof STAGES)[number];

type Method = 'GET' | 'POST' | 'DELETE';

/** A fault in an exchange about projects. */
interface Fault {
  readonly stage: Stage;
  readonly methods: readonly Method[];
  /** What the client sees and what the service does, for the table in docs/simulator.md. */
  readonly says: string;
  /** Whether the fault occurs only if its name is given, because no client can cope with it. */
  readonly isOnlyNamed?: boolean;
}

const ANY: readonly Method[] = ['GET', 'POST', 'DELETE'];
const CHANGES: readonly Method[] = ['POST', 'DELETE'];

function fault(stage: Stage, says: string, methods = ANY): Fault {
  return { stage, methods, says };
}

/** Every fault by its name. If several faults of one stage are drawn, the first one in this list occurs. */
export const FAULTS = {
  delay: fault('delay', 'The service starts to handle the request up to 5 seconds late.'),

  refused: fault(
    'before',
    'The service closes the connection at once, as if nothing listened there. The request does not run.',
  ),
  'reset-before-commit': fault(
    'before',
    'The service closes the connection without a response. The request does not run.',
  ),
  'timeout-before-commit': fault('before', 'The service never answers. The request does not run.'),
  unauthorized: fault('before', '401, as if a token had expired between two requests. The request does not run.'),
  'request-timeout-before-commit': fault('before', '408 as plain text. The request does not run.'),
  'rate-limited': fault('before', '429 with `Retry-After` of 1 to 3 seconds. The request does not run.'),
  'rate-limited-without-time': fault(
    'before',
    '429 without `Retry-After`, and without a body. The request does not run.',
  ),
  'error-before-commit': fault('before', '500 with `errors` in the form of ASP.NET. The request does not run.'),
  'bad-gateway-before-commit': fault('before', '502 with an HTML page. The request does not run.'),
  unavailable: fault('before', '503 as plain text, with `Retry-After` of 1 second. The request does not run.'),

  twice: fault(
    'doing',
    'The request runs twice, as if a proxy retried it. The client gets the second response.',
    CHANGES,
  ),
  archived: fault(
    'doing',
    'The deletion of a project only archives it. The client gets 204, but reads still return the project, with `"archived": true`. Tasks are deleted as usual.',
    ['DELETE'],
  ),
  'delete-later': fault('doing', '202. The service deletes after the settle lag.', ['DELETE']),
  'accepted-for-hours': fault(
    'doing',
    '202. The service deletes up to 20 hours later; in a quarter of the cases it never deletes. Until then, the same deletion gets 202 or 409.',
    ['DELETE'],
  ),
  'stuck-replica': fault(
    'doing',
    'For up to the settle lag, an outdated replica answers. It answers all requests of this account for single projects. Every read without `taskId` returns the project as it was at the same earlier moment. The deletion of a project that was created after that moment gets 404; other deletions work.',
    ['GET', 'DELETE'],
  ),
  lagging: fault('doing', 'The read returns an earlier state of the project, at most as old as the settle lag.', [
    'GET',
  ]),
  widening: {
    ...fault('doing', 'The service ignores `taskId`, and deletes the whole project.', ['DELETE']),
    isOnlyNamed: true,
  },

  'timeout-after-commit': fault('after', 'The request runs, but the service never answers.'),
  'reset-after-commit': fault('after', 'The request runs, but the service closes the connection without a response.'),
  'request-timeout-after-commit': fault('after', 'The request runs, but the client gets 408 as plain text.'),
  'error-after-commit': fault('after', 'The request runs, but the client gets 500 with an empty body.'),
  'bad-gateway-after-commit': fault('after', 'The request runs, but the client gets 502 with an HTML page.'),
  'gateway-timeout-after-commit': fault('after', 'The request runs, but the client gets 504 with an HTML page.'),
  truncated: fault('after', 'The request runs, but the connection ends in the middle of the response.'),
  repeated: fault(
    'after',
    'The request runs, but the client gets the response to the previous request of its account with the same method and path, if that response is not older than the settle lag. A creation may therefore get the response to another creation.',
  ),

  'unknown-fields': fault('look', 'The response has fields that are not in the contract.', ['GET', 'POST']),
  'odd-dates': fault('look', 'The dates in the response have 0 to 7 fraction digits.', ['GET', 'POST']),
  'ok-for-created': fault('look', 'The status is 200 in place of 201.', ['POST']),
} satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = namesOf(FAULTS);

function namesOf<Name extends string>(record: Readonly<Record<Name, Fault>>): readonly Name[] {
  return Object.keys(record).filter((name): name is Name => name in record);
}

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name);
}

/** Whether a fault can occur in requests with the given method. */
function concerns(name: FaultName, method: string): boolean {
  return FAULTS[name].methods.some((each) => each === method);
}

/** How often each fault occurs, by its name: from 0 (never) to 1 (always). A fault without a rate never occurs. */
export type Rates = Readonly<Partial<Record<FaultName, number>>>;

/** Gives every fault the same rate. Faults with `isOnlyNamed` get none. */
export function allAt(rate: number): Rates {
  const usual = FAULT_NAMES.filter((name) => !('isOnlyNamed' in FAULTS[name]));
  return Object.fromEntries(usual.map((name) => [name, rate]));
}

/** The faults of one exchange, by stage. */
export type FaultPlan = Readonly<Partial<Record<Stage, FaultName>>>;

/**
 * Decides which faults occur in an exchange.
 * @param requested a fault that the project's custom id requests, if any
 */
export function planFaults(method: string, rates: Rates, random: Random, requested?: FaultName): FaultPlan {
  const plan: { [stage in Stage]?: FaultName } = {};
  if (requested !== undefined) plan[FAULTS[requested].stage] = requested;
  for (const name of FAULT_NAMES) {
    const { stage } = FAULTS[name];
    // A number is drawn for every fault, even if it cannot occur here. Later faults therefore stay the same for a seed.
    const isDrawn = random.chance(rates[name] ?? 0);
    if (isDrawn && concerns(name, method)) plan[stage] ??= name;
  }
  // The service never gets a request with a fault of the stage `before`, so later stages have no faults.
  return plan.before === undefined ? plan : { ...(plan.delay && { delay: plan.delay }), before: plan.before };
}

/**
 * Returns the fault that a custom id requests. The id contains `fault-<name>` at its beginning or after a dot. Any text
 * that does not begin with a lower-case letter may follow. If several names fit, the longest one counts.
 */
export function faultInCustomId(customId: string): FaultName | undefined {
  const [, text = ''] = /(?:^|\.)fault-([a-z-]+)/.exec(customId) ?? [];
  const words = text.split('-');
  for (let count = words.length; count > 0; count--) {
    const name = words.slice(0, count).join('-');
    if (isFaultName(name)) return name;
  }
  return undefined;
}

/**
 * The faults that custom ids request. A fault occurs in the first creation and in the first deletion of a project with
 * that custom id, if it can occur in such requests. A fault that can occur only in reads occurs in the first read.
 */
export class RequestedFaults {
  /** The custom ids that request a fault, by the id of the created project. */
  readonly #customIds = new Map<number, string>();
  readonly #done = new Set<string>();

  /** Returns the fault that the project of a request now asks for. Each fault is returned only once. */
  take({ method, body }: SimulatorRequest, { project }: ProjectsPath): FaultName | undefined {
    const customId = project === undefined ? requestingCustomId(body) : this.#customIdOf(project);
    const name = customId === undefined ? undefined : faultInCustomId(customId);
    if (name === undefined || !concerns(name, method)) return undefined;
    if (method === 'GET' && (concerns(name, 'POST') || concerns(name, 'DELETE'))) return undefined;
    const key = JSON.stringify([method, customId]);
    if (this.#done.has(key)) return undefined;
    this.#done.add(key);
    return name;
  }

  /** Remembers the id of a created project whose custom id requests a fault. */
  recordCreated({ body }: SimulatorRequest, response: SimulatorResponse): void {
    if (requestingCustomId(body) === undefined) return;
    const { id, customId } = projectIn(response) ?? {};
    if (id !== undefined && customId !== undefined) this.#customIds.set(id, customId);
  }

  #customIdOf(project: ProjectsPath['project'] & {}): string | undefined {
    return 'id' in project ? this.#customIds.get(project.id) : project.customId;
  }
}

/**
 * Returns the custom id in the body of a creation, if the body may request a fault. Other bodies are not parsed,
 * because they may be large.
 */
function requestingCustomId(body: Uint8Array | undefined): string | undefined {
  return body && Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes('fault-')
    ? customIdIn(body)
    : undefined;
}
