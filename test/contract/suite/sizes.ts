import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { asObjects, type JsonObject, segments, smallProject, uniqueId } from '../../support/projects.ts';
import { type Api, byCustomId, byId, PROJECTS, projectIn } from '../api.ts';
import { expectSegments } from '../echo.ts';
import { expectProblem } from '../problems.ts';

const MIB_4 = 4_194_304;

/** "Limits" of "Fields" in `decisions.md` that are counted in bytes: bodies and answers. */
export function sizes(api: Api): void {
  const post = (body: string | Uint8Array) => api.post(undefined, '?validateOnly=true', { body });
  const small = JSON.stringify(smallProject());
  const padded = (bytes: number) => small.padEnd(bytes, ' ');

  describe('Limits: 4 MiB of JSON after decoding, gzip or not', () => {
    afterEach(() => api.cleanUp());

    test('4 MiB exactly is read', async () => {
      expect((await post(padded(MIB_4))).status).toBe(200);
      expect((await post(gzipSync(padded(MIB_4)))).status).toBe(200);
    });

    test('one byte over is 413', async () => {
      expectProblem(await post(padded(MIB_4 + 1)), 'too-large');
      expectProblem(await post(gzipSync(padded(MIB_4 + 1))), 'too-large');
    });

    test('a small gzip of something huge is 413', async () => {
      const bomb = gzipSync(Buffer.alloc(200 * 1_048_576, 0x20));
      expectProblem(await post(bomb), 'too-large');
    });

    test('what no gateway lets through is 413 too', async () => {
      for (const bytes of [6_291_457, 10_485_761]) expectProblem(await post(' '.repeat(bytes)), 'too-large');
    });

    test('4 MiB that can’t be compressed are created, and read back with gzip', async () => {
      const project = smallProject({ customId: uniqueId() });
      const body = filledTo(MIB_4, project);
      const headers = { 'accept-encoding': 'gzip' };
      const created = projectIn(await api.post(undefined, '', { body: JSON.stringify(body), headers }), 201);
      const got = await api.read(byId(created.id), { headers });
      expectSegments(got.segments, asObjects(body['segments']));
    });
  });

  describe('Limits: answers', () => {
    afterEach(() => api.cleanUp());

    // A note's answer is three times what was sent, so an accepted body may have an answer beyond any gateway's limit.
    const notes = Array.from({ length: 130 }, () => ({ languageId: 53 }));
    const growing = (customId: string) =>
      smallProject({ customId, segments: segments(1_000, { languageSpecificNotes: notes }) });

    test('a create whose answer could not be delivered without gzip is 406, before anything is written', async () => {
      const customId = uniqueId();
      const before = await api.list();
      expectProblem(await api.post(growing(customId)), 'not-acceptable');
      expectProblem(await api.get(byCustomId(customId)), 'project-not-found');
      expect(await api.list()).toEqual(before);
    });

    test('with gzip it is created and can be read back; GET without gzip is 406', async () => {
      const customId = uniqueId();
      const sent = growing(customId);
      const headers = { 'accept-encoding': 'gzip' };
      expect((await api.post(sent, '', { headers })).status).toBe(201);
      expectSegments((await api.read(byCustomId(customId), { headers })).segments, asObjects(sent['segments']));
      expectProblem(await api.get(byCustomId(customId)), 'not-acceptable');
      expect((await api.get(`${PROJECTS}?limit=1`)).status).toBe(200);
    });
  });
}

/** The project with segments of random text, so that its JSON has exactly so many bytes. */
function filledTo(bytes: number, project: JsonObject): JsonObject {
  const CONTENT = 500_000;
  const text = randomBytes(bytes).toString('base64');
  const list = Array.from({ length: 8 }, (_, n) => ({ content: text.slice(n * CONTENT, (n + 1) * CONTENT) }));
  const rest = bytes - Buffer.byteLength(JSON.stringify({ ...project, segments: [...list, { content: '' }] }));
  return { ...project, segments: [...list, { content: text.slice(8 * CONTENT, 8 * CONTENT + rest) }] };
}
