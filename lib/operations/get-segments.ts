import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { pageCursorText } from '../contract/page-cursor.ts';
import { projectPath } from '../contract/paths.ts';
import { Problem } from '../contract/problem.ts';
import type { TranslatedSegment } from '../contract/project-answer.ts';
import { PublishedTranslatedSegment, PublishedTranslation } from '../contract/published-project.ts';
import { MAX_ANSWER_BYTES } from '../http/http-result.ts';
import { acceptsGzip } from '../http/negotiation.ts';
import { callContext } from '../http/operation.ts';
import { nextPageLink } from '../http/page-link.ts';
import type { ProjectReads, SegmentsPage } from '../service/port.ts';
import * as example from './docs/examples.ts';
import type { OperationDocs } from './docs/operation-docs.ts';
import { onProject, projectRoutes } from './on-project.ts';
import { NOT_FOUND, READ, READ_UPSTREAM } from './route-parts.ts';

export const getSegmentsRoutes = /* @__PURE__ */ projectRoutes({
  ...READ,
  id: 'getSegments',
  function: 'readProjects',
  path: '/segments',
  summaries: ['Get the segments of a project with translations', 'Get segments with translations by custom id'],
  query: ['status', 'taskId', 'languageCode', 'segmentLimit', 'segmentCursor'],
  problems: [...NOT_FOUND, 'page-outdated', ...READ_UPSTREAM],
});

export const getSegments = /* @__PURE__ */ onProject(
  getSegmentsRoutes,
  async (request, readRef, service: ProjectReads) => {
    const ref = readRef();
    const { status, taskId, languageCode, segmentLimit: limit, segmentCursor: after } = request.parameters;
    const isWhole = limit === undefined;
    const isGzip = acceptsGzip(request.header('accept-encoding'));
    const maxBytes = isWhole && isGzip ? LIMITS.wholeListBytes : MAX_ANSWER_BYTES;
    const whole = isWhole ? { maxEncodedBytes: MAX_ANSWER_BYTES } : undefined;
    const query = { status, taskId, languageCode, after, limit, maxBytes, isGzip, whole };
    const page = await service.segments(ref, query, callContext(request));
    if (isWhole) requireWhole(page, isGzip);
    const { json, next } = page;
    if (!next) return { status: 200, json };
    const url = `${request.baseUrl}${projectPath(ref)}/segments`;
    const headers = nextPageLink(url, { limit, cursor: pageCursorText(next), status, taskId, languageCode });
    return { status: 200, headers, json };
  },
);

/**
 * Checks that a request without a limit got all segments, and that they fit into one answer.
 * @throws {Problem} `not-acceptable`; the detail tells the client to use `limit`
 */
function requireWhole({ json, next }: SegmentsPage, isGzip: boolean): void {
  const encodedBytes = isGzip ? json.bytes.length : json.length;
  if (!next && encodedBytes <= MAX_ANSWER_BYTES) return;
  throw new Problem('not-acceptable', { detail: isGzip ? TOO_LARGE : `${TOO_LARGE} ${OR_GZIP}` });
}

const TOO_LARGE = `The segments do not fit into one answer. Request them in pages, with limit (1 to ${LIMITS.segmentsMax}), or select some of them, with taskId or languageCode.`;
const OR_GZIP = 'With Accept-Encoding: gzip, more fits.';

export const getSegmentsDocs = (): OperationDocs => ({
  tag: 'Results',
  description:
    'Returns each segment with its translations, in the order of the project. Use `status` and `languageCode` to select translations. For large projects, set `limit` and follow the `Link` header.',
  forAgents:
    'Returns each segment with its translations, in the order of the project. Use `status` and `languageCode` to select translations. If there is more, the answer says with which `cursor`.',
  answers: [
    {
      status: 200,
      description:
        'The segments in the order of the project, each with its translations. With `limit`: one page of them.',
      schema: z.array(PublishedTranslatedSegment),
      example: [segmentExample()],
      headers: ['Link'],
    },
  ],
  schemas: { TranslatedSegment: PublishedTranslatedSegment, Translation: PublishedTranslation },
  clientTypes: { Translation: 'SegmentTranslation' },
});

function segmentExample(): TranslatedSegment {
  const translation = { id: null, ...example.german, content: null, status: 'untranslated', version: 0 } as const;
  return { source: example.segment, translations: [translation] };
}
