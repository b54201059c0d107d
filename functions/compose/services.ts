import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Variables } from '../../lib/contract/settings.ts';
import { type HostedOptions, hostedService } from '../../lib/hosted/service.ts';
import type { UpstreamOptions } from '../../lib/upstream/deps.ts';
import { upstreamService } from '../../lib/upstream/service.ts';
import { serviceSettings } from './environment.ts';

// The services with the clock, the randomness and the settings of a process. Both come with everything else as arguments,
// so that functions and commands make them in the same way.

type HostedParts = Omit<HostedOptions, 'now' | 'random' | 'startDateToleranceMs'>;

/** Creates the hosted service. @param env has the settings */
export function hostedOn(parts: HostedParts, env?: Variables) {
  return hostedService(hostedOptions(parts, env));
}

/** Returns the options of the hosted service in this process. @param env has the settings */
export function hostedOptions(parts: HostedParts, env: Variables = process.env): HostedOptions {
  return { ...parts, ...serviceSettings(env), now: Date.now, random: Math.random };
}

type UpstreamParts = Omit<UpstreamOptions, 'now' | 'sleep' | 'newId' | 'startDateToleranceMs'>;

/** Creates the service that passes requests on to the upstream service. @param env has the settings */
export function upstreamOn(parts: UpstreamParts, env?: Variables) {
  return upstreamService(upstreamOptions(parts, env));
}

/** Returns the options of the upstream service in this process. @param env has the settings */
export function upstreamOptions(parts: UpstreamParts, env: Variables = process.env): UpstreamOptions {
  return {
    ...parts,
    ...serviceSettings(env),
    now: Date.now,
    sleep: (ms) => setTimeout(ms),
    newId: randomUUID,
  };
}
