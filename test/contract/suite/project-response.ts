import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JsonObject, member, nowUtc, segment, smallProject, target } from '../../support/projects.ts';
import type { ProjectAnswer } from '../answers.ts';
import { type Api, byId } from '../api.ts';
import { expectEcho } from '../echo.ts';
import { valueAt, withValueAt } from '../pointer.ts';
import { expectInvalid, expectProblem } from '../problems.ts';
import { ADDED } from '../tables.ts';

/** Tests "Project (response on create)" of `service.md`, and its rules in "Fields" of `decisions.md`. */
export function projectResponse(api: Api): void {
  describe('Project (response on create)', () => {
    const fields = {
      targetLanguages: [
        target({
          team: [
            member({}, 1),
            member({ isTranslator: true, isProofreader: true }, 2),
            member({ isTranslator: false, isProofreader: true }, 3),
            member({ isTranslator: null, isProjectManager: true }, 4),
          ],
        }),
        { targetLanguageCode: 'ja' },
      ],
      segments: [segment(), segment({ languageSpecificNotes: [{ languageId: 72 }] })],
    };
    let sent: JsonObject;
    let created: ProjectAnswer;
    beforeAll(async () => {
      sent = smallProject(fields);
      created = await api.create(sent);
    });
    afterAll(() => api.cleanUp());

    test('repeats every request field with the sent value, and adds only these fields', () => {
      expectEcho(created, sent);
    });

    test('equals the answer of a read', async () => {
      expect(await api.read(byId(created.id))).toEqual(created);
    });

    for (const { level, pointer, fields } of ADDED) {
      for (const field of fields) {
        test(`${level}: ${field} is always present`, () => {
          expect(valueAt(created, `${pointer}/${field}`)).not.toBeUndefined();
        });
        test(`${level}: ${field} is refused in a request, with a code that says so`, async () => {
          const own = `${pointer}/${field}`;
          expectInvalid(await api.post(withValueAt(smallProject(), own, 5)), [own, 'service-field']);
        });
      }
    }

    test('project: creationDateUtc is the current time, with milliseconds and Z', () => {
      expect(Math.abs(Date.parse(created.creationDateUtc) - Date.parse(nowUtc()))).toBeLessThan(300_000);
    });

    test('project: sourceLanguageId is the numeric id of the source language', () => {
      expect(created.sourceLanguageId).toBe(41);
    });

    test('target language entry: targetLanguageId is the numeric id of the target language', () => {
      expect(created.targetLanguages.map(({ targetLanguageId }) => targetLanguageId)).toEqual([53, 72]);
    });

    test('target language entry: progress is 0 on creation', () => {
      expect(created.targetLanguages.map(({ progress }) => progress)).toEqual([0, 0]);
    });

    test('team member: proofreadedBy is the team’s first proofreader on a translator’s entry, else null', () => {
      expect(created.targetLanguages[0]?.team?.map(({ proofreadedBy }) => proofreadedBy)).toEqual([
        7002,
        7002,
        null,
        null,
      ]);
    });

    test('team member: proofreadedBy is null if the team has no proofreader', async () => {
      const { targetLanguages } = await api.create(smallProject());
      expect(targetLanguages[0]?.team?.[0]?.proofreadedBy).toBeNull();
    });

    test('segment: ids are generated and unique', () => {
      expect(new Set(created.segments.map(({ id }) => id)).size).toBe(created.segments.length);
    });

    test('language note: has languageId, languageCode and note', () => {
      expect(created.segments[1]?.languageSpecificNotes).toEqual([{ languageId: 72, languageCode: 'ja', note: null }]);
    });

    test('an answer that is posted as a project is refused at every added field', async () => {
      const { errors = [] } = expectProblem(await api.post(created), 'invalid-project');
      const faults = errors.map(({ pointer, code }) => `${pointer} ${code}`);
      for (const { pointer, fields } of ADDED) {
        for (const field of fields) expect(faults).toContain(`${pointer}/${field} service-field`);
      }
    });

    test('two projects share no id', async () => {
      const other = await api.create(sent);
      const ids = (project: ProjectAnswer) => [
        [project.id],
        project.targetLanguages.map(({ id }) => id),
        project.segments.map(({ id }) => id),
      ];
      for (const [n, list] of ids(other).entries()) {
        for (const id of list) expect(ids(created)[n]).not.toContain(id);
      }
    });
  });
}
