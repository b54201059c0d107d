import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import * as arbitrary from '../support/arbitraries.ts';
import { smallProject } from '../support/projects.ts';
import type { ProjectAnswer } from './answers.ts';
import { Api, byCustomId, byId, type Target } from './api.ts';
import { expectEcho, withoutProgress } from './echo.ts';
import { expectInvalid, expectProblem } from './problems.ts';
import { spoiled, spots } from './spoiling.ts';

/** The time limit of a property on a busy machine, in milliseconds. */
const TIMEOUT_MS = 120_000;

/** Defines the properties of every possible request. A failure prints the seed that repeats it. */
export function properties(target: Target): void {
  const api = new Api(target);

  describe('Properties', { timeout: TIMEOUT_MS }, () => {
    afterAll(() => api.cleanUp());

    test('a valid body is accepted and returned as it was sent', async () => {
      await fc.assert(
        fc.asyncProperty(arbitrary.project(), async (sent) => {
          const created = await api.create(sent);
          expectEcho(created, sent);
          expect(withoutProgress(await api.read(byId(created.id)))).toEqual(withoutProgress(created));
          await api.cleanUp();
        }),
        { numRuns: 50 },
      );
    });

    test('a body with one spoiled field is refused with one fault, at that field’s pointer', async () => {
      await fc.assert(
        fc.asyncProperty(arbitrary.project(), fc.nat(), async (sent, choice) => {
          const all = spots(sent);
          const spot = all[choice % all.length];
          if (spot) expectInvalid(await api.post(spoiled(sent, spot)), [spot.pointer, ...spot.codes]);
        }),
        { numRuns: 150 },
      );
    });

    test('a DELETE with any query string deletes at most a named task', async () => {
      let known: ProjectAnswer | undefined;
      await fc.assert(
        fc.asyncProperty(query(), async (text) => {
          // A failed attempt may have deleted the project. The next attempt, with a smaller query, needs a complete
          // one.
          const project = known ?? (await taskedProject(api));
          known = undefined;
          const { status } = await api.delete(`${byId(project.id)}?${text}`);
          const got = await api.read(byId(project.id));
          if (status === 204) expect(got).toEqual(withoutTask(project, onlyTaskNamedBy(text)));
          else {
            expect(status).toBeOneOf([400, 404]);
            expect(got).toEqual(project);
            known = project;
          }
        }),
        { numRuns: 100 },
      );
    });

    test('two different custom ids never reach the same project', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(pathLikeId(), { minLength: 2, maxLength: 5 }), async (customIds) => {
          const made = new Map<string, number>();
          for (const customId of customIds) made.set(customId, (await api.create(smallProject({ customId }))).id);
          for (const [customId, id] of made) {
            expect(await api.read(byCustomId(customId))).toMatchObject({ id, customId });
            expect((await api.delete(byCustomId(customId))).status).toBe(204);
            expectProblem(await api.get(byCustomId(customId)), 'project-not-found');
            expectProblem(await api.get(byId(id)), 'project-not-found');
          }
        }),
        { numRuns: 20 },
      );
    });
  });
}

function taskedProject(api: Api): Promise<ProjectAnswer> {
  const tasks = ['a', 'b', 'a b', 'ü', '&', undefined];
  return api.create(
    smallProject({ taskId: 'own', segments: tasks.map((taskId) => ({ content: 'x', taskId: taskId ?? null })) }),
  );
}

/** Parts of queries that name a task, or nearly do. */
const PIECES = [
  ...[
    'taskId',
    'taskId=',
    '%74askId',
    'TaskId',
    'taskid',
    'x',
    'limit',
    'validateOnly=true',
    '[]',
    'own',
    'a',
    'b',
    '%c3%bc',
  ],
  ...[
    '=',
    '=',
    '&',
    '&',
    '&',
    ';',
    '+',
    '?',
    '/',
    '%',
    '%20',
    '%26',
    '%3D',
    '%00',
    '%C3%BC',
    '%FF',
    '%2B',
    '%2526',
    '..',
  ],
];

/** Returns a query with at least one parameter. A DELETE without a query means the whole project. */
const query = () =>
  fc
    .oneof(
      fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join('')),
      fc.string({ unit: fc.constantFrom(...'abcdtskIT=&%+;?/0123456789._~!$()*,:@'), minLength: 1, maxLength: 20 }),
      fc.constantFrom('a', 'b', 'own', 'a+b', 'a%20b', '%26', '%C3%BC').map((taskId) => `taskId=${taskId}`),
    )
    .filter((text) => /[^&;]/.test(text));

/**
 * Returns the task that a query names, by the rules of HTML forms; old forms also separate with `;`.
 * Returns `undefined` if the query has anything else.
 */
function onlyTaskNamedBy(text: string): string {
  const parameters = [...new URLSearchParams(text.replaceAll(';', '&'))];
  expect(parameters).toEqual([['taskId', expect.any(String)]]);
  return parameters[0]?.[1] ?? '';
}

function withoutTask(project: ProjectAnswer, taskId: string): ProjectAnswer {
  const { taskId: own, ...rest } = project;
  const segments = project.segments.filter((segment) => (segment.taskId ?? own) !== taskId);
  // A project keeps its own `taskId` until that task is deleted.
  return { ...rest, segments, ...(own !== undefined && own !== taskId && { taskId: own }) };
}

/** Returns custom ids from characters that matter in paths, so that similar ids are frequent. */
const pathLikeId = () =>
  fc.oneof(
    fc
      .array(
        fc.constantFrom(
          ...[
            'a',
            'b',
            '/',
            '%',
            '%2F',
            '%2f',
            '%252F',
            '25',
            '2F',
            ' ',
            '+',
            '%20',
            '.',
            '..',
            '\\',
            '?',
            '#',
            '&',
            ';',
          ],
          ...['é', 'e\u0301', '人', '😀', 'ш', 'ש', '\u0000', '\ufeff', '\ufffd', 'custom', '1'],
        ),
        { minLength: 1, maxLength: 6 },
      )
      .map((pieces) => pieces.join(''))
      .filter((id) => id !== '.' && id !== '..'),
    arbitrary.customId(),
  );
