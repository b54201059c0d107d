import type { CheckedProject } from '../../../lib/contract/project.ts';
import type { UpstreamOptions, UpstreamService } from '../../../lib/upstream/service.ts';
import { byKind, type Kind, kindOf, type Play, playService, type Received } from './server.ts';
import { World } from './world.ts';

export type Plays = Partial<Record<Kind, Play>>;

/** Segue in front of a played service. */
export interface Played {
  readonly world: World;
  readonly service: UpstreamService & { readonly secretReads: () => number };
  readonly received: Received[];
  /** What the service was asked, in order. */
  readonly asked: () => Kind[];
}

/** Segue in front of a service that does by kind as it is told. */
export async function playing(plays: Plays = {}, options: Partial<UpstreamOptions> = {}): Promise<Played> {
  const world = new World();
  const { url, received } = await playService(byKind(plays));
  const asked = () => received.map(({ method, url: path }) => kindOf(method, path));
  return { world, service: world.serviceAt(url, options), received, asked };
}

/** The same, with a project of the id 1,000 that the company created long ago. */
export async function owning(
  project: CheckedProject,
  plays: Plays = {},
  options: Partial<UpstreamOptions> = {},
): Promise<Played> {
  const played = await playing(plays, options);
  await played.service.create(project, played.world.call());
  played.world.settle();
  played.received.splice(0);
  return played;
}
