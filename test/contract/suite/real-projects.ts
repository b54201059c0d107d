import { afterAll, describe, expect, test } from 'vitest';
import { asObjects, type JsonObject, REAL_PROJECTS, realProject, startingNow } from '../../support/projects.ts';
import type { ProjectAnswer } from '../answers.ts';
import { type Api, byCustomId, byId } from '../api.ts';
import { expectEcho } from '../echo.ts';
import { expectProblem } from '../problems.ts';
import { expectGone } from './deleting.ts';

const GZIP = { headers: { 'accept-encoding': 'gzip' } };

/** Tests the life of each project of `test/data`, one step a test. */
export function realProjects(api: Api): void {
  for (const name of REAL_PROJECTS) {
    describe(`A real project: ${name}`, () => {
      let sent = withSomeTask(realProject(name));
      const customId = `${sent['customId']}`;
      const taskId = `${asObjects(sent['segments']).find((segment) => segment['taskId'])?.['taskId']}`;
      let project: ProjectAnswer;
      afterAll(() => api.cleanUp());

      test('can be created', async () => {
        sent = startingNow(sent);
        project = await api.create(sent, GZIP);
        expectEcho(project, sent);
      });

      test('is read back by id and by custom id, equal to the sent project in every field and byte of content', async () => {
        for (const path of [byId(project.id), byCustomId(customId)]) {
          const got = await api.read(path, GZIP);
          expectEcho(got, sent);
          expect(got.id).toBe(project.id);
        }
      });

      test('occupies its custom id', async () => {
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

      test('can be deleted, and is then gone by every route', async () => {
        expect((await api.delete(byId(project.id))).status).toBe(204);
        await expectGone(api, project.id, customId, taskId);
      });

      test('frees its custom id', async () => {
        const again = startingNow(sent);
        expectEcho(await api.create(again, GZIP), again);
      });
    });
  }
}

/** Returns the project. If no segment belongs to a task, every third segment gets one. */
function withSomeTask(project: JsonObject): JsonObject {
  const segments = asObjects(project['segments']);
  if (segments.some(({ taskId }) => taskId)) return project;
  return {
    ...project,
    segments: segments.map((segment, n) => (n % 3 === 0 ? { ...segment, taskId: 'third' } : segment)),
  };
}

/** Returns the project without one of its tasks. If it is the project's own task, its `taskId` is removed too. */
function withoutTask(project: JsonObject, taskId: string): JsonObject {
  const own = project['taskId'] ?? null;
  return {
    ...project,
    taskId: own === taskId ? null : own,
    segments: asObjects(project['segments']).filter((segment) => (segment['taskId'] ?? own) !== taskId),
  };
}
