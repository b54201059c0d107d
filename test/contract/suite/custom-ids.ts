import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { smallProject, uniqueId } from '../../support/projects.ts';
import { type Api, byCustomId, byId, PROJECTS } from '../api.ts';
import { expectProblem } from '../problems.ts';

/**
 * Tests `customId` of "Fields" in `decisions.md`: it is unique, it is free again after deletion, and one path leads to
 * one custom id.
 */
export function customIds(api: Api): void {
  describe('Project (request on create): customId comes back as it was sent', () => {
    afterEach(() => api.cleanUp());

    const ids = [
      ...['a', 'a/b', 'a%2Fb', 'a%252Fb', ' ', ' a ', 'a+b', '%', '%%', '%zz', '...', './a', '../a', 'a/../b', '/'],
      ...[
        '?taskId=x',
        'a?b#c',
        'a&b=c',
        'a;b',
        'a,b',
        '\\',
        '"',
        "'",
        '<b>',
        '{id}',
        'custom',
        '1',
        '__proto__',
        'null',
      ],
      ...['\u0000', '\n', '\u007f', '\u200b', '\u202e', '\ufeff', '\uffff', '\ufffd', '\u{10ffff}'],
      ...['人権', 'שלום', 'مرحبا', 'नमस्ते', '👩‍👩‍👧', 'e\u0301', '\u00e9', 'ﬁ', 'ß', 'İ'],
    ];
    for (const customId of ids) {
      test(JSON.stringify(customId), async () => {
        const { id, customId: echoed } = await api.create(smallProject({ customId }));
        expect(echoed).toBe(customId);
        expect(await api.read(byCustomId(customId))).toMatchObject({ id, customId });
        expect((await api.delete(byCustomId(customId))).status).toBe(204);
        expectProblem(await api.get(byId(id)), 'project-not-found');
      });
    }
  });

  describe('Fields: customId', () => {
    afterEach(() => api.cleanUp());

    test('a custom id is unique: a second project with it is 409 custom-id-in-use, and nothing is written', async () => {
      const customId = uniqueId();
      const { id } = await api.create(smallProject({ customId }));
      const before = await api.list();
      expectProblem(await api.post(smallProject({ customId, name: 'Another' })), 'custom-id-in-use');
      expect(await api.list()).toEqual(before);
      expect((await api.read(byCustomId(customId))).id).toBe(id);
    });

    test('a custom id is free again after its project was deleted', async () => {
      const customId = uniqueId();
      const first = await api.create(smallProject({ customId }));
      await api.delete(byCustomId(customId));
      const second = await api.create(smallProject({ customId }));
      expect(second.id).not.toBe(first.id);
      expect((await api.read(byCustomId(customId))).id).toBe(second.id);
    });

    test('a custom id stays taken if only a task was deleted', async () => {
      const customId = uniqueId();
      await api.create(smallProject({ customId, taskId: 'own' }));
      await api.delete(`${byCustomId(customId)}?taskId=own`);
      expectProblem(await api.post(smallProject({ customId })), 'custom-id-in-use');
    });

    test('several projects may have no custom id', async () => {
      await api.create(smallProject());
      await api.create(smallProject());
    });

    const families = {
      'a/b, a%2Fb, a%252Fb': ['a/b', 'a%2Fb', 'a%252Fb', 'a%2fb'],
      'spaces and plus': ['a b', 'a+b', 'a%20b', 'a%2Bb', ' a b', 'a b '],
      case: ['straße', 'STRASSE', 'Straße', 'strasse'],
      'composed and decomposed': ['\u00e9', 'e\u0301', 'e'],
      'what looks like nothing': ['x', 'x\u0000', 'x\u200b', '\ufeffx', 'x '],
    };
    for (const [title, family] of Object.entries(families)) {
      test(`a custom id in a path is decoded exactly once, and compared exactly: ${title}`, async () => {
        const made = new Map<string, number>();
        for (const customId of family) made.set(customId, (await api.create(smallProject({ customId }))).id);
        for (const [customId, id] of made) expect((await api.read(byCustomId(customId))).id).toBe(id);
        for (const customId of family) {
          expect((await api.delete(byCustomId(customId))).status).toBe(204);
          made.delete(customId);
          expectProblem(await api.get(byCustomId(customId)), 'project-not-found');
          for (const [other, id] of made) expect((await api.read(byCustomId(other))).id).toBe(id);
        }
      });
    }

    test('a path may escape any character of a custom id', async () => {
      const { id } = await api.create(smallProject({ customId: 'ab/é+' }));
      for (const path of ['ab%2f%C3%A9+', '%61%62%2F%c3%a9%2B', 'ab%2F%C3%A9%2b']) {
        expect((await api.read(`${PROJECTS}/custom/${path}`)).id).toBe(id);
      }
    });

    test('a custom id is one segment of a path', async () => {
      await api.create(smallProject({ customId: 'a/b' }));
      const { detail } = expectProblem(await api.get(`${PROJECTS}/custom/a/b`), 'route-not-found');
      expect(detail).toContain('Write a slash inside a custom id as %2F');
      expectProblem(await api.delete(`${PROJECTS}/custom/a/b`), 'route-not-found');
    });

    test('a path with ill-formed escapes reaches no project', async () => {
      await api.create(smallProject({ customId: '\ufffd' }));
      await api.create(smallProject({ customId: '%zz' }));
      for (const escaped of ['%FF', '%ED%A0%80', '%C0%80', '%E4%BA']) {
        for (const method of ['GET', 'DELETE']) {
          expect((await api.send(method, `${PROJECTS}/custom/${escaped}`)).status, escaped).toBeOneOf([400, 404]);
        }
      }
      await api.read(byCustomId('\ufffd'));
    });

    test('a custom id that looks like an id reaches no project by id', async () => {
      const { id } = await api.create(smallProject());
      const { id: other } = await api.create(smallProject({ customId: `${id}` }));
      expect((await api.read(byCustomId(`${id}`))).id).toBe(other);
      expectProblem(await api.get(byCustomId(`${other}`)), 'project-not-found');
    });
  });

  describe('Fields: paths are not folded', () => {
    afterAll(() => api.cleanUp());

    test('a path with dot segments reaches no project', async () => {
      const { id } = await api.create(smallProject({ customId: uniqueId() }));
      for (const path of [`custom/../${id}`, `custom/%2e%2e/${id}`, `./${id}`, `custom/x/../../${id}`, `/${id}`]) {
        expectProblem(await api.delete(`${PROJECTS}/${path}`), 'route-not-found');
      }
      for (const path of ['custom/.', 'custom/..', 'custom/%2e%2e', '..', '.']) {
        expect((await api.delete(`${PROJECTS}/${path}`)).status).toBe(404);
      }
      await api.read(byId(id));
    });
  });
}
