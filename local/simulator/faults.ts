import { customIdIn, type ProjectsPath, projectIn } from './projects.ts';
import type { Random } from './random.ts';
import type { SimulatorRequest, SimulatorResponse } from './server.ts';

/** When a fault occurs. An exchange has at most one fault of each stage. */
export const STAGES = ['delay', 'before', 'doing', 'after', 'look'] as const;
export type Stage = (typeof STAGES)[number];

type Method = 'GET' | 'POST' | 'DELETE';

/** A fault of an exchange about projects. */
interface Fault {
  readonly stage: Stage;
  readonly methods: readonly Method[];
  /** What the client sees, and what the service does. */
  readonly says: string;
  /** Occurs only if it is requested by name: no client can cope with it. */
  readonly isOnlyNamed?: boolean;
}

const ANY: readonly Method[] = ['GET', 'POST', 'DELETE'];
const CHANGES: readonly Method[] = ['POST', 'DELETE'];

function fault(stage: Stage, says: string, methods = ANY): Fault {
  return { stage, methods, says };
}

/** Every fault by its name. An earlier one wins over a later one of its stage. */
export const FAULTS = {
  delay: fault('delay', 'Carried out and answered up to 5 seconds late.'),

  refused: fault('before', 'Hangs up at once, as if no connection could be made. Not carried out.'),
  'reset-before-commit': fault('before', 'Hangs up without a response. Not carried out.'),
  'timeout-before-commit': fault('before', 'Never answers. Not carried out.'),
  unauthorized: fault('before', '401, as when a token expires between two requests.'),
  'request-timeout-before-commit': fault('before', '408 as plain text. Not carried out.'),
  'rate-limited': fault('before', '429 with `Retry-After` of 1 to 3 seconds.'),
  'rate-limited-without-time': fault('before', '429 without `Retry-After`, and without a body.'),
  'error-before-commit': fault('before', '500 with ASP.NET-style `errors`. Not carried out.'),
  'bad-gateway-before-commit': fault('before', '502 with a page in HTML. Not carried out.'),
  unavailable: fault('before', '503 as plain text, with `Retry-After` of 1 second.'),

  twice: fault('doing', 'Carried out twice, as by a proxy that retries; the client gets the second response.', CHANGES),
  archived: fault(
    'doing',
    'Deleting a project only archives it: 204, and reads still return it, with `"archived": true`. Tasks are deleted as usual.',
    ['DELETE'],
  ),
  'delete-later': fault('doing', '202, and carried out after the settle lag.', ['DELETE']),
  'accepted-for-hours': fault(
    'doing',
    '202, and carried out up to 20 hours later, or, in a quarter of the cases, never. Until then the same deletion gets 202 or 409.',
    ['DELETE'],
  ),
  'stuck-replica': fault(
    'doing',
    'For as long as the settle lag, an old replica answers every request of the account. It shows projects as they were at one moment, and answers 404 to the deletion of a newer project.',
    ['GET', 'DELETE'],
  ),
  lagging: fault('doing', 'Reads a project as it was some time ago, at most the settle lag.', ['GET']),
  widening: { ...fault('doing', 'Ignores `taskId`: the whole project is deleted.', ['DELETE']), isOnlyNamed: true },

  'timeout-after-commit': fault('after', 'Carried out, and never answers.'),
  'reset-after-commit': fault('after', 'Carried out, and hangs up without a response.'),
  'request-timeout-after-commit': fault('after', 'Carried out, and 408 as plain text.'),
  'error-after-commit': fault('after', 'Carried out, and 500 with an empty body.'),
  'bad-gateway-after-commit': fault('after', 'Carried out, and 502 with a page in HTML.'),
  'gateway-timeout-after-commit': fault('after', 'Carried out, and 504 with a page in HTML.'),
  truncated: fault('after', 'Carried out, and the response breaks off halfway.'),
  repeated: fault(
    'after',
    'Carried out, and gets the response to the same request before it, at most as old as the settle lag; a creation gets that of any creation.',
  ),

  'unknown-fields': fault('look', 'The response has fields that are not in the contract.', ['GET', 'POST']),
  'odd-dates': fault('look', 'Dates in the response have 0 to 7 fraction digits.', ['GET', 'POST']),
  'ok-for-created': fault('look', '200 in place of 201.', ['POST']),
} satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;

export const FAULT_NAMES = namesOf(FAULTS);

function namesOf<Name extends string>(record: Readonly<Record<Name, Fault>>): readonly Name[] {
  return Object.keys(record).filter((name): name is Name => name in record);
}

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name);
}

/** Whether a fault can occur in requests of a method. */
export function concerns(name: FaultName, method: string): boolean {
  return FAULTS[name].methods.some((each) => each === method);
}

/** How often each fault occurs, from 0 (never, as if absent) to 1 (always). */
export type Rates = Readonly<Partial<Record<FaultName, number>>>;

/** The same rate for every fault, except for those that occur by name only. */
export function allAt(rate: number): Rates {
  const usual = FAULT_NAMES.filter((name) => !('isOnlyNamed' in FAULTS[name]));
  return Object.fromEntries(usual.map((name) => [name, rate]));
}

/** The faults of one exchange, at most one for each stage. */
export type FaultPlan = Readonly<Partial<Record<Stage, FaultName>>>;

/**
 * Decides which faults occur in an exchange.
 * @param requested a fault that the project's custom id requests
 */
export function planFaults(method: string, rates: Rates, random: Random, requested?: FaultName): FaultPlan {
  const plan: { [stage in Stage]?: FaultName } = {};
  if (requested !== undefined) plan[FAULTS[requested].stage] = requested;
  for (const name of FAULT_NAMES) {
    const { stage } = FAULTS[name];
    // A number is drawn for every fault, so that later faults do not depend on which ones were possible here.
    const isDrawn = random.chance(rates[name] ?? 0);
    if (isDrawn && concerns(name, method)) plan[stage] ??= name;
  }
  // A request that is not carried out has no later stage.
  return plan.before === undefined ? plan : { ...(plan.delay && { delay: plan.delay }), before: plan.before };
}

/** The fault that a custom id requests: `fault-<name>` at its beginning or after a dot, followed by its end or another `-`. */
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
 * The faults that custom ids request. Each occurs once when its project is created and once when it is deleted, as far as
 * it concerns these; a fault of reads alone occurs at the first read by the custom id.
 */
export class RequestedFaults {
  /** The custom ids of projects that request a fault. */
  readonly #customIds = new Map<number, string>();
  readonly #done = new Set<string>();

  /** Takes the fault that a request's project requests now. */
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

  /** Remembers the id of a created project that requests a fault. */
  recordCreated({ body }: SimulatorRequest, response: SimulatorResponse): void {
    if (requestingCustomId(body) === undefined) return;
    const { id, customId } = projectIn(response) ?? {};
    if (id !== undefined && customId !== undefined) this.#customIds.set(id, customId);
  }

  #customIdOf(project: ProjectsPath['project'] & {}): string | undefined {
    return 'id' in project ? this.#customIds.get(project.id) : project.customId;
  }
}

/** The custom id of a creation that may request a fault. Other large bodies are not parsed. */
function requestingCustomId(body: Uint8Array | undefined): string | undefined {
  return body && Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes('fault-')
    ? customIdIn(body)
    : undefined;
}
