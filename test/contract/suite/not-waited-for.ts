import { afterEach, describe, expect, test } from 'vitest';
import { asObjects, realProject, segments, smallProject, uniqueId } from '../../support/projects.ts';
import { operationAnswer, type ProjectAnswer, startedAnswer } from '../answers.ts';
import { type Answer, type Api, byCustomId, byId, operationPath } from '../api.ts';
import { expectInvalid, expectProblem } from '../problems.ts';
import { createOnce, expectReplayed, expectReplayOf, newKey, postOnce, withKey } from './once.ts';

const ASYNC = { prefer: 'respond-async' };

/**
 * Tests `Prefer: respond-async` and `GET /operations/{id}`: "Operations" and "Creating exactly once" of `decisions.md`.
 */
export function notWaitedFor(api: Api): void {
  const made: number[] = [];
  const cleanUp = async () => {
    for (const id of made.splice(0)) await api.delete(byId(id));
    await api.cleanUp();
  };

  /** Returns the project of an accepted create, from the operation that the answer's `Location` names. */
  async function projectOf(answer: Answer, options = {}): Promise<ProjectAnswer> {
    const { operationId } = expectStarted(api, answer);
    const asked = await api.get(operationPath(operationId), options);
    expect(asked.status, asked.text.slice(0, 2_000)).toBe(200);
    const { project, ...rest } = operationAnswer.parse(JSON.parse(asked.text));
    expect(rest).toEqual({ operationId, status: 'done' });
    expect(asked.headers['retry-after']).toBeUndefined();
    if (!project) throw new Error('The operation has no project');
    made.push(project.id);
    return project;
  }

  describe('Creating exactly once: Prefer: respond-async', () => {
    afterEach(cleanUp);

    test('returns 202 with the Location of an operation, which returns the project', async () => {
      const customId = uniqueId();
      const answer = await api.post(smallProject({ customId }), '', { headers: ASYNC });
      const project = await projectOf(answer);
      expect(project).toEqual(await api.read(byCustomId(customId)));
      expectReplayed(answer, false);
    });

    test('counts every request without a key as new', async () => {
      const project = smallProject();
      const ids = [];
      for (let n = 0; n < 2; n++) ids.push((await projectOf(await api.post(project, '', { headers: ASYNC }))).id);
      expect(new Set(ids).size).toBe(2);
    });

    test('is not compared when a key is used again', async () => {
      const key = newKey();
      const project = smallProject();
      const first = await api.post(project, '', withKey(key, ASYNC));
      const { id } = await projectOf(first);
      await expectReplayOf(api, await postOnce(api, project, key), id);
      const again = await api.post(project, '', withKey(key, ASYNC));
      expectReplayed(again);
      expect(again.text).toBe(first.text);
      const other = newKey();
      const created = await createOnce(api, project, other);
      expect((await projectOf(await api.post(project, '', withKey(other, ASYNC)))).id).toBe(created.id);
    });

    test('reports a refusal at once, and creates nothing', async () => {
      const customId = uniqueId();
      const project = smallProject({ customId });
      expectInvalid(await api.post({ ...project, name: null }, '', { headers: ASYNC }), ['/name']);
      const old = { ...project, startDateUtc: '2020-01-01T00:00:00Z' };
      expectInvalid(await api.post(old, '', { headers: ASYNC }), ['/startDateUtc', 'start-not-now']);
      await api.create(project);
      expectProblem(await api.post(project, '', { headers: ASYNC }), 'custom-id-in-use');
    });

    test('is ignored with validateOnly', async () => {
      const customId = uniqueId();
      const checked = await api.post(smallProject({ customId }), '?validateOnly=true', { headers: ASYNC });
      expect(checked.status, checked.text).toBe(200);
      for (const name of ['location', 'preference-applied']) expect(checked.headers[name]).toBeUndefined();
      expectProblem(await api.get(byCustomId(customId)), 'project-not-found');
    });
  });

  describe('Operations: Operation', () => {
    afterEach(cleanUp);

    test('returns the current state of the project', async () => {
      const sent = smallProject({ segments: [...segments(2, { taskId: 'a' }), ...segments(1)] });
      const started = await api.post(sent, '', { headers: ASYNC });
      const { id } = await projectOf(started);
      await api.delete(`${byId(id)}?taskId=a`);
      const left = await projectOf(started);
      expect(left.segments).toHaveLength(1);
      expect(left).toEqual(await api.read(byId(id)));
    });

    test('is done with the problem project-deleted if the project was deleted since', async () => {
      const started = await api.post(smallProject(), '', { headers: ASYNC });
      const { id } = await projectOf(started);
      await api.delete(byId(id));
      const asked = await api.get(operationPath(expectStarted(api, started).operationId));
      expect(asked.status).toBe(200);
      const { status, problem, project } = operationAnswer.parse(JSON.parse(asked.text));
      expect({ status, project }).toEqual({ status: 'done', project: undefined });
      expect(problem).toMatchObject({
        type: `${api.target.url}/problems/project-deleted`,
        status: 410,
        outcome: 'applied',
        instance: asked.headers['x-request-id'],
      });
    });

    test('returns a large project with the same text as GET', async () => {
      const gzip = { headers: { 'accept-encoding': 'gzip' } };
      const headers = { ...ASYNC, ...gzip.headers };
      const project = realProject('cldr-large');
      // Languages in preparation are not translated, so the project does not change meanwhile.
      const targetLanguages = asObjects(project['targetLanguages']).map((each) => ({
        ...each,
        state: 'InPreparation',
      }));
      const started = await api.post({ ...project, targetLanguages }, '', { headers });
      const { id } = await projectOf(started, gzip);
      const asked = await api.get(operationPath(expectStarted(api, started).operationId), gzip);
      expect(asked.text.endsWith(`"project":${(await api.get(byId(id), gzip)).text}}`)).toBe(true);
    });
  });
}

/** Expects the answer to name the operation, and to confirm `Prefer: respond-async`. */
function expectStarted({ target }: Api, answer: Answer) {
  expect(answer.status, answer.text.slice(0, 2_000)).toBe(202);
  const started = startedAnswer.parse(JSON.parse(answer.text));
  expect(started.status).toBe('done');
  expect(answer.headers.location).toBe(target.url + operationPath(started.operationId));
  expect(answer.headers['preference-applied']).toBe('respond-async');
  return started;
}
