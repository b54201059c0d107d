import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { allLanguages } from '../../../lib/contract/languages.ts';
import { GATEWAY_LIMITS, LIMITS } from '../../../lib/contract/limits.ts';
import { MAX_ANSWER_BYTES } from '../../../lib/http/http-result.ts';
import { createProject } from '../../../lib/operations/create-project.ts';
import { documentOf } from '../../../lib/service/project-document.ts';
import { projectFrom } from '../../../lib/service/project-from.ts';
import type { JsonObject } from '../../support/projects.ts';
import { NOW_MS, project } from '../support.ts';
import { contextOf, eventOf, fakeService, keptLog, readAnswer } from './fixture.ts';

const { options } = keptLog();
const context = contextOf();
/** The largest ids. */
const LATE_ID = Number.MAX_SAFE_INTEGER - 100_000;
const languages = allLanguages()
  .filter(({ id }) => id !== 41)
  .slice(0, LIMITS.targetLanguages);

/**
 * Sends a project. Returns the status, whether the service created the project, and the size of the function's answer.
 */
async function create(fields: JsonObject, headers: Record<string, string> = {}) {
  let made = false;
  const service = fakeService({
    async create(request) {
      made = true;
      return documentOf(projectFrom(request, LATE_ID, NOW_MS));
    },
  });
  const body = gzipSync(JSON.stringify(project(fields)), { level: 1 });
  const answer = await createProject(service, options)(eventOf('createProject', { body, headers }), context);
  return { status: answer.statusCode, made, bytes: Buffer.byteLength(JSON.stringify(answer)) };
}

/** Projects that grow with `n`. The answers to the larger ones are too large without gzip. */
const growing: readonly [string, from: number, to: number, (n: number) => JsonObject][] = [
  ['segments', 45, 80, (n) => ({ segments: Array.from({ length: 45_000 }, () => ({ content: 'x'.repeat(n) })) })],
  [
    'notes',
    70,
    120,
    (n) => ({
      segments: Array.from({ length: n * 2 }, () => ({
        content: 'x',
        languageSpecificNotes: Array.from({ length: 200 }, (_, at) =>
          at % 2 ? { languageId: 41 } : { languageCode: 'zh_hans' },
        ),
      })),
    }),
  ],
  [
    'teams',
    200,
    900,
    (n) => ({
      targetLanguages: languages.map(({ id }) => ({
        targetLanguageId: id,
        team: Array.from({ length: 50 }, (_, at) => ({
          id: 9e15 + at,
          name: 'x'.repeat(n >> 1),
          username: `${at}@example.com`,
          isTranslator: true,
          isProofreader: at === 0,
        })),
      })),
    }),
  ],
];

describe('a create whose answer would be too large', () => {
  it.each(growing)(
    'is refused before anything is created; a smaller one is created and answered: %s',
    async (_, from, to, make) => {
      const seen = new Set<number>();
      let [low, high] = [from, to];
      while (high - low > Math.max(1, (to - from) >> 3)) {
        const middle = (low + high) >> 1;
        const { status, made, bytes } = await create(make(middle));
        seen.add(status);
        expect(made).toBe(status === 201);
        expect(bytes).toBeLessThanOrEqual(GATEWAY_LIMITS.answerBytes);
        if (status === 201) low = middle;
        else high = middle;
      }
      expect([...seen].sort()).toEqual([201, 406]);
    },
  );

  it('is accepted with gzip, even if its text does not compress', async () => {
    const noise = (length: number) =>
      Array.from(randomBytes(length), (byte) => String.fromCharCode(35 + (byte % 57))).join('');
    const fields = { segments: Array.from({ length: 40_000 }, () => ({ content: noise(85) })) };
    const { status, bytes } = await create(fields, { 'Accept-Encoding': 'gzip' });
    expect(status).toBe(201);
    expect(bytes).toBeLessThanOrEqual(GATEWAY_LIMITS.answerBytes);
  });
});

describe('a created project whose answer is larger than expected', () => {
  /** Returns a service that adds a text to the project: a random text if gzip must not help. */
  const adding = (text: string) =>
    fakeService({
      async create(request) {
        return documentOf({ ...projectFrom(request, 5, NOW_MS), added: text });
      },
    });
  const event = (headers: Record<string, string>) =>
    eventOf('createProject', { body: JSON.stringify(project()), headers });

  it('is returned with gzip, whatever the client accepts', async () => {
    const service = adding('x'.repeat(MAX_ANSWER_BYTES));
    const answer = await createProject(service, options)(event({ 'Accept-Encoding': 'identity' }), context);
    expect(answer).toMatchObject({
      statusCode: 201,
      headers: { 'Content-Encoding': 'gzip', Location: expect.any(String) },
    });
    expect(readAnswer(answer).json).toMatchObject({ id: 5 });
  });

  it('is not reported as not created if even gzip is too large', async () => {
    const service = adding(randomBytes(MAX_ANSWER_BYTES).toString('base64'));
    const answer = await createProject(service, options)(event({ 'Accept-Encoding': 'gzip' }), context);
    expect(readAnswer(answer).json).toMatchObject({ status: 504, outcome: 'unknown' });
  });
});
