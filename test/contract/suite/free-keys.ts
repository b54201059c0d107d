import { afterEach, describe, expect, test } from 'vitest';
import { type JsonObject, member, smallProject, target, uniqueId } from '../../support/projects.ts';
import { type Answer, type Api, byCustomId, byId, type Options } from '../api.ts';
import { expectProblem, type TestedProblem } from '../problems.ts';
import { createOnce, expectReplayed, expectReplayOf, newKey, postOnce, tenMinutesAgo, withKey } from './once.ts';

/** Tests the rule "Refused requests leave the key free" of "Creating exactly once" in `decisions.md`. */
export function freeKeys(api: Api): void {
  const inUse = async (): Promise<JsonObject> => {
    const customId = uniqueId();
    await api.create(smallProject({ customId }));
    return smallProject({ customId });
  };
  const proofreader = member({ isTranslator: false, isProofreader: true });

  const creates: readonly (readonly [TestedProblem, string, () => JsonObject | Promise<JsonObject>, Options?])[] = [
    ['invalid-project', 'a name missing', () => smallProject({ name: null })],
    ['invalid-project', 'an old start date', () => smallProject({ startDateUtc: tenMinutesAgo() })],
    ['team-without-translator', '500', () => smallProject({ targetLanguages: [target({ team: [proofreader] })] })],
    ['custom-id-in-use', 'another project’s', inUse],
    ['malformed-json', 'no JSON', () => smallProject(), { body: '{' }],
    ['unsupported-media-type', 'text', () => smallProject(), { headers: { 'content-type': 'text/plain' } }],
    ['not-acceptable', 'HTML', () => smallProject(), { headers: { accept: 'text/html' } }],
    ['unauthenticated', 'no credentials', () => smallProject(), { headers: { authorization: null } }],
  ];

  describe('Creating exactly once: refused requests leave the key free', () => {
    afterEach(() => api.cleanUp());

    for (const [type, title, make, { headers, ...body } = {}] of creates) {
      test(`a create refused with ${type} leaves its key free: ${title}`, async () => {
        const key = newKey();
        const refused: Answer = await api.post(await make(), '', {
          ...(body.body !== undefined && { json: undefined, body: body.body }),
          ...withKey(key, headers),
        });
        expectProblem(refused, type);
        const project = smallProject();
        const { id } = await createOnce(api, project, key);
        await expectReplayOf(api, await postOnce(api, project, key), id);
      });
    }

    test('a create refused for its custom id succeeds unchanged once the custom id is free', async () => {
      const key = newKey();
      const project = await inUse();
      expectProblem(await postOnce(api, project, key), 'custom-id-in-use');
      expectProblem(await postOnce(api, project, key), 'custom-id-in-use');
      await api.delete(byCustomId(`${project['customId']}`));
      const { id } = await createOnce(api, project, key);
      await expectReplayOf(api, await postOnce(api, project, key), id);
    });

    test('a delete refused with project-not-found leaves its key free, for a create too', async () => {
      const key = newKey();
      const customId = uniqueId();
      expectProblem(await api.delete(byCustomId(customId), withKey(key)), 'project-not-found');
      expectProblem(await api.delete(byCustomId(customId), withKey(key)), 'project-not-found');
      await createOnce(api, smallProject({ customId }), key);
    });

    test('a delete refused with task-not-found leaves its key free', async () => {
      const key = newKey();
      const { id } = await api.create(smallProject({ taskId: 'a' }));
      expectProblem(await api.delete(`${byId(id)}?taskId=b`, withKey(key)), 'task-not-found');
      const deleted = await api.delete(`${byId(id)}?taskId=a`, withKey(key));
      expect(deleted.status).toBe(204);
      expectReplayed(deleted, false);
    });

    test('a delete of a custom id that is created later is not a replay', async () => {
      const key = newKey();
      const customId = uniqueId();
      expectProblem(await api.delete(byCustomId(customId), withKey(key)), 'project-not-found');
      await api.create(smallProject({ customId }));
      const deleted = await api.delete(byCustomId(customId), withKey(key));
      expect(deleted.status).toBe(204);
      expectReplayed(deleted, false);
    });

    test('a delete refused for its query or body leaves its key free', async () => {
      const key = newKey();
      const { id } = await api.create(smallProject({ taskId: 'a' }));
      expectProblem(await api.delete(`${byId(id)}?taskId=`, withKey(key)), 'invalid-parameter');
      expectProblem(await api.delete(`${byId(id)}?taskid=a`, withKey(key)), 'unknown-parameter');
      expectProblem(await api.delete(byId(id), { json: {}, ...withKey(key) }), 'unexpected-body');
      expect((await api.delete(byId(id), withKey(key))).status).toBe(204);
    });
  });
}
