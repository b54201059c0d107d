import { operationState } from '../idempotency/operation-state.ts';
import { creation } from '../idempotency/requests/create-project.ts';
import { deletion } from '../idempotency/requests/delete-project.ts';
import { putting } from '../idempotency/requests/put-project.ts';
import type { CallContext, OperationState } from '../service/port.ts';
import { languageChange } from './change-language.ts';
import type { HostedDeps } from './deps.ts';
import { findDocument } from './read-projects.ts';
import { translation } from './write-translations.ts';

/**
 * Reads the state of an operation, and its result.
 * @throws {Problem} `operation-not-found`
 */
export function readOperation(deps: HostedDeps, operationId: string, call: CallContext): Promise<OperationState> {
  const { storage, now } = deps;
  const read: Parameters<typeof creation>[0] = (ref, { companyId }) => findDocument(deps, ref, companyId);
  const operations = [creation(read), putting(read), deletion, translation(deps), languageChange(deps)];
  return operationState({ storage, now, operations }, operations, operationId, call);
}
