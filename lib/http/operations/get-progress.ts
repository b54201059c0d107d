import { encodeObject } from '../../service/encoded-text.ts';
import type { ProjectService } from '../../service/port.ts';
import { acceptsGzip } from '../negotiation.ts';
import { callContext, type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { type ProjectParameter, projectRef } from '../project-ref.ts';

/** Makes the handler of `GET /segments/projects/{id}/progress`. */
export const getProgress = get('getProgress', 'id');

/** Makes the handler of `GET /segments/projects/custom/{customId}/progress`. */
export const getProgressByCustomId = get('getProgressByCustomId', 'customId');

function get(id: 'getProgress' | 'getProgressByCustomId', parameter: ProjectParameter) {
  return (service: ProjectService, options: OperationOptions): HttpHandler =>
    operation(id, options, async (request) => {
      const ref = projectRef(request, parameter);
      const progress = await service.progress(ref, request.parameters.taskId, callContext(request));
      return { status: 200, json: await encodeObject(progress, acceptsGzip(request.header('accept-encoding'))) };
    });
}
