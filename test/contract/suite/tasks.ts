import { afterEach, describe, expect, test } from 'vitest';
import { smallProject, uniqueId } from '../../support/projects.ts';
import type { ProjectAnswer } from '../answers.ts';
import { type Api, byCustomId, byId } from '../api.ts';
import { expectProblem } from '../problems.ts';

/** Tests "A task is …" of "Fields" in `decisions.md`. */
export function tasks(api: Api): void {
  const create = (taskId: string | null) =>
    api.create(
      smallProject({
        customId: uniqueId(),
        taskId,
        segments: [
          { content: '1', taskId: 'one', notes: 'kept' },
          { content: '2' },
          { content: '3', taskId: 'two' },
          { content: '4', taskId: 'own' },
          { content: '5', taskId: 'one' },
        ],
      }),
    );
  const without = (project: ProjectAnswer, ...contents: string[]) => ({
    ...project,
    segments: project.segments.filter(({ content }) => !contents.includes(content)),
  });
  const deleteTask = async ({ id }: ProjectAnswer, taskId: string) => {
    expect((await api.delete(`${byId(id)}?taskId=${encodeURIComponent(taskId)}`)).status).toBe(204);
  };

  describe('Fields: tasks', () => {
    afterEach(() => api.cleanUp());

    test('a task is the set of segments with its taskId; deleting it keeps every other byte', async () => {
      const project = await create('own');
      await deleteTask(project, 'one');
      for (const path of [byId(project.id), byCustomId(project.customId ?? '')]) {
        expect(await api.read(path)).toEqual(without(project, '1', '5'));
      }
    });

    test('a segment without a taskId belongs to the project’s own task; deleting that task clears project.taskId', async () => {
      const project = await create('own');
      await deleteTask(project, 'own');
      const { taskId: _, ...rest } = without(project, '2', '4');
      expect(await api.read(byId(project.id))).toEqual(rest);
    });

    test('the project’s own task exists even if no segment has its taskId', async () => {
      const project = await api.create(smallProject({ taskId: 'own', segments: [{ content: 'x', taskId: 'other' }] }));
      expect((await api.read(`${byId(project.id)}?taskId=own`)).segments).toEqual([]);
      await deleteTask(project, 'own');
      const { taskId: _, ...rest } = project;
      expect(await api.read(byId(project.id))).toEqual(rest);
      expectProblem(await api.get(`${byId(project.id)}?taskId=own`), 'task-not-found');
    });

    test('in a project without a taskId, a segment without one belongs to no task', async () => {
      const project = await create(null);
      for (const taskId of ['one', 'two', 'own']) await deleteTask(project, taskId);
      expect(await api.read(byId(project.id))).toEqual(without(project, '1', '3', '4', '5'));
    });

    test('a project without segments is valid, and can be deleted', async () => {
      const project = await create('own');
      for (const taskId of ['one', 'two', 'own']) await deleteTask(project, taskId);
      expect((await api.read(byId(project.id))).segments).toEqual([]);
      expect((await api.delete(byId(project.id))).status).toBe(204);
      expectProblem(await api.get(byId(project.id)), 'project-not-found');
    });

    test('task ids are compared exactly', async () => {
      const ids = [
        'a',
        'A',
        ' a',
        'a ',
        'a\u0000',
        'a\u200b',
        'e\u0301',
        '\u00e9',
        'a+b',
        'a b',
        'a%20b',
        '%',
        'a&taskId=b',
      ];
      const project = await api.create(
        smallProject({ segments: ids.map((taskId) => ({ content: JSON.stringify(taskId), taskId })) }),
      );
      const left = project.segments.slice();
      for (const taskId of ids) {
        await deleteTask(project, taskId);
        left.shift();
        expect((await api.read(byId(project.id))).segments).toEqual(left);
      }
    });
  });
}
