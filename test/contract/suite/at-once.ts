import { afterEach, describe, expect, test } from 'vitest';
import { type JsonObject, nowUtc, segments, smallProject, uniqueId } from '../../support/projects.ts';
import { receiptAnswer } from '../answers.ts';
import { type Answer, type Api, byCustomId, byId, projectIn } from '../api.ts';
import { expectProblem, type KeyProblem } from '../problems.ts';
import { expectReplayed, expectReplayOf, newKey, PATHS, postOnce, REPRESENTATION, withKey } from './once.ts';

const MANY = 50;

function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

/** A content that keeps the service busy until the other requests arrive, because it hardly compresses. */
const LONG = times(40_000, (n) => ((n * 7_919_003) % 1_000_003).toString(36)).join(' ');

/** Tests the rule "First still running: 409 `request-in-progress`" of "Creating exactly once" in `decisions.md`. */
export function atOnce(api: Api): void {
  describe('Creating exactly once: many requests at once', () => {
    afterEach(() => api.cleanUp());

    for (const [title, fields] of Object.entries<JsonObject>({
      small: {},
      'with a custom id': { customId: uniqueId() },
      long: { segments: [{ content: LONG }] },
    })) {
      test(`${MANY} creates with one key create one project: ${title}`, async () => {
        const key = newKey();
        const project = smallProject({ name: uniqueId(), ...fields });
        const answers = await Promise.all(
          // Each request has a start date of its own, because many clients set it anew for each attempt.
          times(MANY, () => postOnce(api, { ...project, startDateUtc: nowUtc() }, key)),
        );
        const done = expectDoneOnce(answers, 201);
        const { id } = projectIn(done, 201);
        for (const answer of answers) if (answer.status === 201) expect(projectIn(answer, 201).id).toBe(id);
        expect((await api.list()).filter(({ name }) => name === project['name'])).toHaveLength(1);
        await expectReplayOf(api, await postOnce(api, project, key), id);
      });
    }

    test('of several creates with one key and different content, one creates a project', async () => {
      const key = newKey();
      const mark = uniqueId();
      const answers = await Promise.all(
        times(10, (n) =>
          postOnce(api, smallProject({ name: mark, description: `${n}`, segments: [{ content: LONG }] }), key),
        ),
      );
      expectDoneOnce(answers, 201, ['request-in-progress', 'idempotency-key-reused']);
      expect((await api.list()).filter(({ name }) => name === mark)).toHaveLength(1);
    });

    test('creates with different keys do not affect each other', async () => {
      const project = smallProject();
      const created = await Promise.all(times(20, () => postOnce(api, project, newKey())));
      for (const answer of created) expectReplayed(answer, false);
      expect(new Set(created.map((answer) => projectIn(answer, 201).id)).size).toBe(20);
    });

    for (const [how, pathOf] of Object.entries(PATHS)) {
      for (const [what, query, removed] of [
        ['a project', '', { targetLanguages: 1, segments: 3, tasks: 1 }],
        ['a task', '?taskId=a', { targetLanguages: 0, segments: 2, tasks: 1 }],
      ] as const) {
        test(`several deletes of ${what} with one key delete once: ${how}`, async () => {
          const project = await api.create(
            smallProject({ customId: uniqueId(), segments: [...segments(2, { taskId: 'a' }), { content: LONG }] }),
          );
          const [key, path] = [newKey(), pathOf(project) + query];
          const answers = await Promise.all(times(20, () => api.delete(path, withKey(key, REPRESENTATION))));
          const done = expectDoneOnce(answers, 200);
          expect(receiptAnswer.parse(JSON.parse(done.text)).removed).toEqual(removed);
          for (const { status, text } of answers) if (status === 200) expect(text).toBe(done.text);
        });
      }
    }

    test('of a create and a delete with one key, one takes effect', async () => {
      const key = newKey();
      const old = await api.create(smallProject());
      const customId = uniqueId();
      const [created, deleted] = await Promise.all([
        postOnce(api, smallProject({ customId, segments: [{ content: LONG }] }), key),
        api.delete(byId(old.id), withKey(key)),
      ]);
      const isMade = (await api.get(byCustomId(customId))).status === 200;
      const isThere = (await api.get(byId(old.id))).status === 200;
      expect([isMade, isThere]).toEqual([created.status === 201, deleted.status !== 204]);
      expect(isMade).toBe(isThere);
      const refused = isMade ? deleted : created;
      const type = refused.status === 409 ? 'request-in-progress' : 'idempotency-key-reused';
      expectProblem(refused, type);
    });
  });
}

/**
 * Expects that one answer did the work, and that each other answer is its replay or one of the listed refusals.
 * @returns the answer that did the work
 */
function expectDoneOnce(
  answers: readonly Answer[],
  status: 200 | 201,
  others: readonly KeyProblem[] = ['request-in-progress'],
): Answer {
  const done = answers.filter((answer) => answer.status === status && !answer.headers['idempotent-replayed']);
  expect(done).toHaveLength(1);
  for (const answer of answers) {
    if (answer.status === status) continue;
    const type = answer.status === 422 ? 'idempotency-key-reused' : 'request-in-progress';
    expect(others).toContain(type);
    const { retryAfterSeconds } = expectProblem(answer, type);
    if (type === 'request-in-progress') expect(retryAfterSeconds).toBeGreaterThan(0);
  }
  const [first] = done;
  if (!first) throw new Error('Nobody did the work');
  return first;
}
