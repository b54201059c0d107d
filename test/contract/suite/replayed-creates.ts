import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import {
  asObjects,
  type Json,
  type JsonObject,
  nowUtc,
  segments,
  smallProject,
  uniqueId,
} from '../../support/projects.ts';
import { tokenAnswer } from '../answers.ts';
import { type Api, byId, type Options } from '../api.ts';
import { expectInvalid } from '../problems.ts';
import { createOnce, expectReplayOf, newKey, postOnce, tenMinutesAgo, withKey } from './once.ts';

/** Returns the same JSON with the keys of every object in reverse order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

/** Returns the same JSON text with every character of its strings and names escaped. */
const escaped = (text: string) =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"/g, (string) =>
    string.replaceAll(/[A-Za-z]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );

/** Requests that mean the same as the first one. */
const SAME: Readonly<Record<string, (project: JsonObject) => Options>> = {
  'the keys in another order': (project) => ({ json: reversed(project) }),
  'white space': (project) => ({ body: ` ${JSON.stringify(project, null, '\t')}\r\n` }),
  gzip: (project) => ({ body: gzipSync(JSON.stringify(project)), headers: { 'content-encoding': 'gzip' } }),
  escapes: (project) => ({ body: escaped(JSON.stringify(project)) }),
  'a number in another form': (project) => ({ body: JSON.stringify(project).replace(':41,', ':4.1e1,') }),
  'null for what was left out': (project) => ({
    json: { ...project, description: null, segments: asObjects(project['segments']).map(withNullNotes) },
  }),
  'another media type of JSON': (project) => ({
    json: project,
    headers: { 'content-type': 'application/vnd.example+json' },
  }),
  'Accept-Encoding: gzip': (project) => ({ json: project, headers: { 'accept-encoding': 'gzip' } }),
};
const withNullNotes = (segment: JsonObject): JsonObject => ({ ...segment, notes: null });

/** Tests a repeated create with the same key: "Creating exactly once" of `decisions.md`. */
export function replayedCreates(api: Api): void {
  describe('Creating exactly once: same key and same meaning', () => {
    afterEach(() => api.cleanUp());

    test('a repeated create returns the first status, the project, Location and Idempotent-Replayed, and creates nothing', async () => {
      const key = newKey();
      const project = smallProject({ customId: uniqueId() });
      const created = await createOnce(api, project, key);
      const before = await api.list();
      for (let n = 0; n < 3; n++) await expectReplayOf(api, await postOnce(api, project, key), created.id);
      expect(await api.read(byId(created.id))).toEqual(created);
      expect(await api.list()).toEqual(before);
    });

    for (const [title, optionsOf] of Object.entries(SAME)) {
      test(`a request that means the same is a replay: ${title}`, async () => {
        const key = newKey();
        const project = smallProject({ customId: uniqueId() });
        const { id } = await createOnce(api, project, key);
        const { headers, ...body } = optionsOf(project);
        const answer = await api.post(undefined, '', { ...body, ...withKey(key, headers) });
        await expectReplayOf(api, answer, id);
      });
    }

    test('a key belongs to the company, whatever its credentials', async () => {
      const { companyId: username, apiKey: password } = api.target;
      const key = newKey();
      const project = smallProject();
      const { id } = await createOnce(api, project, key);
      const token = await api.send('POST', '/authentication/token', { json: { username, password } });
      const { AccessToken } = tokenAnswer.parse(JSON.parse(token.text));
      const again = await api.post(project, '', withKey(key, { authorization: `Bearer ${AccessToken}` }));
      await expectReplayOf(api, again, id);
    });

    test('a replay returns the current state of the project, without a task that was deleted since', async () => {
      const key = newKey();
      const project = smallProject({ taskId: 'own', segments: [...segments(2, { taskId: 'a' }), { content: 'x' }] });
      const { id } = await createOnce(api, project, key);
      await api.delete(`${byId(id)}?taskId=a`);
      await expectReplayOf(api, await postOnce(api, project, key), id);
      await api.delete(`${byId(id)}?taskId=own`);
      const answer = await postOnce(api, project, key);
      await expectReplayOf(api, answer, id);
      expect(JSON.parse(answer.text)).toMatchObject({ id, segments: [] });
      expect(JSON.parse(answer.text)).not.toHaveProperty('taskId');
    });
  });

  describe('Creating exactly once: startDateUtc is not compared', () => {
    afterEach(() => api.cleanUp());

    for (const [title, startDateUtc] of Object.entries({
      'ten minutes old': tenMinutesAgo(),
      'years old': '2020-01-01T00:00:00Z',
      'of a later attempt': nowUtc(60_000),
      'ten minutes ahead': nowUtc(600_000),
      'in another form': nowUtc().replace('Z', '0000+00:00'),
    })) {
      test(`a retry may have a start date ${title}, and the project keeps the first one`, async () => {
        const key = newKey();
        const project = smallProject();
        const { id } = await createOnce(api, project, key);
        await expectReplayOf(api, await postOnce(api, { ...project, startDateUtc }, key), id);
        expect((await api.read(byId(id))).startDateUtc).toBe(project['startDateUtc']);
      });
    }

    for (const endDateUtc of ['2098-12-31T19:00:00-05:00', '2099-01-01T00:00:00', '2099-01-01T00:00:00.0000000Z']) {
      test(`a retry may write the same end date in another form, and the project keeps the first one: ${endDateUtc}`, async () => {
        const key = newKey();
        const project = smallProject({ endDateUtc: '2099-01-01T00:00:00Z' });
        const { id } = await createOnce(api, project, key);
        await expectReplayOf(api, await postOnce(api, { ...project, endDateUtc }, key), id);
        expect((await api.read(byId(id))).endDateUtc).toBe('2099-01-01T00:00:00Z');
      });
    }

    test('an old start date with a new key is 400', async () => {
      const project = smallProject();
      await createOnce(api, project, newKey());
      const old = { ...project, startDateUtc: tenMinutesAgo() };
      expectInvalid(await postOnce(api, old, newKey()), ['/startDateUtc', 'start-not-now']);
    });

    test('a retry whose start date is malformed or missing is an invalid body', async () => {
      const key = newKey();
      const project = smallProject();
      await createOnce(api, project, key);
      expectInvalid(await postOnce(api, { ...project, startDateUtc: 'now' }, key), ['/startDateUtc', 'invalid-date']);
      expectInvalid(await postOnce(api, { ...project, startDateUtc: null }, key), ['/startDateUtc']);
    });
  });
}
