import { afterEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../support/projects.ts';
import { member, nowUtc, segment, segments, smallProject, target, uniqueId } from '../../support/projects.ts';
import { type Answer, type Api, byCustomId, byId } from '../api.ts';
import { withValueAt } from '../pointer.ts';
import { expectProblem } from '../problems.ts';
import { createOnce, expectReplayOf, newKey, PATHS, postOnce, withKey } from './once.ts';

/** Returns a project that has every field. */
const fullProject = (): JsonObject =>
  smallProject({
    customId: uniqueId(),
    description: 'All of it',
    targetLanguages: [
      target({ state: 'InPreparation', team: [member({ phone: '1' }), member({}, 2)] }),
      { targetLanguageCode: 'ja' },
    ],
    segments: [segment({ notes: 'A note', taskId: 'a' }), segment({ customId: 's' })],
  });

/** Changes of `fullProject()`, each at one pointer. `undefined` removes the field. */
const CHANGES: readonly (readonly [pointer: string, value: Json | undefined])[] = [
  ['/name', 'Another'],
  ['/name', 'a small project'],
  ['/customId', uniqueId()],
  ['/customId', undefined],
  ['/description', undefined],
  ['/description', null],
  ['/taskId', 'own'],
  ['/endDateUtc', nowUtc(86_400_000)],
  ['/domainId', 5],
  ['/targetLanguages/0/state', 'InProgress'],
  ['/targetLanguages/0/state', undefined],
  ['/targetLanguages/1/managedProject', false],
  ['/targetLanguages/0/team/0/phone', '2'],
  ['/targetLanguages/0/team/1/isProofreader', true],
  ['/targetLanguages/0/team/1/id', 9],
  ['/segments/0/notes', undefined],
  ['/segments/0/taskId', 'b'],
  ['/segments/1/content', 'Hello, world '],
  ['/segments/1/languageSpecificNotes/0/note', 'Formal'],
  ['/segments/1/languageSpecificNotes/0/note', undefined],
];

/** Fields that the service fills in. Leaving one out means the same as sending its value. */
const FILLED_IN: readonly (readonly [pointer: string, value: Json])[] = [
  ['/sourceLanguageId', 41],
  ['/targetLanguages/0/targetLanguageId', 53],
  ['/targetLanguages/0/state', 'InProgress'],
  ['/segments/0/languageSpecificNotes/0/languageId', 53],
  ['/segments/0/languageSpecificNotes/0/languageCode', 'de-DE'],
];

/** Tests a key that is used again for another request: "Creating exactly once" of `decisions.md`. */
export function reusedKeys(api: Api): void {
  describe('Creating exactly once: other content is 422 idempotency-key-reused', () => {
    afterEach(() => api.cleanUp());

    for (const [pointer, value] of CHANGES) {
      test(`the problem names the JSON pointer that differs: ${pointer} ${JSON.stringify(value) ?? 'left out'}`, async () => {
        const key = newKey();
        const project = fullProject();
        const { id } = await createOnce(api, project, key);
        expectReused(await postOnce(api, withValueAt(project, pointer, value), key), [pointer]);
        // The key still belongs to the first request.
        await expectReplayOf(api, await postOnce(api, project, key), id);
      });
    }

    for (const [pointer, value] of FILLED_IN) {
      test(`a filled-in field may be sent or left out: ${pointer}`, async () => {
        const all = smallProject();
        const [sent, left] = [withValueAt(all, pointer, value), withValueAt(all, pointer, undefined)];
        for (const [first, second] of [
          [sent, left],
          [left, sent],
        ]) {
          const key = newKey();
          const { id } = await createOnce(api, first, key);
          const answer = await postOnce(api, second, key);
          if (answer.status === 201) await expectReplayOf(api, answer, id);
          else expectReused(answer, [pointer]);
        }
      });
    }

    test('another spelling of a language is no difference', async () => {
      const key = newKey();
      const project = smallProject({ sourceLanguageCode: 'en-US' });
      const { id } = await createOnce(api, project, key);
      await expectReplayOf(api, await postOnce(api, { ...project, sourceLanguageCode: 'en_us' }, key), id);
    });

    test('the problem names every pointer that differs', async () => {
      const key = newKey();
      const project = fullProject();
      await createOnce(api, project, key);
      const other = withValueAt({ ...project, name: 'Another', taskId: 'own' }, '/segments/1/content', 'Bye');
      expectReused(await postOnce(api, other, key), ['/name', '/segments/1/content', '/taskId']);
    });

    test('the problem names at most the first 100 pointers', async () => {
      const key = newKey();
      const project = smallProject({ segments: segments(150) });
      await createOnce(api, project, key);
      const answer = await postOnce(api, { ...project, segments: segments(150, { notes: 'new' }) }, key);
      expectReused(
        answer,
        Array.from({ length: 100 }, (_, n) => `/segments/${n}/notes`),
      );
    });

    for (const [title, entries] of Object.entries({ more: segments(3), fewer: segments(1), moved: reversedTwo() })) {
      test(`the problem names a list, or the difference in it: ${title}`, async () => {
        const key = newKey();
        const project = smallProject({ segments: segments(2) });
        await createOnce(api, project, key);
        const problem = expectProblem(
          await postOnce(api, { ...project, segments: entries }, key),
          'idempotency-key-reused',
        );
        expect(problem.errors).not.toHaveLength(0);
        for (const { pointer } of problem.errors ?? []) expect(pointer).toMatch(/^\/segments(\/[012](\/content)?)?$/);
      });
    }

    test('after a task was deleted, the problem names the differences from the sent project', async () => {
      const key = newKey();
      const project = fullProject();
      const { id } = await createOnce(api, project, key);
      await api.delete(`${byId(id)}?taskId=a`);
      const answer = await postOnce(api, { ...project, name: 'Another' }, key);
      const { errors } = expectProblem(answer, 'idempotency-key-reused');
      expect(errors?.map(({ pointer }) => pointer)).toContain('/name');
    });

    test('the problem says that endDateUtc is compared, unlike startDateUtc', async () => {
      const key = newKey();
      const project = smallProject();
      await createOnce(api, project, key);
      const { detail } = expectProblem(
        await postOnce(api, { ...project, endDateUtc: nowUtc(86_400_000) }, key),
        'idempotency-key-reused',
      );
      expect(detail).toMatch(/endDateUtc.*startDateUtc/);
    });

    test('an old start date changes nothing, because it is not checked', async () => {
      const key = newKey();
      const project = smallProject();
      await createOnce(api, project, key);
      const other = { ...project, startDateUtc: '2020-01-01T00:00:00Z', name: 'Another' };
      expectReused(await postOnce(api, other, key), ['/name']);
    });

    test('nothing is written, and a custom id stays free', async () => {
      const key = newKey();
      const customId = uniqueId();
      const first = await createOnce(api, smallProject(), key);
      const before = await api.list();
      expectProblem(await postOnce(api, smallProject({ customId }), key), 'idempotency-key-reused');
      expect(await api.list()).toEqual(before);
      expect(await api.read(byId(first.id))).toEqual(first);
      await api.create(smallProject({ customId }));
    });

    test('the problem repeats no content', async () => {
      const key = newKey();
      await createOnce(api, smallProject({ name: 'The first secret' }), key);
      const { text } = await postOnce(api, smallProject({ name: 'The second secret' }), key);
      expect(text).not.toContain('secret');
    });
  });

  describe('Creating exactly once: another operation is 422 idempotency-key-reused', () => {
    afterEach(() => api.cleanUp());

    const create = () => api.create(smallProject({ customId: uniqueId(), taskId: 'a', segments: segments(2) }));

    for (const [how, pathOf] of Object.entries(PATHS)) {
      test(`a create’s key cannot delete: ${how}`, async () => {
        const key = newKey();
        const project = await createOnce(api, smallProject({ customId: uniqueId(), taskId: 'a' }), key);
        for (const path of [pathOf(project), `${pathOf(project)}?taskId=a`, byCustomId(uniqueId())]) {
          expectReusedByDelete(await api.delete(path, withKey(key)));
        }
        expect(await api.read(byId(project.id))).toEqual(project);
      });

      test(`a delete’s key cannot create: ${how}`, async () => {
        const key = newKey();
        const sent = smallProject({ customId: uniqueId() });
        const path = pathOf(await api.create(sent));
        expect((await api.delete(path, withKey(key))).status).toBe(204);
        expectReusedByDelete(await postOnce(api, sent, key));
        expectProblem(await api.get(path), 'project-not-found');
      });

      test(`the key of a task’s deletion deletes neither another task nor the project: ${how}`, async () => {
        const key = newKey();
        const project = await api.create(
          smallProject({
            customId: uniqueId(),
            segments: [...segments(1, { taskId: 'a' }), { content: 'x', taskId: 'b' }],
          }),
        );
        await api.delete(`${pathOf(project)}?taskId=a`, withKey(key));
        const left = await api.read(byId(project.id));
        for (const query of ['', '?taskId=b', '?taskId=c']) {
          expectReusedByDelete(await api.delete(pathOf(project) + query, withKey(key)));
        }
        expect(await api.read(byId(project.id))).toEqual(left);
      });

      test(`the key of a project’s deletion deletes no other project: ${how}`, async () => {
        const key = newKey();
        const [first, second] = [await create(), await create()];
        await api.delete(pathOf(first), withKey(key));
        for (const path of [pathOf(second), `${pathOf(second)}?taskId=a`, `${pathOf(first)}?taskId=a`]) {
          expectReusedByDelete(await api.delete(path, withKey(key)));
        }
        expect(await api.read(byId(second.id))).toEqual(second);
      });
    }
  });
}

function reversedTwo(): JsonObject[] {
  return segments(2).reverse();
}

function expectReused(answer: Answer, pointers: readonly string[]): void {
  const { errors = [] } = expectProblem(answer, 'idempotency-key-reused');
  expect(errors.map(({ pointer }) => pointer).sort()).toEqual(pointers.toSorted());
}

/** Expects the problem not to mention dates, because a deletion has none to compare. */
function expectReusedByDelete(answer: Answer): void {
  const { detail } = expectProblem(answer, 'idempotency-key-reused');
  expect(detail).not.toContain('DateUtc');
}
