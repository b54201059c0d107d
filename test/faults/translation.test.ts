import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LIMITS } from '../../lib/contract/limits.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { send } from '../support/http.ts';
import { peakBytes } from '../support/memory.ts';
import { asObjects, smallProject } from '../support/projects.ts';

const MAX_BYTES = 512 * 1_048_576;
/** How long a look at the process may take on a busy machine, in milliseconds. One slice of these contents took 5 to 20 s. */
const LONGEST_MS = 2_500;
const PROJECTS = '/segments/projects';

let gateway: StartedGateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(async () => {
  await gateway.stop();
});

/** Returns a content that repeats a text up to a length. */
const filled = (text: string, length: number = LIMITS.contentBytes) => text.repeat(Math.floor(length / text.length));

/** Creates a project in a small gzip body. */
async function create(contents: readonly string[], languages: readonly string[]): Promise<void> {
  const targetLanguages = languages.map((code) => ({ targetLanguageCode: code, serviceAutomaticTranslation: true }));
  const project = smallProject({ targetLanguages, segments: contents.map((content) => ({ content })) });
  const body = gzipSync(JSON.stringify(project));
  expect(body.length).toBeLessThan(20_000);
  const headers = { Authorization: gateway.authorization, 'Content-Type': 'application/json' };
  expect((await send(gateway.url, { method: 'POST', path: PROJECTS, headers, body })).status).toBe(201);
}

/** Reads the automatic translation of each language of the project. */
async function automatic(): Promise<unknown[]> {
  const headers = { Authorization: gateway.authorization };
  const { text } = await send(gateway.url, { method: 'GET', path: `${PROJECTS}?limit=1`, headers });
  return asObjects(asObjects(JSON.parse(text))[0]?.['targetLanguages']).map(
    (language) => language['automaticTranslation'],
  );
}

/** Waits for the end of the translation. @returns how long each look at the process took meanwhile, in milliseconds */
async function translated(): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const began = performance.now();
      expect((await send(gateway.url, { method: 'GET', path: '/health' })).status).toBe(200);
      times.push(performance.now() - began);
      await setTimeout(5);
    }
  })();
  const ended = expect
    .poll(() => automatic(), { timeout: 50_000, interval: 200 })
    .not.toContainEqual(expect.objectContaining({ state: expect.stringMatching(/queued|running/) }));
  await Promise.all([ended.finally(() => (isOver = true)), looking]);
  return times;
}

it('a body of 2 KB with 500,000 lines does not end the process', async () => {
  await create([filled('a\n')], ['de']);
  await translated();
  expect(await automatic()).toEqual([{ state: 'done', problem: expect.stringContaining('too-complex') }]);
  expect(peakBytes(gateway.process.pid)).toBeLessThan(MAX_BYTES);
});

it.each<[string, string[]]>([
  ['short tags, placeholders and brackets', ['<b>a</b> ', '%s a ', '<'].map((text) => filled(text))],
  ['choices and lines', ['{n, plural, other {a}} ', 'a b c d e f g\n', '&amp; '].map((text) => filled(text))],
  [
    'as many pieces as are allowed',
    [
      filled(`<b>${'word '.repeat(15)}</b> `, 790_000),
      filled(`%s ${'word '.repeat(8)}`, 840_000),
      filled(`{n, plural, other {${'word '.repeat(12)}}} `, 790_000),
    ],
  ],
  ['long texts with little syntax', [filled('word '), `${filled('word. ', 1_000_000)}%s`, filled('x', 1_000_000)]],
])('three contents of a mebibyte in three languages leave room for others: %s', async (_, contents) => {
  await create(contents, ['de', 'fr', 'es']);
  const times = await translated();
  expect(Math.max(...times)).toBeLessThan(LONGEST_MS);
  expect(await automatic()).toHaveLength(3);
  expect(peakBytes(gateway.process.pid)).toBeLessThan(MAX_BYTES);
});
