import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { nowUtc, segments, smallProject, target, uniqueId } from '../../support/projects.ts';
import { type ProjectAnswer, receiptAnswer } from '../answers.ts';
import { type Answer, type Api, byCustomId, byId, projectIn } from '../api.ts';
import { expectProblem, type TestedProblem } from '../problems.ts';
import { newKey } from './once.ts';

const REPRESENTATION = { prefer: 'return=representation' };

/** Queries that name no task. They are refused for every project. */
const REFUSED: Readonly<Partial<Record<TestedProblem, readonly string[]>>> = {
  'invalid-parameter': [
    ...[
      'taskId',
      'taskId=',
      'taskId=%20',
      'taskId=+',
      'taskId=%09%0A',
      'taskId=%00',
      'taskId=%E2%80%8B',
      'taskId=%C2%A0',
    ],
    ...['taskId=%FF', 'taskId=%ED%A0%80', 'taskId=a%C3', 'taskId=%C0%80'],
    ...['taskId=a&taskId=b', 'taskId=a&taskId=a', 'taskId=a&taskId=', 'taskId&taskId=a', 'taskId=a&%74askId=a'],
    `taskId=${'a'.repeat(1_001)}`,
  ],
  'unknown-parameter': [
    ...['taskid=a', 'task_id=a', 'TaskId=a', 'TASKID=a', 'task-id=a', 'task=a', 'tasks=a', 'id=a', 'taskIds=a'],
    ...['taskId%20=a', '%20taskId=a', '+taskId=a', 'taskId[]=a', 'taskId[0]=a', 'taskId%00=a', 'taskId;=a', '=a', '='],
    ...['taskId=a&x=1', 'x=1&taskId=a', 'taskId=a&taskid=a', 'validateOnly=true', 'taskId=a&force=true', '%3FtaskId=a'],
    ...[
      '?taskId=a',
      'taskId%3Da',
      'amp;taskId=a',
      '__proto__=a',
      'constructor',
      't%C4%B1skId=a',
      'limit=1',
      'cursor=a',
    ],
  ],
};

/** The conditional headers that a delete refuses, with example values. */
const CONDITIONS = {
  'if-match': ['*', '"abc"', 'W/"abc"', '', '"a", "b"', ['"a"', '"b"']],
  'if-none-match': ['*', '"abc"', ''],
  'if-modified-since': ['Thu, 01 Jan 2026 00:00:00 GMT', 'x', ''],
  'if-unmodified-since': ['Thu, 01 Jan 2026 00:00:00 GMT', 'x', ''],
} as const satisfies Readonly<Record<string, readonly (string | readonly string[])[]>>;

/** Tests "Deleting never widens" of `decisions.md`. */
export function deleting(api: Api): void {
  const paths = {
    'by id': ({ id }: ProjectAnswer) => byId(id),
    'by custom id': ({ customId = '' }: ProjectAnswer) => byCustomId(customId),
  };
  const create = () =>
    api.create(
      smallProject({
        customId: uniqueId(),
        taskId: 'own',
        targetLanguages: [target(), { targetLanguageCode: 'ja' }],
        segments: [...segments(2, { taskId: 'a' }), ...segments(1, { taskId: 'b' }), ...segments(3)],
      }),
    );

  for (const [how, pathOf] of Object.entries(paths)) {
    describe(`Deleting never widens: ${how}`, () => {
      let project: ProjectAnswer;
      beforeAll(async () => {
        project = await create();
      });
      afterAll(() => api.cleanUp());
      // Each test here sends only refused requests, so nothing may be missing.
      afterEach(async () => {
        const [before, answer] = [project, await api.get(byId(project.id))];
        // The next test needs a complete project, even if this test failed.
        if (answer.text !== JSON.stringify(before)) project = await create();
        expect(projectIn(answer, 200)).toEqual(before);
      });

      for (const [type, queries] of Object.entries(REFUSED) as [TestedProblem, string[]][]) {
        for (const query of queries) {
          test(`is 400 ${type} and deletes nothing: ?${query.slice(0, 40)}`, async () => {
            expectProblem(await api.delete(`${pathOf(project)}?${query}`), type);
          });
        }
      }

      test('is 400 and deletes nothing for ill-formed escapes', async () => {
        for (const query of ['taskId=%', 'taskId=%zz', 'taskId=a%2']) {
          expect((await api.delete(`${pathOf(project)}?${query}`)).status).toBe(400);
        }
      });

      for (const body of ['{"taskId":"a"}', '{}', 'x', ' ', 'null']) {
        test(`is 400 unexpected-body with a body: ${JSON.stringify(body)}`, async () => {
          for (const query of ['', '?taskId=a']) {
            for (const type of ['application/json', 'text/plain', null]) {
              const answer = await api.delete(pathOf(project) + query, { body, headers: { 'content-type': type } });
              expectProblem(answer, 'unexpected-body');
            }
          }
        });
      }

      for (const [name, values] of Object.entries(CONDITIONS)) {
        test(`is 400 invalid-header with ${name}, of any value, with a key or a task, and deletes nothing`, async () => {
          for (const value of values) {
            for (const query of ['', '?taskId=a']) {
              const headers = { [name]: value, 'idempotency-key': newKey() };
              const answer = await api.delete(pathOf(project) + query, { headers });
              const { detail, errors } = expectProblem(answer, 'invalid-header');
              expect(detail.toLowerCase()).toContain(name);
              expect(errors).toMatchObject([{ pointer: `/headers/${name}`, code: 'invalid-header' }]);
            }
          }
        });

        test(`refuses ${name} before it looks for the project`, async () => {
          const headers = { [name]: values[0] };
          expectProblem(await api.delete(byCustomId(uniqueId()), { headers }), 'invalid-header');
        });
      }

      test('reports all conditional headers at once', async () => {
        const headers = { 'if-match': '*', 'if-none-match': '"a"' };
        const { errors } = expectProblem(await api.delete(pathOf(project), { headers }), 'invalid-header');
        expect(errors?.map(({ pointer }) => pointer)).toEqual(['/headers/if-match', '/headers/if-none-match']);
      });

      test('is 404 task-not-found for an unknown task of an existing project, and deletes nothing', async () => {
        for (const taskId of ['c', 'A', 'a%20', 'aa', '1', 'undefined', 'null', '*', '%25', 'a,b', "'%20OR%201=1--"]) {
          expectProblem(await api.delete(`${pathOf(project)}?taskId=${taskId}`), 'task-not-found');
        }
      });

      test('finds neither a task nor the project by a longer path', async () => {
        const path = pathOf(project);
        for (const other of [`${path}/tasks/a`, `${path}/a`, `${path}/taskId=a`, `${path}//`]) {
          expectProblem(await api.delete(other), 'route-not-found');
        }
        expect((await api.delete(`${path}/`)).status).toBe(404);
      });
    });

    describe(`Operations: Delete ${how === 'by id' ? 'project or task' : 'by custom id'}`, () => {
      afterEach(() => api.cleanUp());

      test('returns 204 for a task, then for the project', async () => {
        const project = await create();
        expect((await api.delete(`${pathOf(project)}?taskId=a`)).status).toBe(204);
        expect((await api.delete(pathOf(project))).status).toBe(204);
      });

      test('returns 200 and the receipt of a task with Prefer: return=representation', async () => {
        const project = await create();
        const answer = await api.delete(`${pathOf(project)}?taskId=a`, { headers: REPRESENTATION });
        expectReceipt(api, answer, {
          scope: 'task',
          projectId: project.id,
          customId: project.customId,
          taskId: 'a',
          outcome: 'deleted',
          removed: { targetLanguages: 0, segments: 2, tasks: 1 },
        });
      });

      test('returns 200 and the receipt of a project with Prefer: return=representation', async () => {
        const project = await create();
        expectReceipt(api, await api.delete(pathOf(project), { headers: REPRESENTATION }), {
          scope: 'project',
          projectId: project.id,
          customId: project.customId,
          taskId: null,
          outcome: 'deleted',
          removed: { targetLanguages: 2, segments: 6, tasks: 3 },
        });
      });

      test('ignores any other Prefer', async () => {
        for (const prefer of ['return=minimal', 'handling=strict', 'x']) {
          expect((await api.delete(pathOf(await create()), { headers: { prefer } })).status).toBe(204);
        }
      });
    });
  }

  describe('Deleting never widens', () => {
    afterEach(() => api.cleanUp());

    test('the receipt has customId null for a project without one, and counts the project’s own task', async () => {
      const { id } = await api.create(smallProject({ taskId: 'own', segments: [{ content: 'x', taskId: 'a' }] }));
      const common = { projectId: id, customId: null, outcome: 'deleted' };
      expectReceipt(api, await api.delete(`${byId(id)}?taskId=own`, { headers: REPRESENTATION }), {
        ...common,
        scope: 'task',
        taskId: 'own',
        removed: { targetLanguages: 0, segments: 0, tasks: 1 },
      });
      expectReceipt(api, await api.delete(byId(id), { headers: REPRESENTATION }), {
        ...common,
        scope: 'project',
        taskId: null,
        removed: { targetLanguages: 1, segments: 1, tasks: 1 },
      });
    });

    test('once the answer arrives, no route returns anything of the deleted project', async () => {
      const { id, customId = '' } = await create();
      expect((await api.delete(byId(id))).status).toBe(204);
      await expectGone(api, id, customId, 'a');
    });

    test('a second delete is 404 project-not-found, or task-not-found for a task', async () => {
      const { id, customId = '' } = await create();
      await api.delete(`${byId(id)}?taskId=a`);
      expectProblem(await api.delete(`${byCustomId(customId)}?taskId=a`), 'task-not-found');
      await api.delete(byCustomId(customId));
      expectProblem(await api.delete(byId(id)), 'project-not-found');
      expectProblem(await api.delete(byCustomId(customId)), 'project-not-found');
    });

    test('deleting a project changes no other project', async () => {
      const [first, second] = [await create(), await create()];
      await api.delete(byId(first.id));
      expect(await api.read(byId(second.id))).toEqual(second);
    });

    test('of many deletes at once, one succeeds', async () => {
      const { id } = await create();
      const answers = await Promise.all(Array.from({ length: 8 }, () => api.delete(byId(id))));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(404)]);
    });

    test('a deleted id is never given to another project', async () => {
      const { id } = await create();
      await api.delete(byId(id));
      expect((await create()).id).not.toBe(id);
    });
  });
}

function expectReceipt(api: Api, answer: Answer, expected: object): void {
  expect(answer.status, answer.text).toBe(200);
  const read = receiptAnswer.parse(JSON.parse(answer.text));
  const { deletedAtUtc, unrecoverableAfterUtc: _, requestedBy, ...receipt } = read;
  expect(requestedBy).toEqual(api.target.requestedBy ?? { kind: 'key', id: expect.stringMatching(/^[\w-]+$/) });
  expect(receipt).toEqual(expected);
  expect(Math.abs(Date.parse(deletedAtUtc) - Date.parse(nowUtc()))).toBeLessThan(300_000);
}

/** Expects that no route leads to the project. */
export async function expectGone(api: Api, id: number, customId: string, taskId: string): Promise<void> {
  for (const path of [byId(id), byCustomId(customId)]) {
    for (const query of ['', `?taskId=${encodeURIComponent(taskId)}`]) {
      expectProblem(await api.get(path + query), 'project-not-found');
      expectProblem(await api.delete(path + query), 'project-not-found');
    }
  }
  expect((await api.list()).filter((project) => project.id === id || project.customId === customId)).toEqual([]);
}
