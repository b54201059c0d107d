import type { ProjectService } from '../../service/port.ts';
import { callContext, type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { type RefReader, refByCustomId, refById } from '../project-ref.ts';

/** Makes the handler of `GET /segments/projects/{id}`. */
export const getProject = get('getProject', refById);

/** Makes the handler of `GET /segments/projects/custom/{customId}`. */
export const getProjectByCustomId = get('getProjectByCustomId', refByCustomId);

function get(id: 'getProject' | 'getProjectByCustomId', readRef: RefReader) {
  return (service: ProjectService, options: OperationOptions): HttpHandler =>
    operation(id, options, async (request) => {
      const ref = readRef(request.lastSegment);
      const { json } = await service.get(ref, request.parameters.taskId, callContext(request));
      return { status: 200, json };
    });
}
