import { only } from '../contract/answers.ts';
import { Receipt } from '../contract/receipt.ts';
import { operationHeaders, RETRY_WHILE_RUNNING } from '../http/http-result.ts';
import { readOperationIdempotency } from '../http/idempotency-key.ts';
import { prefersRepresentation } from '../http/negotiation.ts';
import { callContext } from '../http/operation.ts';
import { readPlan } from '../http/planned.ts';
import { deletionScope } from '../http/project-ref.ts';
import { encodeText } from '../service/encoded-text.ts';
import type { ProjectChanges } from '../service/port.ts';
import { readRemovalToken, removalToken } from '../service/removal-plan.ts';
import * as example from './docs/examples.ts';
import { KEY, type OperationDocs, planHeader, prefer, REPLAYED, RUNNING } from './docs/operation-docs.ts';
import { onProject, projectRoutes } from './on-project.ts';
import { CHANGED_UPSTREAM, NOT_FOUND, WITH_KEY } from './route-parts.ts';

export const deleteProjectRoutes = /* @__PURE__ */ projectRoutes({
  id: 'deleteProject',
  function: 'changeProjects',
  method: 'DELETE',
  path: '',
  summaries: ['Delete a project or a task', 'Delete a project or a task by custom id'],
  scope: 'delete',
  query: ['taskId', 'revision'],
  body: 'none',
  problems: [...NOT_FOUND, 'revision-outdated', 'plan-outdated', ...WITH_KEY, 'project-deleted', ...CHANGED_UPSTREAM],
});

const PLANNED = {
  name: 'deletion',
  hint: 'Request it with GET and the path ending in /deletion.',
  read: readRemovalToken,
};

export const deleteProject = /* @__PURE__ */ onProject(
  deleteProjectRoutes,
  async (request, readRef, service: ProjectChanges) => {
    const planned = readPlan(request, PLANNED);
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

export const deleteProjectDocs = (): OperationDocs => ({
  tag: 'Projects',
  description:
    'Deletes the project for good. With `taskId`, it deletes only that task. To get a receipt, send `Prefer: return=representation`. To retry safely, send an `Idempotency-Key`.',
  forAgents:
    'Deletes the project for good. With `taskId`, it deletes only that task. Nobody can undo it, so it needs the `plan` of this deletion.',
  headers: [
    KEY,
    prefer('return=representation', 'With `return=representation`, the answer has the receipt.'),
    planHeader(
      'The `plan` of the deletion, in quotation marks. The deletion then removes only what the plan shows. If that has changed, the answer is 412 `plan-outdated`, and nothing is deleted.',
      removalToken(example.removal),
    ),
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
