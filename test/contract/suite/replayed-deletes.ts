import { afterEach, describe, expect, test } from 'vitest';
import { segments, smallProject, uniqueId } from '../../support/projects.ts';
import { receiptAnswer } from '../answers.ts';
import { type Answer, type Api, byCustomId, byId } from '../api.ts';
import { expectProblem } from '../problems.ts';
import { expectReplayed, newKey, PATHS, REPRESENTATION, withKey } from './once.ts';

/** Tests the rule "A replayed delete is its receipt again" of "Creating exactly once" in `decisions.md`. */
export function replayedDeletes(api: Api): void {
  const create = () =>
    api.create(
      smallProject({
        customId: uniqueId(),
        taskId: 'own',
        segments: [...segments(2, { taskId: 'a' }), ...segments(1, { taskId: 'b' }), ...segments(1)],
      }),
    );
  /** Deletes with a key. By default, `prefer` requests the receipt. */
  const remove = (path: string, key: string, prefer: object = REPRESENTATION) =>
    api.delete(path, withKey(key, { ...prefer }));

  for (const [how, pathOf] of Object.entries(PATHS)) {
    describe(`Creating exactly once: a replayed delete is its receipt again: ${how}`, () => {
      afterEach(() => api.cleanUp());

      for (const [what, query] of Object.entries({ 'the project': '', 'a task': '?taskId=a' })) {
        test(`a replayed delete of ${what} returns the receipt, byte for byte`, async () => {
          const [key, path] = [newKey(), pathOf(await create()) + query];
          const first = await remove(path, key);
          expectReplayed(first, false);
          for (let n = 0; n < 3; n++) expectReceiptAgain(await remove(path, key), first);
        });

        test(`a replayed delete of ${what} may have another Prefer`, async () => {
          const [key, path] = [newKey(), pathOf(await create()) + query];
          const first = await remove(path, key, {});
          expect(first.status).toBe(204);
          expectReplayed(first, false);
          const receipt = await remove(path, key);
          expect(receipt.status, receipt.text).toBe(200);
          expectReplayed(receipt);
          expectReceiptAgain(await remove(path, key), receipt);
          const last = await remove(path, key, { prefer: 'return=minimal' });
          expect(last.status).toBe(204);
          expectReplayed(last);
        });

        test(`a delete of ${what} without the key, or with another key, is a second delete`, async () => {
          const [key, path] = [newKey(), pathOf(await create()) + query];
          await remove(path, key);
          const type = query ? 'task-not-found' : 'project-not-found';
          expectProblem(await api.delete(path), type);
          expectProblem(await remove(path, newKey()), type);
        });
      }

      test('a replayed delete of a task deletes nothing more', async () => {
        const project = await create();
        const [key, path] = [newKey(), `${pathOf(project)}?taskId=own`];
        const first = await remove(path, key);
        const left = await api.read(byId(project.id));
        expectReceiptAgain(await remove(path, key), first);
        expect(await api.read(byId(project.id))).toEqual(left);
        expect(left.segments).toHaveLength(3);
      });

      test('a replayed delete of a task returns its receipt after the project was deleted too', async () => {
        const project = await create();
        const [key, path] = [newKey(), `${pathOf(project)}?taskId=a`];
        const first = await remove(path, key);
        await api.delete(byId(project.id));
        expectReceiptAgain(await remove(path, key), first);
      });

      test('a replayed delete may write the path with other escapes', async () => {
        const project = await create();
        const [key, path] = [newKey(), pathOf(project)];
        const first = await remove(`${path}?taskId=a`, key);
        expectReceiptAgain(await remove(`${path}?taskId=%61`, key), first);
      });
    });
  }

  describe('Creating exactly once: a replayed delete is its receipt again', () => {
    afterEach(() => api.cleanUp());

    test('a replayed delete leaves alone a new project with the same custom id', async () => {
      const { customId = '' } = await create();
      const [key, path] = [newKey(), byCustomId(customId)];
      const first = await remove(path, key);
      const second = await api.create(smallProject({ customId, taskId: 'a' }));
      expectReceiptAgain(await remove(path, key), first);
      expect(await api.read(path)).toEqual(second);
    });

    test('a replayed delete of a task leaves alone a new project with the same custom id', async () => {
      const { customId = '', id } = await create();
      const [key, path] = [newKey(), `${byCustomId(customId)}?taskId=a`];
      const first = await remove(path, key);
      await api.delete(byId(id));
      const second = await api.create(smallProject({ customId, taskId: 'a' }));
      expectReceiptAgain(await remove(path, key), first);
      expect(await api.read(byId(second.id))).toEqual(second);
    });
  });
}

function expectReceiptAgain(answer: Answer, first: Answer): void {
  expect(answer.status, answer.text).toBe(200);
  expectReplayed(answer);
  receiptAnswer.parse(JSON.parse(answer.text));
  expect(answer.text).toBe(first.text);
}
