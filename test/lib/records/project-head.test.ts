import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../lib/contract/exact-json.ts';
import { headSize, packHead, unpackHead, withoutHead } from '../../../lib/records/project-head.ts';
import { projectFrom } from '../../../lib/service/project-from.ts';
import { type JsonObject, member, target } from '../../support/projects.ts';
import { checked, NOW_MS } from '../support.ts';

const projectOf = (fields: JsonObject = {}) => projectFrom(checked(fields), 5, NOW_MS);
const noise = (characters: number) => randomBytes(characters).toString('base64').slice(0, characters);
/** Returns a number of languages, each with a team of six. */
const languages = (count: number, info?: () => string) =>
  ['de', 'fr', 'it', 'es', 'pl', 'pt', 'nl', 'sv', 'da', 'fi'].slice(0, count).map((targetLanguageCode) =>
    target({
      targetLanguageId: null,
      targetLanguageCode,
      team: Array.from({ length: 6 }, (_, n) => member({ name: `Example Person ${n}` }, n)),
      ...(info && { additionalInfo: info() }),
    }),
  );

describe('a stored head', () => {
  it.each([
    ['small', projectOf()],
    ['with teams', projectOf({ targetLanguages: languages(10) })],
    ['with random text', projectOf({ targetLanguages: languages(3, () => noise(10_000)) })],
    ['with text in many scripts', projectOf({ description: '😀 人é'.repeat(1_000) })],
  ])('is read unchanged: %s', async (_, project) => {
    const { segments, ...head } = project;
    const stored = JSON.parse(JSON.stringify(await packHead(project)));
    expect(unpackHead(stored)).toEqual(head);
  });

  it('keeps the digits of numbers', async () => {
    const project = { id: 5, customId: 'a', targetLanguages: parseExact('[{"progress":12345678901234567890.10}]') };
    const stored = JSON.parse(JSON.stringify(await packHead(project)));
    expect(JSON.stringify(unpackHead(stored))).toContain('"progress":12345678901234567890.10');
  });

  it('is absent if it is too large for an item', async () => {
    const project = projectOf({ targetLanguages: languages(10, () => noise(10_000)) });
    const { segments: _, ...head } = project;
    const stored = await packHead(project);
    const { creationDateUtc, endDateUtc } = project;
    expect(stored).toEqual({ headLength: JSON.stringify(head).length, headDates: { creationDateUtc, endDateUtc } });
    expect(unpackHead(stored)).toBeUndefined();
    expect(headSize(stored)).toBe(JSON.stringify(head).length);
  });

  it('is absent if it is longer than the caller allows, and its size is known in each form', async () => {
    const project = projectOf({ targetLanguages: languages(10) });
    const { segments: _, ...head } = project;
    const packed = await packHead(project);
    const length = packed.packedHead?.base64.length ?? 0;
    expect(await packHead(project, length)).toEqual(packed);
    expect(await packHead(project, length - 1)).toMatchObject({ headLength: JSON.stringify(head).length });
    expect(headSize(packed)).toBe(JSON.stringify(head).length);
    expect(withoutHead({ id: 5, ...packed, headLength: 1, head })).toEqual({ id: 5 });
  });
});
