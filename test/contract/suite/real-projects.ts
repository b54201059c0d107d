import { afterAll, describe, expect, test } from 'vitest';
import { asObjects, type JsonObject, REAL_PROJECTS, realProject, startingNow } from '../../support/projects.ts';
import type { ProjectAnswer } from '../answers.ts';
import { type Api, byCustomId, byId } from '../api.ts';
import { expectEcho } from '../echo.ts';
import { expectProblem } from '../problems.ts';
import { expectGone } from './states.ts';

const GZIP = { headers: { 'accept-encoding': 'gzip' } };

/** The whole life of each project of `test/data`, one step a test. */
export function realProjects(api: Api): void {
  for (const name of REAL_PROJECTS) {
    describe(`A real project: ${name}`, () => {
      let sent = withSomeTask(realProject(name));
      const customId = `${sent['customId']}`;
      const taskId = `${asObjects(sent['segments']).find((segment) => segment['taskId'])?.['taskId']}`;
      let project: ProjectAnswer;
      afterAll(() => api.cleanUp());

      test('is created', async () => {
        sent = startingNow(sent);
        project = await api.create(sent, GZIP);
        expectEcho(project, sent);
      });

      test('is read back by id and by custom id, equal to what was sent in every field and byte of content', async () => {
        for (const path of [byId(project.id), byCustomId(customId)]) {
          const got = await api.read(path, GZIP);
          expectEcho(got, sent);
          expect(got.id).toBe(project.id);
        }
      });

      test('its custom id is in use', async () => {
        expectProblem(await api.post(startingNow(sent), '', GZIP), 'custom-id-in-use');
      });

      test('loses one task and keeps the rest byte for byte', async () => {
        const { status } = await api.delete(`${byCustomId(customId)}?taskId=${encodeURIComponent(taskId)}`);
        expect(status).toBe(204);
        const left = withoutTask(sent, taskId);
        for (const path of [byId(project.id), byCustomId(customId)]) {
          const got = await api.read(path, GZIP);
          expectEcho(got, left);
          const kept = new Map(project.segments.map(({ id, content }) => [id, content]));
          expect(got.segments.every(({ id, content }) => kept.get(id) === content)).toBe(true);
        }
      });

      test('is deleted, and gone by every route', async () => {
        expect((await api.delete(byId(project.id))).status).toBe(204);
        await expectGone(api, project.id, customId, taskId);
      });

      test('its custom id can be used again', async () => {
        const again = startingNow(sent);
        expectEcho(await api.create(again, GZIP), again);
      });
    });
  }
}

/** The project itself, or where no segment of it belongs to a task, with one made of every third. */
function withSomeTask(project: JsonObject): JsonObject {
  const segments = asObjects(project['segments']);
  if (segments.some(({ taskId }) => taskId)) return project;
  return {
    ...project,
    segments: segments.map((segment, n) => (n % 3 === 0 ? { ...segment, taskId: 'third' } : segment)),
  };
}

/** A project without one of its tasks; where the task is its own, without its `taskId` too. */
function withoutTask(project: JsonObject, taskId: string): JsonObject {
  const own = project['taskId'] ?? null;
  return {
    ...project,
    taskId: own === taskId ? null : own,
    segments: asObjects(project['segments']).filter((segment) => (segment['taskId'] ?? own) !== taskId),
  };
}
