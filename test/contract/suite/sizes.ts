import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import {
  asObjects,
  type JsonObject,
  member,
  segments,
  smallProject,
  target,
  uniqueId,
} from '../../support/projects.ts';
import { languagesAnswer, listAnswer } from '../answers.ts';
import { type Api, byCustomId, byId, PROJECTS, projectIn } from '../api.ts';
import { expectSegments } from '../echo.ts';
import { filledTo } from '../filled.ts';
import { expectOAuthError, expectProblem } from '../problems.ts';

const MIB_4 = 4_194_304;
const GZIP = { headers: { 'accept-encoding': 'gzip' } };

/** Tests the limits in bytes of "Fields" in `decisions.md`: large bodies, and answers larger than their bodies. */
export function sizes(api: Api): void {
  /** The largest body that still leaves room for the bytes that Segue adds. */
  const maxBytes = MIB_4 - (api.target.addedBytes ?? 0);
  const post = (body: string | Uint8Array) => api.post(undefined, '?validateOnly=true', { body });

  describe('Limits: 4 MiB of JSON after decoding, gzip or not', () => {
    afterEach(() => api.cleanUp());

    test('a small gzip of a huge body is 413', async () => {
      const bomb = gzipSync(Buffer.alloc(200 * 1_048_576, 0x20));
      expectProblem(await post(bomb), 'too-large');
    });

    test('a body larger than a gateway lets through is 413 too', async () => {
      for (const bytes of [6_291_457, 10_485_761]) expectProblem(await post(' '.repeat(bytes)), 'too-large');
    });

    test('4 MiB that cannot be compressed are created, and read back with gzip', async () => {
      const project = smallProject({ customId: uniqueId() });
      const body = filledTo(maxBytes, project, randomBytes(300_000).toString('base64'));
      const created = projectIn(await api.post(undefined, '', { body: JSON.stringify(body), ...GZIP }), 201);
      const got = await api.read(byId(created.id), GZIP);
      expectSegments(got.segments, asObjects(body['segments']));
    });
  });

  describe('Limits: sign-in and refresh bodies of 8 KiB, before anything is unpacked or parsed', () => {
    const paths = ['/authentication/token', '/authentication/RefreshToken'] as const;
    const json = { authorization: null, 'content-type': 'application/json' };
    const signIn = (path: string, body: string | Uint8Array, headers: Record<string, string | null> = {}) =>
      api.send('POST', path, { body, headers: { ...json, ...headers } });
    /** 4,105 bytes that decompress to 4 MiB. */
    const bomb = gzipSync('['.repeat(MIB_4));

    test('the form of OAuth has the same limit and order', async () => {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const send = (body: string | Uint8Array, headers = {}, query = '') =>
        signIn(`/oauth/token${query}`, body, { ...form, ...headers });
      const broken = Buffer.concat([gzipSync('{}').subarray(0, 10), Buffer.alloc(8_192, 0xff)]);
      for (const body of [bomb, broken, '%'.repeat(8_193)]) {
        expectOAuthError(await send(body), 'invalid_request', 'too-large');
      }
      const wrong = { ...json, accept: 'text/html' };
      expectOAuthError(await send(broken, wrong, '?x=1'), 'invalid_request', 'not-acceptable');
      expectOAuthError(await send(broken, json, '?x=1'), 'invalid_request', 'unknown-parameter');
      expectOAuthError(await send(broken, json), 'invalid_request', 'unsupported-media-type');
      const most = 'grant_type=client_credentials&x='.padEnd(8_192, 'x');
      expectOAuthError(await send(most), 'invalid_client', 'unauthenticated');
      expectOAuthError(await send(`${most}x`), 'invalid_request', 'too-large');
    });

    for (const path of paths) {
      for (const encoding of ['gzip', null]) {
        test(`a decompression bomb is 413: ${path}, Content-Encoding: ${encoding ?? 'none'}`, async () => {
          expectProblem(await signIn(path, bomb, { 'content-encoding': encoding }), 'too-large');
        });
      }

      test(`a body that is too large is neither decompressed nor parsed: ${path}`, async () => {
        const broken = Buffer.concat([gzipSync('{}').subarray(0, 10), Buffer.alloc(8_192, 0xff)]);
        for (const body of [broken, '{'.repeat(8_193), ' '.repeat(MIB_4), Buffer.alloc(8_193, 0xff)]) {
          expectProblem(await signIn(path, body), 'too-large');
        }
      });

      test(`checks run in their order: ${path}`, async () => {
        const body = ' '.repeat(8_193);
        const html = { accept: 'text/html' };
        expectProblem(await signIn(`${path}?x=1`, body, { 'content-type': 'text/plain', ...html }), 'not-acceptable');
        expectProblem(await signIn(`${path}?x=1`, body, { 'content-type': 'text/plain' }), 'unknown-parameter');
        expectProblem(await signIn(path, body, { 'content-type': 'text/plain' }), 'unsupported-media-type');
      });
    }
  });

  describe('Limits: answers', () => {
    afterEach(() => api.cleanUp());

    // The answer to a note is three times as large as the sent note, so the answer can exceed every gateway's limit.
    const notes = Array.from({ length: 130 }, () => ({ languageId: 53 }));
    const growing = (customId: string) =>
      smallProject({ customId, segments: segments(1_000, { languageSpecificNotes: notes }) });

    test('a create whose answer is too large without gzip is 406, and nothing is written', async () => {
      const customId = uniqueId();
      const before = await api.list();
      expectProblem(await api.post(growing(customId)), 'not-acceptable');
      expectProblem(await api.get(byCustomId(customId)), 'project-not-found');
      expect(await api.list()).toEqual(before);
    });

    for (const text of ['"', '\u0001', '人']) {
      test(`4 MiB of ${JSON.stringify(text)} are created or refused as a whole, and created with gzip`, async () => {
        const customId = uniqueId();
        const sent = filledTo(maxBytes, smallProject({ customId }), text);
        const { status } = await api.post(sent);
        expect(status).toBeOneOf([201, 406]);
        if (status === 406) await api.create(sent, GZIP);
        const { segments } = await api.read(byCustomId(customId), GZIP);
        expectSegments(segments, asObjects(sent['segments']));
      });
    }

    test('a page of a list holds as many projects as the answer has room for', async () => {
      const targetLanguages = await targetsWithTeams(api);
      const made = [];
      for (let n = 0; n < 3; n++) made.unshift((await api.create(smallProject({ targetLanguages }), GZIP)).id);
      const list = await api.list();
      expect(list.slice(0, 3).map(({ id }) => id)).toEqual(made);
      expect(list[0]?.targetLanguages).toHaveLength(targetLanguages.length);
      const { detail } = expectProblem(await api.get(PROJECTS), 'not-acceptable');
      expect(detail).toMatch(/\blimit\b.*\b100\b.*gzip/);
      const whole = listAnswer.parse(JSON.parse((await api.get(PROJECTS, GZIP)).text));
      expect(whole.slice(0, 3).map(({ id }) => id)).toEqual(made);
    });

    test('a large project is created and read with gzip; GET without gzip is 406', async () => {
      const customId = uniqueId();
      const sent = growing(customId);
      expect((await api.post(sent, '', GZIP)).status).toBe(201);
      expectSegments((await api.read(byCustomId(customId), GZIP)).segments, asObjects(sent['segments']));
      expectProblem(await api.get(byCustomId(customId)), 'not-acceptable');
      expect((await api.get(`${PROJECTS}?limit=1`)).status).toBe(200);
    });
  });
}

/** Returns fifty target languages with fifty members each: about 2 MB, which lists return too. */
async function targetsWithTeams(api: Api): Promise<JsonObject[]> {
  const languages = languagesAnswer.parse(JSON.parse((await api.get('/integrations/languages')).text));
  const team = Array.from({ length: 50 }, (_, n) => member({ name: 'Example '.repeat(70) }, n + 1));
  return languages
    .filter(({ id }) => id !== 41)
    .slice(0, 50)
    .map(({ id }) => target({ targetLanguageId: id, targetLanguageCode: null, team }));
}
