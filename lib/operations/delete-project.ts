import { only } from '../contract/answers.ts';
import { invalidHeader } from '../contract/failures.ts';
import { Receipt } from '../contract/receipt.ts';
import { operationHeaders, RETRY_WHILE_RUNNING } from '../http/http-result.ts';
import { readOperationIdempotency } from '../http/idempotency-key.ts';
import { prefersRepresentation } from '../http/negotiation.ts';
import { callContext } from '../http/operation.ts';
import { deletionScope } from '../http/project-ref.ts';
import type { HttpRequest } from '../http/request.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { ProjectChanges } from '../service/port.ts';
import { type PlannedRemoval, readRemovalToken, removalToken } from '../service/removal-plan.ts';
import * as example from './docs/examples.ts';
import { KEY, type OperationDocs, prefer, REPLAYED, RUNNING } from './docs/operation-docs.ts';
import { onProject, projectRoutes } from './on-project.ts';
import { CHANGED_UPSTREAM, NOT_FOUND, WITH_KEY } from './route-parts.ts';

export const deleteProjectRoutes = /* @__PURE__ */ projectRoutes({
  id: 'deleteProject',
  function: 'changeProjects',
  method: 'DELETE',
  path: '',
  summaries: ['Delete a project or a task', 'Delete a project or a task by custom id'],
  scope: 'delete',
  query: ['taskId'],
  body: 'none',
  problems: [...NOT_FOUND, 'revision-outdated', 'plan-outdated', ...WITH_KEY, 'project-deleted', ...CHANGED_UPSTREAM],
});

export const deleteProject = /* @__PURE__ */ onProject(
  deleteProjectRoutes,
  async (request, readRef, service: ProjectChanges) => {
    const planned = plannedIn(request);
    const { idempotency, headers } = readOperationIdempotency(request);
    const ref = readRef();
    const receipt = await service.delete(ref, deletionScope(request), {
      ...callContext(request),
      idempotency,
      planned,
    });
    const isPreferred = prefersRepresentation(request.header('prefer'));
    if (receipt.outcome === 'deleted' && !isPreferred) return { status: 204, headers };
    if (isPreferred) headers['Preference-Applied'] = 'return=representation';
    const json = await encodeText(JSON.stringify(receipt));
    if (receipt.outcome !== 'pending') return { status: 200, headers, json };
    const toAsk = { ...operationHeaders(request.baseUrl, receipt), ...RETRY_WHILE_RUNNING };
    return { status: 202, headers: { ...toAsk, ...headers }, json };
  },
);

/** What a deletion may say in a conditional header of RFC 9110, by the name of the header. */
const CONDITIONS = {
  'If-Match':
    'The header If-Match must have one value: the plan of this deletion, in quotation marks. Request it with GET and the path ending in /deletion. Segue deleted nothing.',
  'If-None-Match': notSupported('If-None-Match'),
  'If-Modified-Since': notSupported('If-Modified-Since'),
  'If-Unmodified-Since': notSupported('If-Unmodified-Since'),
} as const;

function notSupported(name: string): string {
  return `Deletions do not support the header ${name}. Segue deleted nothing. Leave the header out.`;
}

/**
 * Reads the plan that a deletion must agree with; `undefined` if there is none. Segue evaluates no other condition, so
 * it must not delete if there is one.
 * @throws {Problem} `invalid-header`
 */
function plannedIn({ headerValues }: HttpRequest): PlannedRemoval | undefined {
  const [tag, ...others] = headerValues('if-match');
  const [, token] = /^"([\w-]+)"$/.exec(tag ?? '') ?? [];
  const planned = others.length === 0 && token !== undefined ? readRemovalToken(token) : undefined;
  const wrong = Object.entries(CONDITIONS).filter(
    ([name]) => headerValues(name.toLowerCase()).length > 0 && !(name === 'If-Match' && planned),
  );
  if (wrong.length > 0) throw invalidHeader(Object.fromEntries(wrong));
  return planned;
}

export const deleteProjectDocs = (): OperationDocs => ({
  tag: 'Projects',
  description:
    'Deletes the project for good. With `taskId`, it deletes only that task. To get a receipt, send `Prefer: return=representation`. To retry safely, send an `Idempotency-Key`.',
  headers: [
    KEY,
    prefer('return=representation', 'With `return=representation`, the answer has the receipt.'),
    {
      name: 'If-Match',
      in: 'header',
      description:
        'The `plan` of the deletion, in quotation marks. The deletion then removes only what the plan shows. If that has changed, the answer is 412 `plan-outdated`, and nothing is deleted.',
      schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$', maxLength: 256 },
      example: `"${removalToken(example.removal)}"`,
    },
  ],
  answers: [
    {
      status: 204,
      description: 'The project or task has been deleted.',
      schema: null,
      headers: ['Idempotent-Replayed'],
    },
    {
      status: 200,
      description:
        'The receipt. The request asked for it with `Prefer: return=representation`, or the service behind Segue archived the project.',
      schema: Receipt,
      condition: 'with `Prefer: return=representation`',
      example: example.receipt,
      headers: REPLAYED,
    },
    {
      status: 202,
      description: 'The service behind Segue has accepted the deletion, and has not finished it.',
      schema: Receipt,
      example: { ...example.receipt, outcome: 'pending', deletedAtUtc: null, operationId: example.started.operationId },
      ...RUNNING,
    },
  ],
  result: { receipt: only(Receipt, 'After a deletion: its receipt.') },
  schemas: { Receipt },
});
