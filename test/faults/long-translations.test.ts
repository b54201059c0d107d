import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LIMITS } from '../../lib/contract/limits.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { type HttpAnswer, send } from '../support/http.ts';
import { peakBytes } from '../support/memory.ts';
import { asObjects, smallProject } from '../support/projects.ts';
import { objectIn } from './asking.ts';
import { targets } from './companies/attack.ts';

const MAX_BYTES = 512 * 1_048_576;
const PROJECTS = '/segments/projects';
/** How many of the longest translations a request may have. */
const AT_ONCE = 3;
const LONGEST = 'x'.repeat(LIMITS.contentBytes);
/** How many clients read at once. */
const READERS = 20;

let gateway: StartedGateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(async () => {
  await gateway.stop();
});

function ask(method: string, path: string, body?: unknown): Promise<HttpAnswer> {
  const headers = {
    Authorization: gateway.authorization,
    'Content-Type': 'application/json',
    'Accept-Encoding': 'gzip',
  };
  return send(gateway.url, {
    method,
    path,
    headers,
    ...(body !== undefined && { body: gzipSync(JSON.stringify(body)) }),
  });
}

/** Creates a project whose segments have their indexes as custom ids. @returns its path */
async function create(segments: number, languages: number): Promise<string> {
  const project = smallProject({
    targetLanguages: targets(languages),
    segments: Array.from({ length: segments }, (_, n) => ({ content: `${n}`, customId: `${n}` })),
  });
  const answer = await ask('POST', PROJECTS, project);
  expect(answer.status).toBe(201);
  return `${PROJECTS}/${objectIn(answer)['id']}`;
}

/** Writes the longest translation of each place, some at once, in requests of a few kilobytes. */
async function writeLongest(path: string, places: readonly (readonly [segment: number, code: string])[]) {
  for (let from = 0; from < places.length; from += AT_ONCE) {
    const entries = places.slice(from, from + AT_ONCE).map(([segment, languageCode]) => ({
      segmentCustomId: `${segment}`,
      languageCode,
      content: LONGEST,
      status: 'translated',
    }));
    expect((await ask('PATCH', `${path}/translations`, entries)).status).toBe(200);
  }
}

it('hundreds of translations of a mebibyte in a row end neither the process nor its reads', async () => {
  const path = await create(240, 1);
  const code = `${targets(1)[0]?.['targetLanguageCode']}`;
  await writeLongest(
    path,
    Array.from({ length: 240 }, (_, n) => [n, code] as const),
  );
  const reads = Array.from({ length: READERS }, (_, n) =>
    ask('GET', `${path}/segments${n % 2 === 0 ? '?limit=2' : ''}`),
  );
  const answers = await Promise.all(reads);
  expect(answers.filter(({ status }) => status === 200).map(({ text }) => asObjects(JSON.parse(text)).length)).toEqual(
    Array(READERS / 2).fill(2),
  );
  expect(answers.filter(({ status }) => status === 406)).toHaveLength(READERS / 2);
  expect((await ask('DELETE', path)).status).toBe(204);
  expect(peakBytes(gateway.process.pid)).toBeLessThan(MAX_BYTES);
});

it('a translation of a mebibyte in each of 150 languages is read language by language only', async () => {
  const path = await create(1, LIMITS.targetLanguages);
  const codes = targets(LIMITS.targetLanguages).map((each) => `${each['targetLanguageCode']}`);
  await writeLongest(
    path,
    codes.map((code) => [0, code] as const),
  );
  const answers = await Promise.all(Array.from({ length: READERS }, () => ask('GET', `${path}/segments?limit=1`)));
  expect(answers.map(({ status }) => status)).toEqual(Array(READERS).fill(406));
  expect(answers[0]?.text).toContain('languageCode');
  expect((await ask('GET', `${path}/segments?languageCode=${codes[7]}`)).text).toContain(LONGEST);
  expect(peakBytes(gateway.process.pid)).toBeLessThan(MAX_BYTES);
});
