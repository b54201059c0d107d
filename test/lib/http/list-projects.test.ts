import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { GATEWAY_LIMITS, LIMITS } from '../../../lib/contract/limits.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import type { ProjectHead } from '../../../lib/contract/project-answer.ts';
import { MAX_ANSWER_BYTES } from '../../../lib/http/http-result.ts';
import { listProjects } from '../../../lib/operations/list-projects.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { projectFrom } from '../../../lib/service/project-from.ts';
import { checked, NOW_MS } from '../support.ts';
import { contextOf, eventOf, fakeService, keptLog, readAnswer } from './fixture.ts';

const { options } = keptLog();
const { segments: _, ...head } = projectFrom(checked(), 1, NOW_MS);
const Ids = z.array(z.object({ id: z.int() }));
const GZIP = { 'Accept-Encoding': 'gzip' };

/** Returns a service with `count` projects. `pages` has the length of each requested page. */
function having(count: number, fields: (id: number) => Partial<ProjectHead> = () => ({})) {
  const pages: number[] = [];
  const list: ProjectService['list'] = async ({ limit, after = count + 1 }) => {
    const ids = Array.from({ length: Math.min(limit, after - 1) }, (_, n) => after - 1 - n);
    pages.push(ids.length);
    const last = ids.at(-1) ?? 1;
    return { projects: ids.map((id) => ({ ...head, ...fields(id), id })), ...(last > 1 && { next: last }) };
  };
  return { pages, service: fakeService({ list }) };
}

async function ask(
  service: ProjectService,
  query: Readonly<Record<string, readonly string[]>> = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const answer = await listProjects(service, options)(eventOf('listProjects', { query, headers }), contextOf());
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(GATEWAY_LIMITS.answerBytes);
  return readAnswer(answer);
}

const idsIn = (answer: { json: unknown }) => Ids.parse(answer.json).map(({ id }) => id);
const descending = (count: number) => Array.from({ length: count }, (_, n) => count - n);
const refused = (detail: unknown) => ({
  status: 406,
  json: { type: expect.stringContaining('/not-acceptable'), outcome: 'not-applied', retryable: false, detail },
});

describe('a list without limit', () => {
  it('leaves out projects that were deleted meanwhile, even a whole page of them', async () => {
    const { service } = having(9);
    const list: ProjectService['list'] = async (page, call) =>
      page.after === undefined ? { projects: [], next: 4 } : service.list({ ...page, limit: 1 }, call);
    expect(idsIn(await ask(fakeService({ list })))).toEqual([3, 2, 1]);
    const none: ProjectService['list'] = async ({ after }) => ({
      projects: [],
      ...(after === undefined && { next: 4 }),
    });
    expect(await ask(fakeService({ list: none }))).toMatchObject({ status: 200, json: [] });
  });

  it('fits with gzip when it does not fit without it', async () => {
    const { service } = having(300, () => ({ description: 'A description. '.repeat(2_000) }));
    expect(await ask(service)).toMatchObject(refused(expect.stringMatching(/\blimit\b.*\b100\b.*gzip/)));
    const answer = await ask(service, {}, GZIP);
    expect(answer).toMatchObject({ status: 200, headers: { 'Content-Encoding': 'gzip' } });
    expect(answer.text.length).toBeGreaterThan(MAX_ANSWER_BYTES);
    expect(idsIn(answer)).toEqual(descending(300));
  });
});

describe('a list without limit that does not fit into one answer is 406, and names limit', () => {
  it.each<[string, () => Partial<ProjectHead>, Record<string, string>, pages: number]>([
    ['because of its bytes', () => ({ description: 'x'.repeat(10_000) }), {}, 6],
    ['because of its compressed bytes', () => ({ description: noise(10_000) }), GZIP, 8],
    ['because of its bytes before compression', () => ({ description: 'x'.repeat(100_000) }), GZIP, 7],
    ['because of its projects', () => ({}), GZIP, 100],
  ])('%s, after few pages', async (_, fields, headers, most) => {
    const { service, pages } = having(100_000, fields);
    expect(await ask(service, {}, headers)).toMatchObject(refused(expect.stringMatching(/\blimit\b.*\b100\b/)));
    expect(pages.length).toBeLessThanOrEqual(most + 1);
  });

  it('because the service knows it, without another page', async () => {
    const asked: unknown[] = [];
    const list: ProjectService['list'] = async ({ whole }) => {
      asked.push(whole);
      return { projects: [], ...(whole && { isTooLarge: true }) };
    };
    const limits = (maxBytes: number) => ({ maxBytes, maxEncodedBytes: MAX_ANSWER_BYTES });
    expect(await ask(fakeService({ list }), {}, GZIP)).toMatchObject(refused(expect.stringMatching(/\blimit\b/)));
    expect(await ask(fakeService({ list }))).toMatchObject(refused(expect.stringContaining('gzip')));
    expect((await ask(fakeService({ list }), { limit: ['9'] })).status).toBe(200);
    expect(asked).toMatchObject([limits(LIMITS.wholeListBytes), limits(MAX_ANSWER_BYTES), undefined]);
  });

  it('above the published number of projects', async () => {
    expect((await ask(having(LIMITS.wholeListProjects).service, {}, GZIP)).status).toBe(200);
    expect((await ask(having(LIMITS.wholeListProjects + 1).service, {}, GZIP)).status).toBe(406);
  });

  it('if there is not enough time to read it', async () => {
    const { service, pages } = having(1_000);
    const run = listProjects(service, { ...options, now: countdown() });
    const answer = readAnswer(await run(eventOf('listProjects'), contextOf()));
    expect(answer).toMatchObject(refused(expect.stringMatching(/not enough time.*\blimit\b/)));
    expect(pages.length).toBeLessThan(10);
  });

  it('but a failure of the service stays that failure', async () => {
    const { service } = having(1_000);
    const list: ProjectService['list'] = async (page, call) => {
      if (page.after !== undefined) throw new Problem('unavailable', { detail: 'Later.', retryAfterSeconds: 5 });
      return service.list(page, call);
    };
    for (const headers of [{}, GZIP]) expect((await ask(fakeService({ list }), {}, headers)).status).toBe(503);
  });
});

function noise(characters: number): string {
  return randomBytes(characters).toString('base64').slice(0, characters);
}

/** Returns a clock that moves by 5 seconds each time it is read. */
function countdown(): () => number {
  let nowMs = NOW_MS;
  return () => (nowMs += 5_000);
}

it('looks at 10,000 projects at most for a whole list with a filter', async () => {
  let pages = 0;
  const list: ProjectService['list'] = async () => ({ projects: [], scanned: 1_000, next: ++pages });
  const answer = await ask(fakeService({ list }), { done: ['true'] });
  expect(answer).toMatchObject(refused(expect.stringContaining('limit (1 to 100)')));
  expect(pages).toBe(11);
});
