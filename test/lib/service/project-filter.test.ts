import { describe, expect, it } from 'vitest';
import { instantOf } from '../../../lib/contract/date.ts';
import type { ProjectFilter } from '../../../lib/service/port.ts';
import { fits } from '../../../lib/service/project-filter.ts';

const project = {
  id: 1,
  customId: 'cms/1',
  creationDateUtc: '2026-11-20T12:00:00.000Z',
  endDateUtc: '2027-01-31T00:00:00-05:00',
  targetLanguages: [
    { state: 'InProgress', progress: 100 },
    { state: 'InPreparation', progress: 99 },
  ],
};
const at = (text: string) => instantOf(text) ?? 0n;

describe('a filter of projects', () => {
  it.each<[ProjectFilter, boolean]>([
    [{}, true],
    [{ state: 'InProgress' }, true],
    [{ state: 'InPreparation' }, true],
    [{ customIdPrefix: 'cms/' }, true],
    [{ customIdPrefix: 'CMS' }, false],
    [{ customIdPrefix: 'cms/12' }, false],
    [{ createdAfter: at('2026-11-20T11:59:59.9999999Z') }, true],
    [{ createdAfter: at('2026-11-20T12:00:00Z') }, false],
    [{ dueBefore: at('2027-01-31T05:00:00.0000001Z') }, true],
    [{ dueBefore: at('2027-01-31T05:00:00Z') }, false],
    [{ done: false }, true],
    [{ done: true }, false],
    [{ state: 'InProgress', customIdPrefix: 'x' }, false],
  ])('%o fits: %s', (filter, expected) => {
    expect(fits(project, filter)).toBe(expected);
  });

  it.each<[string, object, boolean, boolean]>([
    ['all at 100', { targetLanguages: [{ progress: 100 }, { progress: 100 }] }, true, false],
    ['one unknown, one below', { targetLanguages: [{ progress: null }, { progress: 0 }] }, false, true],
    ['one unknown, one at 100', { targetLanguages: [{ progress: '100' }, { progress: 100 }] }, false, false],
    ['no languages', { targetLanguages: [] }, false, false],
    ['no list of languages', { targetLanguages: null }, false, false],
  ])('with progress %s', (_, fields, isDone, isOpen) => {
    expect([fits({ ...project, ...fields }, { done: true }), fits({ ...project, ...fields }, { done: false })]).toEqual(
      [isDone, isOpen],
    );
  });

  it('fits no project without the value that it selects by', () => {
    const filters: ProjectFilter[] = [
      { state: 'InProgress' },
      { customIdPrefix: 'a' },
      { createdAfter: 0n },
      { dueBefore: at('2099-01-01T00:00:00Z') },
    ];
    for (const filter of filters) expect(fits({ id: 1, endDateUtc: 'soon' }, filter)).toBe(false);
  });
});
