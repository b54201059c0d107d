import { afterEach, describe, expect, test } from 'vitest';
import { smallProject, uniqueId } from '../../support/projects.ts';
import { type ProjectAnswer, receiptAnswer } from '../answers.ts';
import { type Answer, type Api, byCustomId, byId } from '../api.ts';
import { expectProblem } from '../problems.ts';
import { PATHS, REPRESENTATION } from './once.ts';

/** "A second delete is 404 …; while the tombstone is kept the problem carries `deletedAtUtc`": `decisions.md`. */
export function tombstones(api: Api): void {
  const create = (customId = uniqueId()) => api.create(smallProject({ customId, taskId: 'a' }));
  /** Deletes what is there, and tells when. */
  const remove = async (path: string) => {
    const answer = await api.delete(path, { headers: REPRESENTATION });
    expect(answer.status, answer.text).toBe(200);
    return receiptAnswer.parse(JSON.parse(answer.text)).deletedAtUtc;
  };

  describe('Deleting never widens: tombstones', () => {
    afterEach(() => api.cleanUp());

    for (const [how, pathOf] of Object.entries(PATHS)) {
      test(`a second delete is 404 with the receipt’s deletedAtUtc, GET too: deleted ${how}`, async () => {
        const project = await create();
        const deletedAtUtc = await remove(pathOf(project));
        await expectDeletedAt(api, project, deletedAtUtc);
      });
    }

    test('of a project without a custom id', async () => {
      const { id } = await api.create(smallProject());
      const deletedAtUtc = await remove(byId(id));
      expect(deletionIn(await api.delete(byId(id)))).toBe(deletedAtUtc);
      expect(deletionIn(await api.get(byId(id)))).toBe(deletedAtUtc);
    });

    test('the first deletion’s time stays, however often it is deleted again', async () => {
      const project = await create();
      const deletedAtUtc = await remove(byId(project.id));
      for (let n = 0; n < 3; n++) await expectDeletedAt(api, project, deletedAtUtc);
    });

    test('once the custom id is used again, GET by it gives the new project, and the old id its own time', async () => {
      const first = await create();
      const firstTime = await remove(byId(first.id));
      const second = await create(first.customId);
      expect(await api.read(byCustomId(first.customId ?? ''))).toEqual(second);
      expect(await api.read(byId(second.id))).toEqual(second);
      expect(deletionIn(await api.get(byId(first.id)))).toBe(firstTime);
    });

    test('of a custom id that was used again and deleted again: the later time', async () => {
      const first = await create();
      const firstTime = await remove(byId(first.id));
      const second = await create(first.customId);
      const secondTime = await remove(byCustomId(first.customId ?? ''));
      expect(Date.parse(secondTime)).toBeGreaterThanOrEqual(Date.parse(firstTime));
      await expectDeletedAt(api, second, secondTime);
      expect(deletionIn(await api.get(byId(first.id)))).toBe(firstTime);
    });

    test('a deleted task leaves none: 404 task-not-found without deletedAtUtc', async () => {
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

    test('other ids never carry deletedAtUtc', async () => {
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

    test('but for deletedAtUtc it is the problem of a project that never was', async () => {
      const { id, customId = '' } = await create();
      await remove(byId(id));
      for (const [gone, never] of [
        [byId(id), byId('9007199254740991')],
        [byCustomId(customId), byCustomId(uniqueId())],
      ] as const) {
        const of = async (path: string) => {
          const { deletedAtUtc: _, instance: __, ...rest } = expectProblem(await api.get(path), 'project-not-found');
          return rest;
        };
        expect(await of(gone)).toEqual(await of(never));
      }
    });
  });
}

/** Expects every way to a deleted project to tell when it was deleted. */
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
