import { encodeObject } from '../../service/encoded-text.ts';
import type { ProjectService } from '../../service/port.ts';
import { callContext, type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { deletionScope, type ProjectParameter, projectRef } from '../project-ref.ts';

/** Makes the handler of `GET /segments/projects/{id}/deletion`. */
export const planDeletion = plan('planDeletion', 'id');

/** Makes the handler of `GET /segments/projects/custom/{customId}/deletion`. */
export const planDeletionByCustomId = plan('planDeletionByCustomId', 'customId');

function plan(id: 'planDeletion' | 'planDeletionByCustomId', parameter: ProjectParameter) {
  return (service: ProjectService, options: OperationOptions): HttpHandler =>
    operation(id, options, async (request) => {
      const ref = projectRef(request, parameter);
      const planned = await service.planDeletion(ref, deletionScope(request), callContext(request));
      return { status: 200, json: await encodeObject(planned) };
    });
}
