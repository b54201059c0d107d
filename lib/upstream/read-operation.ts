import { operationState } from '../idempotency/operation-state.ts';
import type { CallContext, OperationState } from '../service/port.ts';
import type { UpstreamDeps } from './deps.ts';
import { keyedDeps } from './keyed-deps.ts';

/**
 * Reads the state of an operation, and its result.
 * @throws {Problem} `operation-not-found`
 */
export function readOperation(deps: UpstreamDeps, operationId: string, call: CallContext): Promise<OperationState> {
  const keyed = keyedDeps(deps);
  return operationState(keyed, keyed.operations, operationId, call);
}
