import { describe, expect, it } from 'vitest';
import { checkProject } from '../../../lib/contract/check.ts';
import { utc } from '../../../lib/contract/date.ts';
import { FAULT_CODES } from '../../../lib/contract/faults.ts';
import { type JsonObject, member, segment, target } from '../../support/projects.ts';
import { CLOCK, NOW_MS, project } from '../support.ts';
import { faultsIn, verdict } from './faults-of.ts';

const proofreader = member({ isTranslator: false, isProofreader: true });
const team = (...members: JsonObject[]) => ({ targetLanguages: [target({ team: members })] });
const targets = (...entries: JsonObject[]) => ({ targetLanguages: entries });
const one = (fields: JsonObject) => ({ segments: [segment(fields)] });
const note = (fields: JsonObject) => one({ languageSpecificNotes: [fields] });
const languageOnly = { targetLanguageCode: 'de-DE' };

/** One thing wrong with a good project, and the one fault that says so. */
const single: readonly [fault: string, fields: JsonObject][] = [
  ['/name required', { name: null }],
  ['/name wrong-type', { name: 5 }],
  ['/name too-long', { name: 'x'.repeat(1_001) }],
  ['/name ill-formed-unicode', { name: 'half \ud83d' }],
  ['/description too-long', { description: 'x'.repeat(10_001) }],
  ['/customId empty', { customId: '' }],
  ['/customId reserved-name', { customId: '..' }],
  ['/customId too-long', { customId: 'x'.repeat(256) }],
  ['/taskId blank', { taskId: ' \u200b\t' }],
  ['/startDateUtc required', { startDateUtc: null }],
  ['/startDateUtc invalid-date', { startDateUtc: '2026-11-20' }],
  ['/startDateUtc invalid-date', { startDateUtc: '2026-11-20T09:30:00+24:00' }],
  ['/endDateUtc invalid-date', { endDateUtc: 'tomorrow' }],
  ['/endDateUtc end-not-after-start', { endDateUtc: utc(NOW_MS) }],
  ['/sourceLanguageId wrong-type', { sourceLanguageId: 41.5 }],
  ['/sourceLanguageId out-of-range', { sourceLanguageId: 0, sourceLanguageCode: null }],
  ['/sourceLanguageCode required', { sourceLanguageId: null, sourceLanguageCode: null }],
  ['/sourceLanguageCode unknown-language', { sourceLanguageId: null, sourceLanguageCode: 'klingon' }],
  ['/sourceLanguageCode language-mismatch', { sourceLanguageCode: 'fr-FR' }],
  ['/targetLanguages required', { targetLanguages: null }],
  ['/targetLanguages wrong-type', { targetLanguages: {} }],
  ['/targetLanguages too-few', { targetLanguages: [] }],
  ['/targetLanguages too-many', { targetLanguages: Array.from({ length: 151 }, () => ({})) }],
  ['/targetLanguages/0 wrong-type', { targetLanguages: ['de-DE'] }],
  ['/targetLanguages/0/targetLanguageCode required', targets({})],
  ['/targetLanguages/0/targetLanguageCode same-as-source', targets({ targetLanguageCode: 'EN_us' })],
  ['/targetLanguages/0/targetLanguageId same-as-source', targets({ targetLanguageId: 41 })],
  ['/targetLanguages/1/targetLanguageCode duplicate-language', targets(target(), languageOnly)],
  ['/targetLanguages/0/state not-allowed', targets(target({ state: 'Done' }))],
  ['/targetLanguages/0/styleGuideId out-of-range', targets(target({ styleGuideId: 0 }))],
  ['/targetLanguages/0/progress service-field', targets(target({ progress: 0 }))],
  ['/targetLanguages/0/team team-needed', targets({ ...languageOnly, serviceTranslation: true })],
  ['/targetLanguages/0/team team-needed', targets({ ...languageOnly, serviceProofreading: true, team: [] })],
  ['/targetLanguages/0/team too-many', team(...Array.from({ length: 51 }, (_, n) => member({}, n)))],
  ['/targetLanguages/0/team/0/id required', team(member({ id: null }))],
  ['/targetLanguages/0/team/0/id out-of-range', team(member({ id: -1 }))],
  ['/targetLanguages/0/team/0/id out-of-range', team(member({ id: 2 ** 53 }))],
  ['/targetLanguages/0/team/0/username invalid-email', team(member({ username: 'nobody' }))],
  ['/targetLanguages/0/team/0/proofreadedBy service-field', team(member({ proofreadedBy: null }))],
  ['/targetLanguages/0/team/0/isTranslater unknown-field', team(member({ isTranslater: true }))],
  ['/targetLanguages/0/team/1/id duplicate-member', team(member(), member({ username: 'other@example.com' }))],
  [
    '/targetLanguages/0/team/1/username duplicate-member',
    team(member(), member({ id: 1, username: 'PERSON.1@example.com' })),
  ],
  ['/segments required', { segments: null }],
  ['/segments too-few', { segments: [] }],
  ['/segments too-many', { segments: Array.from({ length: 50_001 }, () => ({})) }],
  ['/segments/0 wrong-type', { segments: [[]] }],
  ['/segments/0/content required', one({ content: null })],
  ['/segments/0/content empty', one({ content: '' })],
  ['/segments/0/content too-long', one({ content: '€'.repeat(349_526) })],
  ['/segments/0/id service-field', one({ id: 1 })],
  ['/segments/0/taskId blank', one({ taskId: '' })],
  [
    '/segments/0/languageSpecificNotes too-many',
    one({ languageSpecificNotes: Array.from({ length: 201 }, () => ({})) }),
  ],
  ['/segments/0/languageSpecificNotes/0/languageCode required', note({ note: 'Informal' })],
  ['/segments/0/languageSpecificNotes/0/languageId unknown-language', note({ languageId: 1_000_000 })],
  ['/segments/0/languageSpecificNotes/0/lang unknown-field', note({ languageId: 53, lang: 'de' })],
  ['/eventUrl invalid-url', { eventUrl: 'http://example.com' }],
  ['/eventUrl invalid-url', { eventUrl: ' https://example.com/x ' }],
  ['/eventUrl invalid-url', { eventUrl: 'https://exa\tmple.com' }],
  ['/eventUrl invalid-url', { eventUrl: 'https://' }],
  ['/processId wrong-type', { processId: '7' }],
  ['/id service-field', { id: 5 }],
  ['/tilde~0and~1slash unknown-field', { 'tilde~and/slash': 1 }],
  [' unknown-field', { ['x'.repeat(129)]: 1 }],
];

describe('one fault', () => {
  it.each(single)('%s', (fault, fields) => {
    expect(faultsIn(project(fields))).toEqual([fault]);
    expect(verdict(project(fields))?.name).toBe('invalid-project');
  });

  it.each([[null], [[]], ['text'], [5], [undefined]])('is told of %j, which is no object', (value) => {
    expect(faultsIn(value)).toEqual([' wrong-type']);
  });

  it('is told of __proto__ as of any unknown field', () => {
    expect(faultsIn(JSON.parse(`{"__proto__": {}, ${JSON.stringify(project()).slice(1)}`))).toEqual([
      '/__proto__ unknown-field',
    ]);
  });

  it('has the nearest known name, or the nearest code', () => {
    expect(verdict(project({ segmnets: 1 }))?.faults[0]?.allowed).toEqual(['segments']);
    expect(verdict(project({ sourceLanguageId: null, sourceLanguageCode: 'iw' }))?.faults[0]?.allowed?.[0]).toBe('he');
  });

  it('has a code of the catalogue and a sentence that quotes no content', () => {
    for (const [, fields] of single) {
      for (const { code, detail } of verdict(project(fields))?.faults ?? []) {
        expect(Object.keys(FAULT_CODES)).toContain(code);
        expect(detail).toMatch(/^[A-Z].*[.?]$/);
        expect(detail).not.toMatch(/nobody|klingon|tomorrow|xxx/);
      }
    }
  });
});

describe('a team with a proofreader and no translator', () => {
  const withoutTranslator = team(proofreader);
  const fault = '/targetLanguages/0/team team-without-translator';

  it('has a problem of its own', () => {
    expect(verdict(project(withoutTranslator))).toMatchObject({ name: 'team-without-translator' });
    expect(faultsIn(project(withoutTranslator))).toEqual([fault]);
  });

  it.each<[string, JsonObject]>([
    ['without a name', { name: null }],
    ['without segments', { segments: null }],
    ['with a hundred other faults', { segments: Array.from({ length: 100 }, () => ({})) }],
    ['with a start date that is off', { startDateUtc: utc(NOW_MS - 600_000) }],
    [
      'with too many members',
      team(...Array.from({ length: 51 }, (_, n) => member({ isTranslator: false, isProofreader: n === 50 }, n))),
    ],
    [
      'with too many target languages',
      targets(target({ team: [proofreader] }), ...Array.from({ length: 150 }, () => ({}))),
    ],
  ])('keeps it %s', (_, fields) => {
    const found = verdict(project({ ...withoutTranslator, ...fields }));
    expect(found?.name).toBe('team-without-translator');
    expect(found?.faults.length).toBeGreaterThan(1);
    expect(found?.faults[0]).toMatchObject({ pointer: '/targetLanguages/0/team', code: 'team-without-translator' });
  });

  it.each<[string, JsonObject[]]>([
    ['a translator', [proofreader, member({}, 2)]],
    ['one person in both roles', [member({ isProofreader: true })]],
    ['no proofreader', [member({ isTranslator: null })]],
    ['nobody', []],
  ])('is not one with %s', (_, members) => {
    expect(verdict(project(team(...members)))).toBeUndefined();
  });

  it('is not what a role that cannot be read makes of a team', () => {
    expect(faultsIn(project(team(proofreader, member({ isTranslator: 'yes' }, 2))))).toEqual([
      '/targetLanguages/0/team/1/isTranslator wrong-type',
    ]);
  });
});

describe('a checked project', () => {
  it('is what was sent, without the nulls', () => {
    const sent = project({
      customId: 'a/b',
      description: null,
      segments: [segment({ notes: null, content: ' \u0000😀' })],
    });
    const { description: _, ...rest } = project({ customId: 'a/b', segments: [segment({ content: ' \u0000😀' })] });
    expect(JSON.parse(JSON.stringify(checkProject(sent, CLOCK)))).toEqual(rest);
  });

  it('may have an old start date: a retry with a key may bring one', () => {
    expect(verdict(project({ startDateUtc: utc(NOW_MS - 3_600_000) }))).toBeUndefined();
  });
});
