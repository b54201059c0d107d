import { LIMITS } from '../../../contract/limits.ts';
import { cursorAfter } from '../../../contract/parameters.ts';
import { routeOf } from '../../../contract/routes.ts';
import { encodeText } from '../../../service/document.ts';
import type { GivenProject, ProjectService } from '../../../service/port.ts';
import { MOST_ANSWER_BYTES } from '../answer.ts';
import { noBody } from '../middleware/no-body.ts';
import { callOf, type HttpHandler, type OperationOptions, operation } from '../operation.ts';

/** `GET /segments/projects` */
export function listProjects(service: ProjectService, options: OperationOptions): HttpHandler {
  return operation(
    routeOf('listProjects'),
    noBody(),
    async (request) => {
      const { limit = LIMITS.listDefault, cursor: after } = request.parameters;
      const page = await service.list({ limit, after }, callOf(request));
      const { texts, last } = fitting(page.projects);
      const next = texts.length < page.projects.length ? last : page.next;
      return {
        status: 200,
        ...(next !== undefined && { headers: { Link: nextLink(request.baseUrl, limit, next) } }),
        json: await encodeText(`[${texts.join(',')}]`),
      };
    },
    options,
  );
}

function nextLink(baseUrl: string, limit: number, after: number): string {
  return `<${baseUrl}/segments/projects?limit=${limit}&cursor=${cursorAfter(after)}>; rel="next"`;
}

/** As many projects as an answer can hold, and one at least. */
function fitting(projects: readonly GivenProject[]): { texts: string[]; last: number | undefined } {
  const texts: string[] = [];
  let last: number | undefined;
  let bytes = 2;
  for (const project of projects) {
    const text = JSON.stringify(project);
    bytes += Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes > MOST_ANSWER_BYTES) break;
    texts.push(text);
    last = project.id;
  }
  return { texts, last };
}
