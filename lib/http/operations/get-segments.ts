import { LIMITS } from '../../contract/limits.ts';
import { pageCursorText } from '../../contract/page-cursor.ts';
import { Problem } from '../../contract/problem.ts';
import { routeOf } from '../../contract/routes.ts';
import type { ProjectService, SegmentsPage } from '../../service/port.ts';
import { MAX_ANSWER_BYTES } from '../http-result.ts';
import { acceptsGzip } from '../negotiation.ts';
import { callContext, type HttpHandler, type OperationOptions, operation } from '../operation.ts';
import { nextPageLink } from '../page-link.ts';
import { type ProjectParameter, pathOf, projectRef } from '../project-ref.ts';

/** Makes the handler of `GET /segments/projects/{id}/segments`. */
export const getSegments = get('getSegments', 'id');

/** Makes the handler of `GET /segments/projects/custom/{customId}/segments`. */
export const getSegmentsByCustomId = get('getSegmentsByCustomId', 'customId');

function get(id: 'getSegments' | 'getSegmentsByCustomId', parameter: ProjectParameter) {
  return (service: ProjectService, options: OperationOptions): HttpHandler =>
    operation(id, options, async (request) => {
      const ref = projectRef(request, parameter);
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
      const url = request.baseUrl + pathOf(routeOf(id).path, ref);
      const headers = nextPageLink(url, { limit, cursor: pageCursorText(next), status, taskId, languageCode });
      return { status: 200, headers, json };
    });
}

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
