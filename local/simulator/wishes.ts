import type { Asked, Reply } from './exchange.ts';
import { concerns, type FaultName } from './faults.ts';
import { faultIn } from './plan.ts';
import { customIdIn, type ProjectsPath, projectIn } from './projects.ts';

/**
 * The faults that custom ids ask for. Each comes about once when its project is created, where it concerns creations,
 * and once when it is deleted; one that concerns readings alone, at the first reading by the custom id.
 */
export class Wishes {
  /** The custom ids of projects that ask for a fault. */
  readonly #customIds = new Map<number, string>();
  readonly #granted = new Set<string>();

  /** The fault that a request's project asks for now. */
  grant({ method, body }: Asked, path: ProjectsPath): FaultName | undefined {
    const customId = path.project === undefined ? wishIn(body) : this.#customIdOf(path.project);
    const name = customId === undefined ? undefined : faultIn(customId);
    if (name === undefined || !concerns(name, method)) return undefined;
    if (method === 'GET' && (concerns(name, 'POST') || concerns(name, 'DELETE'))) return undefined;
    const wish = JSON.stringify([method, customId]);
    if (this.#granted.has(wish)) return undefined;
    this.#granted.add(wish);
    return name;
  }

  /** Remembers the id of a project that was created, where it asks for a fault. */
  created({ body }: Asked, reply: Reply): void {
    if (wishIn(body) === undefined) return;
    const { id, customId } = projectIn(reply) ?? {};
    if (id !== undefined && customId !== undefined) this.#customIds.set(id, customId);
  }

  #customIdOf(project: ProjectsPath['project'] & {}): string | undefined {
    return 'id' in project ? this.#customIds.get(project.id) : project.customId;
  }
}

/** The custom id of a creation that may ask for a fault; a large body is read only where it may. */
function wishIn(body: Uint8Array | undefined): string | undefined {
  return body && Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes('fault-')
    ? customIdIn(body)
    : undefined;
}
