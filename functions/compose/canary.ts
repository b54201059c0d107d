import type { CanaryDeps } from '../../lib/canary/canary-handler.ts';
import { canarySecret } from './aws.ts';
import { canaryMode, required } from './environment.ts';

/** Opens the dependencies of the canary, from the environment. */
export function openCanary(): CanaryDeps {
  return { baseUrl: required('SEGUE_CANARY_URL'), mode: canaryMode(), readSecret: canarySecret() };
}
