import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Variables } from '../../lib/contract/settings.ts';
import { type HostedOptions, hostedService } from '../../lib/hosted/service.ts';
import type { UpstreamOptions } from '../../lib/upstream/deps.ts';
import { upstreamReconciler } from '../../lib/upstream/reconciler.ts';
import { upstreamService } from '../../lib/upstream/service.ts';
import { serviceSettings } from './environment.ts';

// The services with the clock, the randomness and the settings of a process. Both come with everything else as arguments,
// so that functions and commands make them in the same way.

/** Creates the hosted service. @param env has the settings */
export function hostedOn(
  parts: Omit<HostedOptions, 'now' | 'random' | 'startDateToleranceMs'>,
  env: Variables = process.env,
) {
  return hostedService({ ...parts, ...serviceSettings(env), now: Date.now, random: Math.random });
}

type UpstreamParts = Omit<UpstreamOptions, 'now' | 'sleep' | 'newId' | 'startDateToleranceMs'>;

/** Creates the service that passes requests on to the upstream service. @param env has the settings */
export function upstreamOn(parts: UpstreamParts, env?: Variables) {
  return upstreamService(upstreamOptions(parts, env));
}

/** Creates the reconciler of the upstream service. */
export function reconcilerOn(parts: UpstreamParts) {
  return upstreamReconciler(upstreamOptions(parts));
}

function upstreamOptions(parts: UpstreamParts, env: Variables = process.env): UpstreamOptions {
  return {
    ...parts,
    ...serviceSettings(env),
    now: Date.now,
    sleep: (ms) => setTimeout(ms),
    newId: randomUUID,
  };
}
