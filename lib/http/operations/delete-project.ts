import { Problem } from '../../contract/problem.ts';
import { encodeText } from '../../service/encoded-text.ts';
import type { DeletionScope, ProjectService } from '../../service/port.ts';
import { operationHeaders, RETRY_WHILE_RUNNING } from '../http-result.ts';
import { readOperationIdempotency } from '../idempotency-key.ts';
import { prefersRepresentation } from '../negotiation.ts';
import { callContext, type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { type ProjectParameter, projectRef } from '../project-ref.ts';
import type { HttpRequest } from '../request.ts';

/** Makes the handler of `DELETE /segments/projects/{id}`. */
export const deleteProject = remove('deleteProject', 'id');

/** Makes the handler of `DELETE /segments/projects/custom/{customId}`. */
export const deleteProjectByCustomId = remove('deleteProjectByCustomId', 'customId');

function remove(id: 'deleteProject' | 'deleteProjectByCustomId', parameter: ProjectParameter) {
  return (service: ProjectService, options: OperationOptions): HttpHandler =>
    operation(id, options, async (request) => {
      requireUnconditional(request);
      const { idempotency, headers } = readOperationIdempotency(request);
      const ref = projectRef(request, parameter);
      const { taskId } = request.parameters;
      // The query parser rejects every malformed `taskId`, so `undefined` means that the request has no `taskId`.
      const scope: DeletionScope = taskId === undefined ? { kind: 'project' } : { kind: 'task', taskId };
      const receipt = await service.delete(ref, scope, { ...callContext(request), idempotency });
      const isPreferred = prefersRepresentation(request.header('prefer'));
      if (receipt.outcome === 'deleted' && !isPreferred) return { status: 204, headers };
      if (isPreferred) headers['Preference-Applied'] = 'return=representation';
      const json = await encodeText(JSON.stringify(receipt));
      if (receipt.outcome !== 'pending') return { status: 200, headers, json };
      const toAsk = { ...operationHeaders(request.baseUrl, receipt), ...RETRY_WHILE_RUNNING };
      return { status: 202, headers: { ...toAsk, ...headers }, json };
    });
}

/** The conditional headers of RFC 9110 that a client may send with a deletion. */
const CONDITIONS = ['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since'] as const;

/**
 * Rejects a deletion with a conditional header. Segue does not evaluate the condition, so it must not delete.
 * @throws {Problem} `invalid-header`
 */
function requireUnconditional({ headerValues }: HttpRequest): void {
  const given = CONDITIONS.filter((name) => headerValues(name.toLowerCase()).length > 0);
  if (given.length === 0) return;
  const detailOf = (name: string) =>
    `Deletions do not support the header ${name}. Segue deleted nothing. Leave the header out.`;
  const detail = given.map(detailOf).join(' ');
  throw new Problem('invalid-header', {
    detail,
    errors: given.map((name) => ({
      pointer: `/headers/${name.toLowerCase()}`,
      code: 'invalid-header',
      detail: detailOf(name),
    })),
  });
}
