import { LIMITS } from '../../contract/limits.ts';
import { cursorAfter } from '../../contract/parameters.ts';
import { Problem } from '../../contract/problem.ts';
import { routeOf } from '../../contract/routes.ts';
import { encodeText } from '../../service/encoded-text.ts';
import type { ProjectPage, ProjectService, ServiceProject } from '../../service/port.ts';
import { MOST_ANSWER_BYTES } from '../answer.ts';
import { encodePieces } from '../encode-pieces.ts';
import { noBody } from '../middleware/no-body.ts';
import { acceptsGzip } from '../negotiation.ts';
import { callOf, type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import type { HttpRequest } from '../request.ts';

/** `GET /segments/projects` */
export function listProjects(service: ProjectService, options: OperationOptions): HttpHandler {
  return operation(
    routeOf('listProjects'),
    noBody(),
    async (request) => {
      const { limit, cursor: after } = request.parameters;
      const page = await service.list({ limit: limit ?? LIMITS.listMax, after }, callOf(request));
      const { texts, last } = fitting(page.projects);
      const next = texts.length < page.projects.length ? last : page.next;
      if (next === undefined) return { status: 200, json: await encodeText(`[${texts.join(',')}]`) };
      if (limit === undefined) return { status: 200, json: await encodeWhole(service, request, page) };
      return {
        status: 200,
        headers: { Link: nextLink(request.baseUrl, limit, next) },
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
function fitting(projects: readonly ServiceProject[]): { texts: string[]; last: number | undefined } {
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

/**
 * Encodes the whole list, which begins with a page. It reads page by page, and stops as soon as the list cannot fit.
 * @throws {Problem} `not-acceptable`, which names `limit`
 */
function encodeWhole(service: ProjectService, request: HttpRequest, first: ProjectPage) {
  const gzip = acceptsGzip(request.header('accept-encoding'));
  const tooLarge = () => new Problem('not-acceptable', { detail: gzip ? TOO_LARGE : `${TOO_LARGE} ${OR_GZIP}` });

  async function* pieces(): AsyncGenerator<string> {
    let before = '[';
    let count = 0;
    for (let page = first; ; ) {
      count += page.projects.length;
      if (count > LIMITS.wholeListProjects) throw tooLarge();
      const text = page.projects.map((project) => JSON.stringify(project)).join();
      if (text !== '') yield before + text;
      if (count > 0) before = ',';
      if (page.next === undefined) break;
      if (request.deadline.remainingMs() < TIME_TO_SEND_MS) throw new Problem('not-acceptable', { detail: TOO_SLOW });
      // A page of large projects ends before its limit, and the store has read more than it holds.
      const limit = Math.min(LIMITS.listMax, page.projects.length + PAGE_GROWTH);
      page = await service.list({ limit, after: page.next }, callOf(request));
    }
    yield count > 0 ? ']' : '[]';
  }

  return encodePieces(pieces(), { gzip, maxBytes: LIMITS.wholeListBytes, tooLarge });
}

/** How much longer the next page of a whole list may be. */
const PAGE_GROWTH = 10;

/** What encoding and sending a whole list may take, in milliseconds. */
const TIME_TO_SEND_MS = 1_000;

const TOO_SLOW = `There is not enough time for the whole list. Request it in pages, with limit (1 to ${LIMITS.listMax}).`;
const TOO_LARGE = `The list does not fit into one answer. Request it in pages, with limit (1 to ${LIMITS.listMax}).`;
const OR_GZIP = 'With Accept-Encoding: gzip, more fits.';
