import { canaryHandler } from '../../lib/canary/canary-handler.ts';
import { openCanary } from '../compose/canary.ts';

export const handler = canaryHandler(openCanary(), { now: Date.now });
