import { afterAll, describe, expect, test } from 'vitest';
import { segments, smallProject, target, uniqueId } from '../../support/projects.ts';
import { deletionPlanAnswer } from '../answers.ts';
import { type Api, byCustomId, byId } from '../api.ts';
import { expectProblem } from '../problems.ts';
import { newKey } from './once.ts';

/** Tests "Delete plan" of "Lists, plans and other routes" in `decisions.md`. */
export function deletionPlans(api: Api): void {
  const create = async (customId: string = uniqueId()) => {
    const project = await api.create(
      smallProject({
        customId,
        targetLanguages: [target(), { targetLanguageCode: 'ja' }],
        segments: [...segments(2, { taskId: 'a' }), ...segments(1, { taskId: 'b' }), ...segments(3)],
      }),
    );
    return { ...project, customId, paths: [byId(project.id), byCustomId(customId)] };
  };
  const plan = async (path: string, query = '') => {
    const answer = await api.get(`${path}/deletion${query}`);
    expect(answer.status, answer.text).toBe(200);
    return deletionPlanAnswer.parse(JSON.parse(answer.text));
  };
  const remove = (path: string, token: string, headers: Record<string, string> = {}) =>
    api.delete(path, { headers: { 'if-match': `"${token}"`, ...headers } });
  const pointersOf = (answer: Awaited<ReturnType<typeof remove>>) =>
    expectProblem(answer, 'plan-outdated').errors?.map(({ pointer }) => pointer);

  describe('Delete plan', () => {
    afterAll(() => api.cleanUp());

    test('shows what a deletion would remove, and changes nothing', async () => {
      const { id: projectId, customId, paths, ...project } = await create();
      for (const path of paths) {
        expect(await plan(path)).toEqual({
          ...{ scope: 'project', projectId, customId, taskId: null },
          ...{ removes: { targetLanguages: 2, segments: 6, tasks: 2 }, plan: expect.stringMatching(/^[\w-]{20,}$/) },
        });
        expect(await plan(path, '?taskId=a')).toMatchObject({
          ...{ scope: 'task', projectId, customId, taskId: 'a' },
          removes: { targetLanguages: 0, segments: 2, tasks: 1 },
        });
      }
      expect((await api.read(byId(projectId))).segments).toEqual(project.segments);
    });

    test('is 404 for an unknown project or task, and 400 for a query that names no task', async () => {
      const { paths } = await create();
      for (const path of [byId(1), byCustomId(uniqueId())]) {
        expectProblem(await api.get(`${path}/deletion`), 'project-not-found');
      }
      for (const path of paths) {
        expectProblem(await api.get(`${path}/deletion?taskId=c`), 'task-not-found');
        expectProblem(await api.get(`${path}/deletion?taskId=`), 'invalid-parameter');
        expectProblem(await api.get(`${path}/deletion?taskid=a`), 'unknown-parameter');
      }
    });

    test('the deletion with the plan removes what the plan shows', async () => {
      for (const index of [0, 1]) {
        const { paths } = await create();
        const path = paths[index] ?? '';
        const task = await plan(path, '?taskId=a');
        const deleted = await remove(`${path}?taskId=a`, task.plan, { prefer: 'return=representation' });
        expect(JSON.parse(deleted.text)).toMatchObject({ taskId: 'a', removed: task.removes });
        expect((await remove(path, (await plan(path)).plan)).status).toBe(204);
        expectProblem(await api.get(path), 'project-not-found');
      }
    });

    test('is 412 plan-outdated with each difference if something has changed, and deletes nothing', async () => {
      const { id, paths } = await create();
      const plans = await Promise.all([plan(byId(id)), plan(byId(id), '?taskId=a')]);
      await api.delete(`${byId(id)}?taskId=b`);
      for (const path of paths) {
        expect(pointersOf(await remove(path, plans[0].plan))).toEqual(['/removes/segments', '/removes/tasks']);
      }
      const { segments: left } = await api.read(byId(id));
      expect(left).toHaveLength(5);
      // The other task has not changed.
      expect((await remove(`${byId(id)}?taskId=a`, plans[1].plan)).status).toBe(204);
    });

    test('is 412 for the plan of another deletion: of a task, of another task, of another project', async () => {
      const [one, other] = [await create(), await create()];
      const ofTask = await plan(byId(one.id), '?taskId=a');
      expect(pointersOf(await remove(byId(one.id), ofTask.plan))).toContain('/taskId');
      expect(pointersOf(await remove(`${byId(one.id)}?taskId=b`, ofTask.plan))).toContain('/taskId');
      expect(pointersOf(await remove(byId(other.id), (await plan(byId(one.id))).plan))).toEqual(['/projectId']);
      for (const { id } of [one, other]) expect((await api.read(byId(id))).segments).toHaveLength(6);
    });

    test('is 412 if the custom id names another project now', async () => {
      const first = await create();
      const { plan: token } = await plan(byCustomId(first.customId));
      await api.delete(byId(first.id));
      const second = await create(first.customId);
      expect(pointersOf(await remove(byCustomId(first.customId), token))).toEqual(['/projectId']);
      expect((await api.read(byId(second.id))).id).toBe(second.id);
    });

    test('a retry with its key gets the first receipt, and another plan is another request', async () => {
      const { id } = await create();
      const { plan: token } = await plan(byId(id), '?taskId=a');
      const key = { 'idempotency-key': newKey(), prefer: 'return=representation' };
      const first = await remove(`${byId(id)}?taskId=a`, token, key);
      expect(first.status).toBe(200);
      expect((await remove(`${byId(id)}?taskId=a`, token, key)).text).toBe(first.text);
      expectProblem(await api.delete(`${byId(id)}?taskId=a`, { headers: key }), 'idempotency-key-reused');
    });
  });
}
