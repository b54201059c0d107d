import { fieldsOf } from '../../lib/contract/pointer.ts';
import { mapProjects, parseJsonBytes, projectIn, readPath, withId } from './projects.ts';
import type { SimulatedService, SimulatorRequest, SimulatorResponse } from './server.ts';

/**
 * Lets several projects of a service have the same custom id. A request by custom id then finds the newest of these
 * projects.
 */
export function withFreeCustomIds(service: SimulatedService): SimulatedService {
  /** The custom ids of projects, by project id. The newest project is last. */
  const customIds = new Map<number, string>();

  const answer: SimulatedService = async (request) => {
    const response = await service(request);
    return mapProjects(response, ({ id, ...fields }) => {
      const customId = typeof id === 'number' ? customIds.get(id) : undefined;
      return { id, ...fields, ...(customId !== undefined && { customId }) };
    });
  };

  async function create(request: SimulatorRequest): Promise<SimulatorResponse> {
    const { customId, ...fields } = fieldsOf(request.body && parseJsonBytes(request.body)) ?? {};
    if (typeof customId !== 'string') return service(request);
    const { 'content-length': _, ...headers } = request.headers;
    const response = await service({ ...request, headers, body: Buffer.from(JSON.stringify(fields)) });
    const created = projectIn(response);
    if (created) customIds.set(created.id, customId);
    return mapProjects(response, (project) => ({ ...project, customId }));
  }

  return async (request) => {
    const path = readPath(request.path);
    if (!path) return service(request);
    if (request.method === 'POST') return create(request);
    const { project } = path;
    if (!project || 'id' in project) return answer(request);
    const ids = [...customIds].filter(([, customId]) => customId === project.customId).map(([id]) => id);
    for (const id of ids.toReversed()) {
      const response = await answer({ ...request, path: withId(request.path, id) });
      // 404 means that the project was deleted since, or belongs to another account.
      if (response.status !== 404) return response;
    }
    return service(request);
  };
}
