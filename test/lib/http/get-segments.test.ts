import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { httpFunction } from '../../../lib/http/http-function.ts';
import { MAX_ANSWER_BYTES } from '../../../lib/http/http-result.ts';
import { getSegments } from '../../../lib/operations/get-segments.ts';
import { encodeText } from '../../../lib/service/encoded-text.ts';
import type { SegmentsPage, SegmentsQuery } from '../../../lib/service/port.ts';
import { contextOf, type EventOptions, eventOf, fakeService, keptLog, readAnswer } from './fixture.ts';

const { options } = keptLog();
const GZIP = { 'Accept-Encoding': 'gzip' };

/** Returns the answer for a page, and the query that the service got. */
async function answerFor(text: string, next: SegmentsPage['next'], event: EventOptions, byCustomId = false) {
  const queries: SegmentsQuery[] = [];
  const service = fakeService({
    async segments(_ref, query) {
      queries.push(query);
      return { count: 1, json: await encodeText(text), ...(next && { next }) };
    },
  });
  const id = byCustomId ? 'getSegmentsByCustomId' : 'getSegments';
  const result = await httpFunction(getSegments(service, options))(eventOf(id, event), contextOf());
  return { ...readAnswer(result), query: queries[0] };
}

const next = { position: 500, revision: 'r-1' };
const whole = { maxEncodedBytes: MAX_ANSWER_BYTES };
/** A text that gzip makes small, and one that it does not. */
const long = JSON.stringify('x'.repeat(MAX_ANSWER_BYTES));
const random = JSON.stringify(randomBytes(MAX_ANSWER_BYTES).toString('base64'));

describe('segments without limit', () => {
  it('asks for all of them', async () => {
    const { status, query } = await answerFor('[]', undefined, {});
    expect(status).toBe(200);
    expect(query).toEqual({ maxBytes: MAX_ANSWER_BYTES, isGzip: false, whole });
    const { query: withGzip } = await answerFor('[]', undefined, { headers: GZIP });
    expect(withGzip).toEqual({ maxBytes: LIMITS.wholeListBytes, isGzip: true, whole });
  });

  it.each<[string, string, SegmentsPage['next'], EventOptions]>([
    ['more remain', '[]', next, { headers: GZIP }],
    ['they are too large even with gzip', random, undefined, { headers: GZIP }],
    ['they are too large without gzip', long, undefined, {}],
  ])('is 406 and names limit if %s', async (_, text, more, event) => {
    const { json } = await answerFor(text, more, event);
    expect(json).toMatchObject({ status: 406, detail: expect.stringContaining('limit (1 to 1000)') });
    expect(String(Object(json).detail).includes('gzip')).toBe(!('headers' in event));
  });

  it('has more with gzip', async () => {
    const { status, text } = await answerFor(long, undefined, { headers: GZIP });
    expect(status).toBe(200);
    expect(text).toBe(long);
  });
});
