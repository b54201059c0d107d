import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { operationIdOf } from '../../../lib/service/port.ts';
import { type JsonObject, smallProject, target, uniqueId } from '../../support/projects.ts';
import {
  operationAnswer,
  type ProjectAnswer,
  segmentsAnswer,
  type TranslationsAnswer,
  translationsAnswer,
} from '../answers.ts';
import { type Answer, type Api, byCustomId, byId, type Options, operationPath } from '../api.ts';
import { expectProblem } from '../problems.ts';
import { expectReplayed, newKey, PATHS, withKey } from './once.ts';

const DE = 'de-DE';

/** Tests "Write translations" of "Getting work done" in `decisions.md`. */
export function writingTranslations(api: Api): void {
  const write = (path: string, entries: unknown, options?: Options) =>
    api.patch(`${path}/translations`, entries, options);

  describe('Getting work done: requests that write translations', () => {
    const valid = { segmentId: 1, languageCode: DE, content: 'x', status: 'draft' };

    test('every fault of the request is reported at once, with its pointer', async () => {
      const entries = [
        { ...valid, content: '', status: 'automatic', version: 1 },
        { ...valid, segmentCustomId: 'a', languageCode: 'xx' },
        { languageCode: DE, content: 'x', status: 'draft', ifVersion: 'x', segmentID: 1 },
        { ...valid, segmentId: 2 },
        { ...valid, segmentId: 2, languageCode: 'de_DE' },
      ];
      for (const path of [byId(1), byCustomId('none')]) {
        expectProblem(await write(path, entries), 'invalid-translations', [
          ['/0/content', 'empty'],
          ['/0/status', 'not-allowed'],
          ['/0/version', 'service-field'],
          ['/1/languageCode', 'unknown-language'],
          ['/1/segmentCustomId', 'exclusive-field'],
          ['/2/ifVersion', 'wrong-type'],
          ['/2/segmentID', 'unknown-field'],
          ['/2/segmentId', 'required'],
          ['/4', 'duplicate-translation'],
        ]);
      }
    });

    test('checks run in their order', async () => {
      const path = `${byId('none')}/translations`;
      const large = { body: 'x'.repeat(4_194_305) };
      const text = { ...large, headers: { 'content-type': 'text/plain' } };
      const html = { ...text, headers: { ...text.headers, accept: 'text/html' } };
      const nobody = { ...html, headers: { ...html.headers, authorization: null } };
      expectProblem(await api.send('PUT', `${path}?x=1`, nobody), 'method-not-allowed');
      expectProblem(await api.send('PATCH', `${path}?x=1`, nobody), 'unauthenticated');
      expectProblem(await api.send('PATCH', `${path}?x=1`, html), 'not-acceptable');
      expectProblem(await api.send('PATCH', `${path}?x=1`, text), 'unknown-parameter');
      expectProblem(await api.send('PATCH', path, text), 'unsupported-media-type');
      expectProblem(await api.send('PATCH', path, large), 'too-large');
      const badKey = withKey('a key');
      expectProblem(await api.send('PATCH', path, { body: '[', ...badKey }), 'malformed-json');
      expectProblem(await api.patch(path, [], badKey), 'invalid-translations');
      expectProblem(await api.patch(path, [valid], badKey), 'invalid-header');
      expectProblem(await api.patch(path, [valid]), 'project-not-found');
    });
  });

  if (!api.target.writesTranslations) {
    test('Getting work done: a service that cannot write translations says so, and leaves the key free', async () => {
      const { id } = await api.create(smallProject());
      const key = newKey();
      for (const content of ['x', 'y']) {
        const entries = [{ segmentId: id + 1, languageCode: DE, content, status: 'draft' }];
        expectProblem(await write(byId(id), entries, withKey(key)), 'not-supported');
      }
      expectProblem(await api.get(operationPath(operationIdOf(key))), 'operation-not-found');
      await api.cleanUp();
    });
    return;
  }

  describe('Getting work done: translations', () => {
    let project: ProjectAnswer;
    beforeEach(async () => {
      project = await api.create(
        smallProject({
          customId: uniqueId(),
          targetLanguages: [target(), { targetLanguageId: 1172 }],
          segments: [
            { content: 'One', customId: 'one', taskId: 'a' },
            { content: 'Two', customId: 'twice' },
            { content: 'Three', customId: 'twice' },
          ],
        }),
      );
    });
    afterAll(() => api.cleanUp());

    const idOf = (index: number) => project.segments[index]?.id ?? 0;
    const entry = (fields: JsonObject = {}): JsonObject => ({
      segmentId: idOf(0),
      languageCode: DE,
      content: '<b>Eins</b>',
      status: 'translated',
      ...fields,
    });
    const written = (answer: Answer): TranslationsAnswer => {
      expect(answer.status, answer.text.slice(0, 500)).toBe(200);
      return translationsAnswer.parse(JSON.parse(answer.text));
    };
    /** Returns the translations of the project as a reader gets them: `content status version`, by language. */
    const read = async () => {
      const answer = await api.get(`${byId(project.id)}/segments`);
      const entries = segmentsAnswer.parse(JSON.parse(answer.text));
      return entries.flatMap(({ translations }) =>
        translations.map(({ content, status, version }) => `${content} ${status} ${version}`),
      );
    };
    const UNTRANSLATED = 'null untranslated 0';

    for (const [how, pathOf] of Object.entries(PATHS)) {
      test(`are returned in the order of the entries as they now stand, and read back: project ${how}`, async () => {
        const content = ' <p>\u0000😀\r\n</p> ';
        const { segmentId: _, ...byName } = entry({ segmentCustomId: 'one', languageCode: 'FR', status: 'draft' });
        const entries = [entry({ segmentId: idOf(1), content }), byName, entry()];
        const answer = written(await write(pathOf(project), entries));
        expect(answer).toMatchObject([
          { segmentId: idOf(1), segmentCustomId: 'twice', languageId: 53, languageCode: DE, content, version: 1 },
          { segmentId: idOf(0), segmentCustomId: 'one', languageId: 1172, languageCode: 'fr', status: 'draft' },
          { segmentId: idOf(0), languageCode: DE, content: '<b>Eins</b>', status: 'translated', version: 1 },
        ]);
        expect(new Set(answer.map(({ id }) => id)).size).toBe(3);
        expect(await read()).toEqual([
          '<b>Eins</b> translated 1',
          '<b>Eins</b> draft 1',
          `${content} translated 1`,
          ...Array(3).fill(UNTRANSLATED),
        ]);
      });
    }

    test('keep their id, and have a higher version after each write', async () => {
      const [first] = written(await write(byId(project.id), [entry()]));
      const [second] = written(await write(byId(project.id), [entry({ content: 'Zwei', ifVersion: 1 })]));
      expect([first?.version, second?.version]).toEqual([1, 2]);
      expect(second).toMatchObject({ id: first?.id, content: 'Zwei' });
    });

    test('are written all or none: every unknown segment and language is a fault', async () => {
      const { segmentId: _, ...unnamed } = entry();
      const entries = [
        entry(),
        entry({ segmentId: 1 }),
        { ...unnamed, segmentCustomId: 'nothing' },
        { ...unnamed, segmentCustomId: 'twice' },
        entry({ languageCode: 'ja' }),
        { ...unnamed, segmentCustomId: 'one' },
      ];
      const { errors } = expectProblem(await write(byId(project.id), entries), 'invalid-translations', [
        ['/1/segmentId', 'unknown-segment'],
        ['/2/segmentCustomId', 'unknown-segment'],
        ['/3/segmentCustomId', 'ambiguous-segment'],
        ['/4/languageCode', 'unknown-language'],
        ['/5', 'duplicate-translation'],
      ]);
      expect(errors?.find(({ pointer }) => pointer === '/4/languageCode')?.allowed).toEqual([DE, 'fr']);
      expect(await read()).toEqual(Array(6).fill(UNTRANSLATED));
    });

    test('are written all or none: another version is 409 with the current one, for each entry', async () => {
      await write(byId(project.id), [entry(), entry({ languageCode: 'fr' })]);
      await write(byId(project.id), [entry({ languageCode: 'fr', content: 'Deux' })]);
      const before = await read();
      const entries = [
        entry({ content: 'Neu', ifVersion: 1 }),
        entry({ languageCode: 'fr', ifVersion: 1, status: 'draft' }),
        entry({ segmentId: idOf(1), ifVersion: 7 }),
        entry({ segmentId: idOf(2), ifVersion: 0 }),
      ];
      const { errors } = expectProblem(await write(byId(project.id), entries), 'translation-changed', [
        ['/1/ifVersion', 'version-differs'],
        ['/2/ifVersion', 'version-differs'],
      ]);
      expect(errors?.map(({ currentVersion }) => currentVersion)).toEqual([2, 0]);
      expect(await read()).toEqual(before);
    });

    test('get a lower status only if the entry reopens them', async () => {
      await write(byId(project.id), [entry({ status: 'proofread' })]);
      expectProblem(await write(byId(project.id), [entry({ status: 'translated' })]), 'invalid-translations', [
        ['/0/status', 'status-lower'],
      ]);
      const [same] = written(await write(byId(project.id), [entry({ status: 'proofread', content: 'Neu' })]));
      expect(same).toMatchObject({ status: 'proofread', version: 2 });
      const [reopened] = written(await write(byId(project.id), [entry({ status: 'draft', reopen: true })]));
      expect(reopened).toMatchObject({ status: 'draft', version: 3 });
    });

    test('of several people who write the same version at once, one wins, and the others get 409', async () => {
      const contents = Array.from({ length: 8 }, (_, n) => `by person ${n}`);
      const answers = await Promise.all(
        contents.map((content) => write(byId(project.id), [entry({ content, ifVersion: 0 })])),
      );
      const [won, ...more] = answers.filter(({ status }) => status === 200);
      expect(more).toEqual([]);
      for (const answer of answers) if (answer !== won) expectProblem(answer, 'translation-changed');
      const content = won && written(won)[0]?.content;
      expect((await read())[0]).toBe(`${content} translated 1`);
    });

    test('of different segments, written at once, are all kept', async () => {
      const entries = [0, 1, 2].flatMap((index) =>
        [DE, 'fr'].map((languageCode) =>
          entry({ segmentId: idOf(index), languageCode, content: `${index} ${languageCode}` }),
        ),
      );
      const answers = await Promise.all(entries.map((each) => write(byId(project.id), [each])));
      for (const answer of answers) written(answer);
      expect(await read()).toEqual(entries.map(({ content }) => `${content} translated 1`));
    });

    test('of a deleted task can be neither written nor read', async () => {
      await write(byId(project.id), [entry(), entry({ segmentId: idOf(1), content: 'Zwei' })]);
      await api.delete(`${byId(project.id)}?taskId=a`);
      expectProblem(await write(byId(project.id), [entry()]), 'invalid-translations', [
        ['/0/segmentId', 'unknown-segment'],
      ]);
      expect(await read()).toEqual(['Zwei translated 1', ...Array(3).fill(UNTRANSLATED)]);
    });

    test('of a deleted or unknown project are 404', async () => {
      for (const [, pathOf] of Object.entries(PATHS)) {
        const gone = await api.create(smallProject({ customId: uniqueId() }));
        await api.delete(byId(gone.id));
        expect(expectProblem(await write(pathOf(gone), [entry()]), 'project-not-found').deletedAtUtc).toBeDefined();
      }
      expectProblem(await write(byId(1), [entry()]), 'project-not-found');
    });

    describe('with an idempotency key', () => {
      test('a retry writes nothing, and returns the translations as they now stand', async () => {
        const key = newKey();
        const entries = [entry({ ifVersion: 0 }), entry({ segmentId: idOf(1) })];
        const first = await write(byId(project.id), entries, withKey(key));
        expectReplayed(first, false);
        const again = await write(byId(project.id), entries, withKey(key));
        expectReplayed(again);
        expect(written(again)).toEqual(written(first));
        await write(byId(project.id), [entry({ content: 'Neu' })]);
        const later = written(await write(byId(project.id), entries, withKey(key)));
        expect(later).toMatchObject([{ content: 'Neu', version: 2 }, { version: 1 }]);
      });

      test('a retry leaves out translations whose segments were deleted', async () => {
        const key = newKey();
        const entries = [entry(), entry({ segmentId: idOf(1) })];
        await write(byId(project.id), entries, withKey(key));
        await api.delete(`${byId(project.id)}?taskId=a`);
        const later = await write(byId(project.id), entries, withKey(key));
        expect(written(later)).toMatchObject([{ segmentId: idOf(1) }]);
      });

      test('other entries, another path and other requests are 422', async () => {
        const key = newKey();
        await write(byId(project.id), [entry()], withKey(key));
        const reused = await write(byId(project.id), [entry({ content: 'Neu' })], withKey(key));
        expect(expectProblem(reused, 'idempotency-key-reused').detail).toMatch(/other translations/);
        expectProblem(
          await write(PATHS['by custom id']?.(project) ?? '', [entry()], withKey(key)),
          'idempotency-key-reused',
        );
        const { detail } = expectProblem(await api.post(smallProject(), '', withKey(key)), 'idempotency-key-reused');
        expect(detail).toContain('was used with another kind of request.');
        expectProblem(await api.delete(byId(project.id), withKey(key)), 'idempotency-key-reused');
        expect((await read())[0]).toBe('<b>Eins</b> translated 1');
      });

      test('refused entries leave the key free', async () => {
        const key = newKey();
        const refused = [entry({ segmentId: 1 })];
        expectProblem(await write(byId(project.id), refused, withKey(key)), 'invalid-translations');
        expectProblem(await write(byId(project.id), [entry({ ifVersion: 3 })], withKey(key)), 'translation-changed');
        const answer = await write(byId(project.id), [entry()], withKey(key));
        expectReplayed(answer, false);
        written(answer);
      });

      test('a retry after the project was deleted is 410', async () => {
        const key = newKey();
        await write(byId(project.id), [entry()], withKey(key));
        await api.delete(byId(project.id));
        expectProblem(await write(byId(project.id), [entry()], withKey(key)), 'project-deleted');
      });

      test('the operation shows the translations as they now stand', async () => {
        const key = newKey();
        const answer = written(await write(byId(project.id), [entry()], withKey(key)));
        const state = async () =>
          operationAnswer.parse(JSON.parse((await api.get(operationPath(operationIdOf(key)))).text));
        expect(await state()).toMatchObject({ status: 'done', translations: answer });
        await write(byId(project.id), [entry({ content: 'Neu' })]);
        expect(await state()).toMatchObject({ translations: [{ content: 'Neu', version: 2 }] });
        await api.delete(byId(project.id));
        expect((await state()).problem?.type).toMatch(/\/project-deleted$/);
      });
    });
  });
}
