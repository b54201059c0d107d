import { Duration } from 'aws-cdk-lib';
import { GATEWAY_LIMITS } from '../../lib/contract/limits.ts';
import type { FunctionEntry, FunctionKind, FunctionName } from './catalogue.ts';

/** The longest a function may run. A workflow waits longer than a gateway; nobody waits long for an authorizer. */
const OF_KIND: Record<FunctionKind, Duration> = {
  http: Duration.millis(GATEWAY_LIMITS.timeoutMs),
  authorizer: Duration.seconds(10),
  task: Duration.seconds(60),
  bulk: Duration.seconds(60),
  // over before the schedule comes again
  background: Duration.minutes(4),
};

/** Of functions whose schedules come sooner, or hardly ever. */
const OF_FUNCTION: Partial<Record<FunctionName, Duration>> = {
  // less than a worker has a delivery to itself: see lib/webhooks/retry-policy.ts
  deliveries: Duration.seconds(55),
  reconciler: Duration.seconds(55),
  audit: Duration.minutes(15),
  // it reads all of a manifest
  prepareBulk: Duration.minutes(15),
};

/** The longest that a function may run. */
export function timeoutOf({ name, kind }: Pick<FunctionEntry, 'name' | 'kind'>): Duration {
  return OF_FUNCTION[name] ?? OF_KIND[kind];
}
