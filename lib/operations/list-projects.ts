import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { cursorAfter } from '../contract/parameters.ts';
import { PROJECTS_PATH } from '../contract/paths.ts';
import { Problem } from '../contract/problem.ts';
import { PublishedProjectHead } from '../contract/published-project.ts';
import type { Route } from '../contract/routes.ts';
import { MAX_ANSWER_BYTES } from '../http/http-result.ts';
import { acceptsGzip } from '../http/negotiation.ts';
import { callContext, type OperationHandler, type OperationOptions, operation } from '../http/operation.ts';
import { nextPageLink } from '../http/page-link.ts';
import type { HttpRequest } from '../http/request.ts';
import { encodePieces, encodeText } from '../service/encoded-text.ts';
import type { ProjectFilter, ProjectPage, ProjectReads } from '../service/port.ts';
import type { ServiceProject } from '../service/project-document.ts';
import { nextTurn } from '../service/turn.ts';
import * as example from './docs/examples.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
import { READ, READ_UPSTREAM } from './route-parts.ts';

export const listProjectsRoute = {
  ...READ,
  id: 'listProjects',
  function: 'readProjects',
  path: PROJECTS_PATH,
  summary: 'List projects',
  query: ['limit', 'cursor', 'state', 'customIdPrefix', 'createdAfter', 'dueBefore', 'done'],
  problems: ['unexpected-body', ...READ_UPSTREAM],
} as const satisfies Route;

/** Makes the handler of `GET /segments/projects`. */
export function listProjects(service: ProjectReads, options: OperationOptions): OperationHandler {
  return operation(listProjectsRoute, options, async (request) => {
    const { limit, cursor: after, state, customIdPrefix, createdAfter, dueBefore, done } = request.parameters;
    const filter: ProjectFilter = { state, customIdPrefix, createdAfter, dueBefore, done };
    const whole = limit === undefined ? limitsOf(request) : undefined;
    const page = await service.list({ limit: limit ?? LIMITS.listMax, after, whole, ...filter }, callContext(request));
    if (page.isTooLarge) throw tooLarge(request);
    const { texts, last } = fitting(page.projects);
    const next = texts.length < page.projects.length ? last : page.next;
    if (next === undefined) return { status: 200, json: await encodeText(`[${texts.join(',')}]`) };
    if (limit === undefined) return { status: 200, json: await encodeWhole(service, request, filter, page) };
    return {
      status: 200,
      headers: nextPageLink(request.baseUrl + PROJECTS_PATH, {
        limit,
        cursor: cursorAfter(next),
        ...filterTexts(request),
      }),
      json: await encodeText(`[${texts.join(',')}]`),
    };
  });
}

/** Returns the filter of a request as its query has it, for the link to the next page. */
function filterTexts({ query }: HttpRequest): Readonly<Record<string, string | undefined>> {
  const names = ['state', 'customIdPrefix', 'createdAfter', 'dueBefore', 'done'];
  return Object.fromEntries(names.map((name) => [name, query[name]?.[0]]));
}

/** Returns the first projects that fit into one result, at least one, as JSON; and the id of the last of them. */
function fitting(projects: readonly ServiceProject[]): { texts: string[]; last: number | undefined } {
  const texts: string[] = [];
  let last: number | undefined;
  let bytes = 2;
  for (const project of projects) {
    const text = JSON.stringify(project);
    bytes += Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes > MAX_ANSWER_BYTES) break;
    texts.push(text);
    last = project.id;
  }
  return { texts, last };
}

/**
 * Encodes the whole list of projects. It reads page by page, and stops as soon as the list is too large for one result.
 * @throws {Problem} `not-acceptable`; the detail tells the client to use `limit`
 */
function encodeWhole(service: ProjectReads, request: HttpRequest, filter: ProjectFilter, first: ProjectPage) {
  const { isGzip, maxBytes, maxEncodedBytes } = limitsOf(request);

  async function* pieces(): AsyncGenerator<Uint8Array[]> {
    let before = '[';
    let [count, scanned, turnBytes] = [0, 0, 0];
    for (let page = first; ; ) {
      count += page.projects.length;
      scanned += page.scanned ?? page.projects.length;
      if (count > LIMITS.wholeListProjects) throw tooLarge(request);
      if (scanned > LIMITS.wholeListProjects) throw new Problem('not-acceptable', { detail: TOO_SLOW });
      for (const project of page.projects) {
        const piece = Buffer.from(before + JSON.stringify(project));
        yield [piece];
        before = ',';
        turnBytes += piece.length;
        if (turnBytes < TURN_BYTES) continue;
        turnBytes = 0;
        await nextTurn();
      }
      if (page.next === undefined) break;
      if (request.deadline.remainingMs() < TIME_TO_SEND_MS) throw new Problem('not-acceptable', { detail: TOO_SLOW });
      // A page of large projects ends before its limit. A smaller limit keeps the store from reading projects in vain.
      const limit = Math.min(LIMITS.listMax, page.projects.length + PAGE_GROWTH);
      page = await service.list({ limit, after: page.next, ...filter }, callContext(request));
    }
    yield [Buffer.from(count > 0 ? ']' : '[]')];
  }

  return encodePieces(pieces(), {
    isGzip,
    onLength(length, encodedLength) {
      if (length > maxBytes || encodedLength > maxEncodedBytes) throw tooLarge(request);
    },
  });
}

/** Returns how many bytes a whole list may have, before and after compression. */
function limitsOf(request: HttpRequest) {
  const isGzip = acceptsGzip(request.header('accept-encoding'));
  return { isGzip, maxBytes: isGzip ? LIMITS.wholeListBytes : MAX_ANSWER_BYTES, maxEncodedBytes: MAX_ANSWER_BYTES };
}

function tooLarge(request: HttpRequest): Problem {
  return new Problem('not-acceptable', { detail: limitsOf(request).isGzip ? TOO_LARGE : `${TOO_LARGE} ${OR_GZIP}` });
}

/** How many more projects than the last page the next page of a whole list may have. */
const PAGE_GROWTH = 10;

/** How many bytes of a whole list are written before other requests run. */
const TURN_BYTES = 262_144;

/** The time reserved for encoding and sending a whole list, in milliseconds. */
const TIME_TO_SEND_MS = 1_000;

const TOO_SLOW = `There is not enough time for the whole list. Request it in pages, with limit (1 to ${LIMITS.listMax}).`;
const TOO_LARGE = `The list does not fit into one answer. Request it in pages, with limit (1 to ${LIMITS.listMax}).`;
const OR_GZIP = 'With Accept-Encoding: gzip, more fits.';

export const listProjectsDocs = (): OperationDocs => ({
  tag: 'Projects',
  description:
    'Returns the projects of the company without their segments, newest first. If you set several filters, a project must match all of them. With `limit`, follow the `Link` header to the next page.',
  forAgents:
    'Lists the projects of the company without their segments, newest first. If you set several filters, a project must match all of them. If there is more, the answer says with which `cursor`.',
  answers: [
    {
      status: 200,
      description: 'All projects, newest first. With `limit`: one page of the projects.',
      schema: z.array(PublishedProjectHead),
      example: [example.head],
      headers: ['Link'],
    },
  ],
  schemas: { ProjectHead: PublishedProjectHead },
  clientTypes: { ProjectHead: null },
});
