import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import * as arbitrary from '../support/arbitraries.ts';
import { smallProject } from '../support/projects.ts';
import type { ProjectAnswer } from './answers.ts';
import { Api, byCustomId, byId, type Target } from './api.ts';
import { expectEcho } from './echo.ts';
import { expectInvalid, expectProblem } from './problems.ts';
import { spoiled, spots } from './spoiling.ts';

/** How long a property may take on a busy machine. */
const TIMEOUT_MS = 120_000;

/** What holds of anything that can be sent. Each failure names the seed with which it comes again. */
export function properties(target: Target): void {
  const api = new Api(target);

  describe('Properties', { timeout: TIMEOUT_MS }, () => {
    afterAll(() => api.cleanUp());

    test('any body made from the schema is accepted and comes back', async () => {
      await fc.assert(
        fc.asyncProperty(arbitrary.project(), async (sent) => {
          const created = await api.create(sent);
          expectEcho(created, sent);
          expect(await api.read(byId(created.id))).toEqual(created);
          await api.cleanUp();
        }),
        { numRuns: 150 },
      );
    });

    test('any one field spoiled is refused at its pointer and nothing else', async () => {
      await fc.assert(
        fc.asyncProperty(arbitrary.project(), fc.nat(), async (sent, choice) => {
          const all = spots(sent);
          const spot = all[choice % all.length];
          if (spot) expectInvalid(await api.post(spoiled(sent, spot)), [spot.pointer, ...spot.codes]);
        }),
        { numRuns: 400 },
      );
    });

    test('any query string on DELETE never deletes more than a named task', async () => {
      let known: ProjectAnswer | undefined;
      await fc.assert(
        fc.asyncProperty(query(), async (text) => {
          // A failure may leave no project: the next try, which looks for a smaller query, has to have a whole one.
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
        { numRuns: 300 },
      );
    });

    test('no two custom ids ever reach each other’s project', async () => {
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
        { numRuns: 60 },
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

/** Pieces of which queries that mean or nearly mean a task are made. */
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

/** A query of at least one parameter: with none, the request means the project. */
const query = () =>
  fc
    .oneof(
      fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join('')),
      fc.string({ unit: fc.constantFrom(...'abcdtskIT=&%+;?/0123456789._~!$()*,:@'), minLength: 1, maxLength: 20 }),
      fc.constantFrom('a', 'b', 'own', 'a+b', 'a%20b', '%26', '%C3%BC').map((taskId) => `taskId=${taskId}`),
    )
    .filter((text) => /[^&;]/.test(text));

/** The task that a query names, by the rules of forms, old ones too: `;` may separate. It has to name nothing else. */
function onlyTaskNamedBy(text: string): string {
  const parameters = [...new URLSearchParams(text.replaceAll(';', '&'))];
  expect(parameters).toEqual([['taskId', expect.any(String)]]);
  return parameters[0]?.[1] ?? '';
}

function withoutTask(project: ProjectAnswer, taskId: string): ProjectAnswer {
  const { taskId: own, ...rest } = project;
  const segments = project.segments.filter((segment) => (segment.taskId ?? own) !== taskId);
  // A project that names its task keeps the name until that very task is deleted.
  return { ...rest, segments, ...(own !== undefined && own !== taskId && { taskId: own }) };
}

/** Custom ids of what paths are made of, so that near ones are frequent. */
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
