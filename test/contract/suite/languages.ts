import { afterAll, describe, expect, test } from 'vitest';
import { type JsonObject, segment, smallProject, target } from '../../support/projects.ts';
import { languagesAnswer } from '../answers.ts';
import type { Api } from '../api.ts';
import { type ExpectedFault, expectInvalid, expectProblem } from '../problems.ts';

const TARGET = '/targetLanguages/0';

/** Tests "Language" of "Fields" in `decisions.md`, for source, targets and notes. */
export function languages(api: Api): void {
  const idOf = async (code: string) => {
    const list = languagesAnswer.parse(JSON.parse((await api.get('/integrations/languages')).text));
    return list.find(({ langCode }) => langCode === code)?.id;
  };
  const withSource = (id: number | null, code: string | null) =>
    smallProject({ sourceLanguageId: id, sourceLanguageCode: code, targetLanguages: [{ targetLanguageCode: 'ko' }] });
  const withTarget = (...entries: JsonObject[]) => smallProject({ targetLanguages: entries });
  const withNote = (note: JsonObject) => smallProject({ segments: [segment({ languageSpecificNotes: [note] })] });
  const refuses = async (project: JsonObject, ...faults: ExpectedFault[]) =>
    expectInvalid(await api.post(project), ...faults);

  describe('Fields: language', () => {
    afterAll(() => api.cleanUp());

    test('an id is enough: the answer has no code for source and target, and the catalogue’s code for a note', async () => {
      const created = await api.create(
        smallProject({
          sourceLanguageId: 41,
          sourceLanguageCode: null,
          targetLanguages: [{ targetLanguageId: 53 }],
          segments: [segment({ languageSpecificNotes: [{ languageId: 94 }] })],
        }),
      );
      expect(created.sourceLanguageId).toBe(41);
      expect(created).not.toHaveProperty('sourceLanguageCode');
      expect(created.targetLanguages[0]?.targetLanguageId).toBe(53);
      expect(created.targetLanguages[0]).not.toHaveProperty('targetLanguageCode');
      expect(created.segments[0]?.languageSpecificNotes).toEqual([
        { languageId: 94, languageCode: 'pt-BR', note: null },
      ]);
    });

    test('a code is enough: the answer has the id', async () => {
      const created = await api.create(
        smallProject({
          sourceLanguageId: null,
          sourceLanguageCode: 'en-US',
          targetLanguages: [{ targetLanguageCode: 'zh-Hans' }],
          segments: [segment({ languageSpecificNotes: [{ languageCode: 'fr-CA', note: 'x' }] })],
        }),
      );
      expect(created.sourceLanguageId).toBe(41);
      expect(created.targetLanguages[0]?.targetLanguageId).toBe(32);
      expect(created.segments[0]?.languageSpecificNotes?.[0]?.languageId).toBe(48);
    });

    test('id and code must name the same language', async () => {
      const faults: [JsonObject, string][] = [
        [withSource(41, 'en-GB'), '/sourceLanguage'],
        [withTarget(target({ targetLanguageId: 53, targetLanguageCode: 'ja' })), `${TARGET}/targetLanguage`],
        [withNote({ languageId: 53, languageCode: 'ja' }), '/segments/0/languageSpecificNotes/0/language'],
      ];
      for (const [project, field] of faults) {
        // The documents leave open which of the two fields gets the fault.
        const { errors = [] } = expectProblem(await api.post(project), 'invalid-project');
        expect(errors.map(({ code }) => code)).toEqual(['language-mismatch']);
        expect(errors[0]?.pointer).toBeOneOf([`${field}Id`, `${field}Code`]);
      }
    });

    test('an id or a code is required', async () => {
      await refuses(withSource(null, null), ['/sourceLanguageCode', 'required']);
      await refuses(withTarget(target({ targetLanguageId: null, targetLanguageCode: null })), [
        `${TARGET}/targetLanguageCode`,
        'required',
      ]);
      await refuses(withNote({ note: 'x' }), ['/segments/0/languageSpecificNotes/0/languageCode', 'required']);
    });

    test('codes are case-insensitive, accept _ for -, and are returned as they were sent', async () => {
      for (const code of ['EN-CA', 'en-ca', 'eN_Ca']) {
        const created = await api.create(withSource(null, code));
        expect(created).toMatchObject({ sourceLanguageId: 158, sourceLanguageCode: code });
      }
    });

    const iso: Record<string, string> = { deu: 'de', ger: 'de', FRA: 'fr', fre: 'fr', jpn: 'ja', rus: 'ru' };
    for (const [three, two] of Object.entries(iso)) {
      test(`a three-letter code of ISO 639-2 names the two-letter language: ${three} is ${two}`, async () => {
        const { targetLanguages } = await api.create(withTarget({ targetLanguageCode: three }));
        expect(targetLanguages[0]).toMatchObject({ targetLanguageId: await idOf(two), targetLanguageCode: three });
      });
    }

    const other: Record<string, string> = {
      ...{ iw: 'he', 'iw-IL': 'he-IL', in: 'id', in_ID: 'id-ID', ji: 'yi', mo: 'ro', 'en-UK': 'en-GB', sh: 'sr-Latn' },
      ...{ 'zh-rTW': 'zh-TW', 'pt-rBR': 'pt-BR', 'iw-rIL': 'he-IL', 'b+sr+Latn': 'sr-Latn' },
    };
    for (const [code, current] of Object.entries(other)) {
      test(`a former code, or one in the form of Android, names the same language: ${code} is ${current}`, async () => {
        const id = await idOf(current);
        const created = await api.create(
          smallProject({
            sourceLanguageId: id ?? null,
            sourceLanguageCode: code,
            segments: [segment({ languageSpecificNotes: [{ languageCode: code }] })],
          }),
        );
        expect(created).toMatchObject({ sourceLanguageId: id, sourceLanguageCode: code });
        expect(created.segments[0]?.languageSpecificNotes?.[0]).toMatchObject({ languageId: id, languageCode: code });
        const translated = await api.create(withTarget({ targetLanguageCode: code }));
        expect(translated.targetLanguages[0]).toMatchObject({ targetLanguageId: id, targetLanguageCode: code });
        await refuses(withTarget({ targetLanguageCode: code }, { targetLanguageCode: current }), [
          '/targetLanguages/1/targetLanguageCode',
          'duplicate-language',
        ]);
      });
    }

    test('an unknown code is refused with the nearest known codes', async () => {
      const near = { 'de-XX': 'de-DE', 'en-GX': 'en-GB', 'zh-Hanz': 'zh-Hans', 'pt-BZ': 'pt-BR' };
      for (const [code, known] of Object.entries(near)) {
        const pointer = `${TARGET}/targetLanguageCode`;
        const { errors } = await refuses(withTarget({ targetLanguageCode: code }), [pointer, 'unknown-language']);
        expect(errors?.[0]?.allowed, code).toContain(known);
      }
    });

    test('a target equal to the source is refused, whether named by id or code', async () => {
      await refuses(withTarget({ targetLanguageCode: 'en-US' }), [`${TARGET}/targetLanguageCode`, 'same-as-source']);
      await refuses(withTarget({ targetLanguageCode: 'EN_us' }), [`${TARGET}/targetLanguageCode`, 'same-as-source']);
      await refuses(withTarget({ targetLanguageId: 41 }), [`${TARGET}/targetLanguageId`, 'same-as-source']);
    });

    test('a repeated target is refused, whether named by id or code', async () => {
      const second = '/targetLanguages/1';
      const code = { targetLanguageCode: 'ja' };
      await refuses(withTarget(code, code), [`${second}/targetLanguageCode`, 'duplicate-language']);
      await refuses(withTarget(code, { targetLanguageCode: 'JPN' }), [
        `${second}/targetLanguageCode`,
        'duplicate-language',
      ]);
      await refuses(withTarget(code, { targetLanguageId: 72 }), [`${second}/targetLanguageId`, 'duplicate-language']);
    });

    test('a language and its regional form are different languages', async () => {
      await api.create(withTarget({ targetLanguageCode: 'en' }, { targetLanguageCode: 'en-GB' }));
    });
  });
}
