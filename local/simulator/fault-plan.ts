import type { SimulatorRequest, SimulatorResponse } from './exchange.ts';
import { concerns, FAULT_NAMES, FAULTS, type FaultName, isFaultName, type Rates, type Stage } from './faults.ts';
import { customIdIn, type ProjectsPath, projectIn } from './projects.ts';
import type { Random } from './random.ts';

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
