import type { ProjectService } from '../../service/port.ts';
import { callContext, type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { type ProjectParameter, projectRef } from '../project-ref.ts';

/** Makes the handler of `GET /segments/projects/{id}`. */
export const getProject = get('getProject', 'id');

/** Makes the handler of `GET /segments/projects/custom/{customId}`. */
export const getProjectByCustomId = get('getProjectByCustomId', 'customId');

function get(id: 'getProject' | 'getProjectByCustomId', parameter: ProjectParameter) {
  return (service: ProjectService, options: OperationOptions): HttpHandler =>
    operation(id, options, async (request) => {
      const ref = projectRef(request, parameter);
      const { json } = await service.get(ref, request.parameters.taskId, callContext(request));
      return { status: 200, json };
    });
}
