import { fieldsOf } from '../../lib/contract/pointer.ts';
import type { Asked, Reply, Service } from './exchange.ts';
import { withProjects } from './looks.ts';
import { parsed, pathOf, projectIn, readPath } from './projects.ts';

/** A service that takes a custom id as often as it is given: by it, the newest project that has it is found. */
export function withFreeCustomIds(service: Service): Service {
  /** The newest last. */
  const customIds = new Map<number, string>();

  const answer: Service = async (asked) => {
    const reply = await service(asked);
    return withProjects(reply, ({ id, ...fields }) => {
      const customId = typeof id === 'number' ? customIds.get(id) : undefined;
      return { id, ...fields, ...(customId !== undefined && { customId }) };
    });
  };

  async function create(asked: Asked): Promise<Reply> {
    const { customId, ...fields } = fieldsOf(asked.body && parsed(asked.body)) ?? {};
    if (typeof customId !== 'string') return service(asked);
    const { 'content-length': _, ...headers } = asked.headers;
    const reply = await service({ ...asked, headers, body: Buffer.from(JSON.stringify(fields)) });
    const made = projectIn(reply);
    if (made) customIds.set(made.id, customId);
    return withProjects(reply, (project) => ({ ...project, customId }));
  }

  return async (asked) => {
    const path = readPath(asked.path);
    if (!path) return service(asked);
    if (asked.method === 'POST') return create(asked);
    const { project } = path;
    if (!project || 'id' in project) return answer(asked);
    const ids = [...customIds].filter(([, customId]) => customId === project.customId).map(([id]) => id);
    for (const id of ids.toReversed()) {
      const reply = await answer({ ...asked, path: asked.path.replace(/^[^?]*/, pathOf(id)) });
      // Deleted since, or another account's.
      if (reply.status !== 404) return reply;
    }
    return service(asked);
  };
}
