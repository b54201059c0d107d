import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { operationIdOf } from '../../../lib/service/port.ts';
import { smallProject, target, uniqueId } from '../../support/projects.ts';
import { operationAnswer, type ProjectAnswer, targetLanguage } from '../answers.ts';
import { type Answer, type Api, byId, type Options, operationPath, PROJECTS } from '../api.ts';
import { expectProblem } from '../problems.ts';
import { expectReplayed, newKey, PATHS, withKey } from './once.ts';

const PREPARING = { state: 'InPreparation' };
const WORKING = { state: 'InProgress' };

/** Tests "Change a target language" of "Getting work done" in `decisions.md`. */
export function changingLanguages(api: Api): void {
  const change = (path: string, code: string, body: unknown, options?: Options) =>
    api.patch(`${path}/languages/${encodeURIComponent(code)}`, body, options);

  describe('Getting work done: requests that change a target language', () => {
    test('everything but the state is refused, with its pointer', async () => {
      const rows = [
        [{}, ['/state', 'required']],
        [{ state: 'Completed' }, ['/state', 'not-allowed']],
        [{ ...WORKING, serviceTranslation: true }, ['/serviceTranslation', 'unknown-field']],
        [{ ...WORKING, progress: 5 }, ['/progress', 'service-field']],
        ['InProgress', ['', 'wrong-type']],
      ] as const;
      for (const [body, fault] of rows) {
        expectProblem(await change(byId(1), 'de-DE', body), 'invalid-language-change', [fault]);
      }
    });

    test('the project in the path is checked before the language', async () => {
      for (const path of [byId('none'), `${PROJECTS}/custom/%FF`]) {
        expectProblem(await api.patch(`${path}/languages/%FF`, WORKING), 'project-not-found');
      }
      for (const bytes of ['%FF', '%ED%A0%80', '%E4%BA']) {
        expectProblem(await api.patch(`${byId(1)}/languages/${bytes}`, WORKING), 'language-not-found');
      }
    });
  });

  if (!api.target.writesTranslations) {
    test('Getting work done: a service that cannot change languages says so', async () => {
      expectProblem(await change(byId(1), 'de-DE', WORKING, withKey(newKey())), 'not-supported');
    });
    return;
  }

  describe('Getting work done: the state of a target language', () => {
    let project: ProjectAnswer;
    beforeEach(async () => {
      const targetLanguages = [target({ ...PREPARING, referenceNumber: 'R-1' }), { targetLanguageId: 1172 }];
      project = await api.create(smallProject({ customId: uniqueId(), targetLanguages }));
    });
    afterAll(() => api.cleanUp());

    const changed = (answer: Answer) => {
      expect(answer.status, answer.text.slice(0, 500)).toBe(200);
      return targetLanguage.parse(JSON.parse(answer.text));
    };
    const states = async () => (await api.read(byId(project.id))).targetLanguages.map(({ state }) => state);

    for (const [how, pathOf] of Object.entries(PATHS)) {
      test(`is changed alone, and returned as GET shows it: project ${how}`, async () => {
        const answer = changed(await change(pathOf(project), 'de-DE', WORKING));
        expect(answer).toEqual({ ...project.targetLanguages[0], ...WORKING });
        expect(await states()).toEqual(['InProgress', 'InProgress']);
        expect((await api.read(byId(project.id))).targetLanguages[0]).toEqual(answer);
      });
    }

    test('is found by any form of the code, also if the project names the language by its id', async () => {
      for (const code of ['fr', 'FR', 'fra', 'fre']) {
        expect(changed(await change(byId(project.id), code, PREPARING)).targetLanguageId).toBe(1172);
      }
      changed(await change(byId(project.id), 'DE_de', WORKING));
      expect(await states()).toEqual(['InProgress', 'InPreparation']);
    });

    test('may be set to what it is', async () => {
      changed(await change(byId(project.id), 'de-DE', PREPARING));
      expect(await states()).toEqual(['InPreparation', 'InProgress']);
    });

    test('cannot be changed for a language that the project lacks, or without the project', async () => {
      for (const code of ['de', 'ja', 'xx', ' ', 'de-DE/x']) {
        expectProblem(await change(byId(project.id), code, WORKING), 'language-not-found');
      }
      await api.delete(byId(project.id));
      for (const pathOf of Object.values(PATHS)) {
        const problem = expectProblem(await change(pathOf(project), 'de-DE', WORKING), 'project-not-found');
        expect(problem.deletedAtUtc).toBeDefined();
      }
    });

    test('is not changed again by a retry with the same key', async () => {
      const key = newKey();
      expectReplayed(await change(byId(project.id), 'de-DE', WORKING, withKey(key)), false);
      await change(byId(project.id), 'de-DE', PREPARING);
      const again = await change(byId(project.id), 'de-DE', WORKING, withKey(key));
      expectReplayed(again);
      expect(changed(again).state).toBe('InPreparation');
      const reused = await change(byId(project.id), 'de-DE', PREPARING, withKey(key));
      expect(expectProblem(reused, 'idempotency-key-reused').detail).toMatch(/another change of a language/);
      const operation = await api.get(operationPath(operationIdOf(key)));
      expect(operationAnswer.parse(JSON.parse(operation.text))).toMatchObject({
        status: 'done',
        language: { state: 'InPreparation' },
      });
      await api.delete(byId(project.id));
      expectProblem(await change(byId(project.id), 'de-DE', WORKING, withKey(key)), 'project-deleted');
    });
  });
}
