import { afterEach, describe, expect, test } from 'vitest';
import { smallProject, uniqueId } from '../../support/projects.ts';
import { type ProjectAnswer, receiptAnswer } from '../answers.ts';
import { type Answer, type Api, byCustomId, byId } from '../api.ts';
import { expectProblem } from '../problems.ts';
import { PATHS, REPRESENTATION } from './once.ts';

/**
 * Tests the rule "A second delete is 404 …; while the tombstone is kept the problem carries `deletedAtUtc`" of
 * `decisions.md`.
 */
export function tombstones(api: Api): void {
  const create = (customId = uniqueId()) => api.create(smallProject({ customId, taskId: 'a' }));
  /** Deletes an existing project or task, and returns the time of the deletion. */
  const remove = async (path: string) => {
    const answer = await api.delete(path, { headers: REPRESENTATION });
    expect(answer.status, answer.text).toBe(200);
    return receiptAnswer.parse(JSON.parse(answer.text)).deletedAtUtc;
  };

  describe('Deleting never widens: tombstones', () => {
    afterEach(() => api.cleanUp());

    for (const [how, pathOf] of Object.entries(PATHS)) {
      test(`a second delete, and GET, is 404 with the receipt’s deletedAtUtc: deleted ${how}`, async () => {
        const project = await create();
        const deletedAtUtc = await remove(pathOf(project));
        await expectDeletedAt(api, project, deletedAtUtc);
      });
    }

    test('a project without a custom id has deletedAtUtc too', async () => {
      const { id } = await api.create(smallProject());
      const deletedAtUtc = await remove(byId(id));
      expect(deletionIn(await api.delete(byId(id)))).toBe(deletedAtUtc);
      expect(deletionIn(await api.get(byId(id)))).toBe(deletedAtUtc);
    });

    test('deletedAtUtc stays the time of the first deletion, however often the delete is repeated', async () => {
      const project = await create();
      const deletedAtUtc = await remove(byId(project.id));
      for (let n = 0; n < 3; n++) await expectDeletedAt(api, project, deletedAtUtc);
    });

    test('if the custom id is used again, GET by it returns the new project, and the old id keeps its deletedAtUtc', async () => {
      const first = await create();
      const firstTime = await remove(byId(first.id));
      const second = await create(first.customId);
      expect(await api.read(byCustomId(first.customId ?? ''))).toEqual(second);
      expect(await api.read(byId(second.id))).toEqual(second);
      expect(deletionIn(await api.get(byId(first.id)))).toBe(firstTime);
    });

    test('a custom id that was used and deleted twice has the later deletedAtUtc', async () => {
      const first = await create();
      const firstTime = await remove(byId(first.id));
      const second = await create(first.customId);
      const secondTime = await remove(byCustomId(first.customId ?? ''));
      expect(Date.parse(secondTime)).toBeGreaterThanOrEqual(Date.parse(firstTime));
      await expectDeletedAt(api, second, secondTime);
      expect(deletionIn(await api.get(byId(first.id)))).toBe(firstTime);
    });

    test('a deleted task leaves no tombstone: 404 task-not-found without deletedAtUtc', async () => {
      const project = await create();
      await remove(`${byId(project.id)}?taskId=a`);
      for (const pathOf of Object.values(PATHS)) {
        for (const method of ['GET', 'DELETE']) {
          const { deletedAtUtc } = expectProblem(
            await api.send(method, `${pathOf(project)}?taskId=a`),
            'task-not-found',
          );
          expect(deletedAtUtc).toBeUndefined();
        }
      }
    });

    test('other ids never have deletedAtUtc', async () => {
      const { id, customId = '' } = await create();
      await remove(byId(id));
      const near = [customId.toUpperCase(), `${customId} `, ` ${customId}`, `${customId}%`, customId.slice(0, -1)];
      const others = [
        ...['1', `${id}0`, '9007199254740991', `0${id}`, `${id}.0`, `+${id}`, `-${id}`, 'x'].map(byId),
        ...[...near, `${id}`, uniqueId(), encodeURIComponent(customId)].map(byCustomId),
      ];
      for (const path of others) {
        expect(deletionIn(await api.get(path)), path).toBeUndefined();
        expect(deletionIn(await api.delete(path)), path).toBeUndefined();
      }
    });

    test('the problem of a deleted project says when, and otherwise equals that of an unknown project', async () => {
      const { id, customId = '' } = await create();
      await remove(byId(id));
      for (const [gone, never] of [
        [byId(id), byId('9007199254740991')],
        [byCustomId(customId), byCustomId(uniqueId())],
      ] as const) {
        const of = async (path: string) => {
          const {
            deletedAtUtc,
            detail,
            instance: _,
            ...rest
          } = expectProblem(await api.get(path), 'project-not-found');
          return { deletedAtUtc, detail, rest };
        };
        const deleted = await of(gone);
        expect(deleted.detail).toContain(deleted.deletedAtUtc);
        expect(deleted.rest).toEqual((await of(never)).rest);
      }
    });
  });
}

/** Expects every path to a deleted project to return the time of its deletion. */
async function expectDeletedAt(api: Api, project: ProjectAnswer, deletedAtUtc: string): Promise<void> {
  for (const pathOf of Object.values(PATHS)) {
    for (const query of ['', '?taskId=a']) {
      for (const method of ['GET', 'DELETE']) {
        const answer = await api.send(method, pathOf(project) + query);
        expect(deletionIn(answer), `${method} ${query}`).toBe(deletedAtUtc);
      }
    }
  }
}

function deletionIn(answer: Answer): string | undefined {
  return expectProblem(answer, 'project-not-found').deletedAtUtc;
}
