import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as answers from '../../../lib/contract/project-answer.ts';
import {
  type HostedProgress,
  type HostedTranslatedSegment,
  type hasDocumentedTypes,
  isHostedProgress,
  isHostedProject,
  isHostedSegment,
} from '../hosted-types.ts';
import type { Progress, Project, TranslatedSegment } from '../types.ts';
import { project } from './world.ts';

it('only a project can be checked for the documented types', () => {
  expectTypeOf<Parameters<typeof hasDocumentedTypes>>().toEqualTypeOf<[project: Project]>();
  expectTypeOf<Progress>().not.toExtend<Project>();
  expectTypeOf<TranslatedSegment>().not.toExtend<Project>();
});

it('what the hosted service answers has the types of the client', () => {
  expectTypeOf<answers.ProgressAnswer>().toExtend<HostedProgress>();
  expectTypeOf<answers.TranslatedSegment>().toExtend<HostedTranslatedSegment>();
});

const [language] = project.targetLanguages;
const [source] = project.segments;

describe('a project of the hosted service', () => {
  const failed = { state: 'failed', problem: 'language-pair-unsupported' };

  it.each([{}, { automaticTranslation: failed }])('is known by its target languages with %j', (fields) => {
    const given: Project = { ...project, targetLanguages: [{ ...language, ...fields }] };
    expect(isHostedProject(given)).toBe(true);
    if (isHostedProject(given)) {
      const [first] = given.targetLanguages;
      expectTypeOf(first?.progress).toEqualTypeOf<number | undefined>();
      expect(first?.automaticTranslation?.state).toBe('automaticTranslation' in fields ? 'failed' : undefined);
    }
  });

  it.each([{ progress: '0 %' }, { state: 5 }, { progress: null }, { automaticTranslation: 'failed' }])(
    'is not one with a language with %j',
    (fields) => {
      expect(isHostedProject({ ...project, targetLanguages: [{ ...language, ...fields }] })).toBe(false);
    },
  );

  it('is not one with fields of other types than documented', () => {
    expect(isHostedProject({ ...project, name: 5 })).toBe(false);
    expect(isHostedProject({ id: 1 })).toBe(false);
  });
});

const untranslated = {
  id: null,
  languageId: 53,
  languageCode: 'de-DE',
  content: null,
  status: 'untranslated',
  version: 0,
};

describe('a segment of the hosted service', () => {
  it('has the id and the version that a translation to write needs', () => {
    const given: TranslatedSegment = { source, translations: [untranslated] };
    expect(isHostedSegment(given)).toBe(true);
    if (isHostedSegment(given)) {
      expectTypeOf(given.source.id).toEqualTypeOf<number>();
      expectTypeOf(given.translations[0]?.version).toEqualTypeOf<number | undefined>();
    }
  });

  it.each<TranslatedSegment>([
    {},
    { source: { ...source, id: '7c9e6679' }, translations: [] },
    { source, translations: null },
    { source, translations: [{ ...untranslated, version: 'a' }] },
  ])('is not %j', (given) => {
    expect(isHostedSegment(given)).toBe(false);
  });
});

describe('a progress of the hosted service', () => {
  const languages = [{ languageId: 53, languageCode: 'de-DE', progress: 0 }];

  it('is one in numbers', () => {
    const given: Progress = { total: 0, tasks: [{ taskId: 't', total: 0, targetLanguages: languages }], languages };
    expect(isHostedProgress(given)).toBe(true);
    if (isHostedProgress(given)) expectTypeOf(given.total).toEqualTypeOf<number>();
  });

  it.each<Progress>([
    { total: 0 },
    { total: '0 %', tasks: [], languages: [] },
    { total: 0, tasks: [], languages: [{ ...languages[0], progress: 'Completed' }] },
    { total: 0, tasks: [{ taskId: 't', total: null, targetLanguages: [] }], languages: [] },
  ])('is not %j', (given) => {
    expect(isHostedProgress(given)).toBe(false);
  });
});
