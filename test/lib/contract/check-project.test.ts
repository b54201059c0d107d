import { describe, expect, it } from 'vitest';
import { checkDates, checkProject, projectChecks } from '../../../lib/contract/check-project.ts';
import { utc } from '../../../lib/contract/date.ts';
import type { Fault } from '../../../lib/contract/faults.ts';
import { allLanguages, languageByCode } from '../../../lib/contract/languages.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { type JsonObject, member, segment, target } from '../../support/projects.ts';
import { CLOCK, checked, expectProblem, NOW_MS, problemOf, project } from '../support.ts';

/** Returns the problem and the faults of a value, or `undefined` if it is valid. */
function verdict(value: unknown): { name: string; faults: readonly Fault[] } | undefined {
  try {
    checkProject(value, CLOCK);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { name: error.name, faults: error.occurrence.errors ?? [] };
  }
}

/** Returns the faults of a value as `pointer code`, in their order. */
function faultsIn(value: unknown): string[] {
  return (verdict(value)?.faults ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
}

const proofreader = member({ isTranslator: false, isProofreader: true });
const team = (...members: JsonObject[]) => ({ targetLanguages: [target({ team: members })] });
const CANARY_MEMBER = member({ username: 'canary@example.com' });

it.each<[string, JsonObject]>([
  ['/customId ill-formed-unicode', { customId: 'canary \ud83d' }],
  ['/startDateUtc invalid-date', { startDateUtc: 'canary' }],
  ['/sourceLanguageCode unknown-language', { sourceLanguageId: null, sourceLanguageCode: 'canary' }],
  ['/targetLanguages/0/state not-allowed', { targetLanguages: [target({ state: 'canary' })] }],
  ['/targetLanguages/0/team/0/username invalid-email', team(member({ username: 'canary' }))],
  ['/targetLanguages/0/team/1/username duplicate-member', team(CANARY_MEMBER, { ...CANARY_MEMBER, id: 1 })],
  ['/eventUrl invalid-url', { eventUrl: 'https://exa\tmple.com/canary' }],
  [' unknown-field', { [`canary${'x'.repeat(123)}`]: 1 }],
])('reports %s without quoting the content', (fault, fields) => {
  expect(faultsIn(project(fields))).toEqual([fault]);
  const [{ detail } = { detail: '' }] = verdict(project(fields))?.faults ?? [];
  expect(detail).toMatch(/^[A-Z].*[.?]$/);
  expect(detail).not.toContain('canary');
});

it.each<[string, JsonObject]>([
  ['an array, such as [{ "targetLanguageCode": "de-DE" }].', { targetLanguages: 'de' }],
  ['an object, such as { "targetLanguageCode": "de-DE" }.', { targetLanguages: ['de'] }],
  ['an object, such as { "content": "<p>Hello, world</p>" }.', { segments: ['Hello'] }],
  ['a string, such as "cms/4711".', { customId: 4711 }],
  ['a string, such as "home.title".', { segments: [{ content: 'a', customId: 1 }] }],
  ['a number, such as 40.', { sourceLanguageCode: null, sourceLanguageId: '40' }],
  ['an object, such as { "languageCode": "de-DE"', { segments: [segment({ languageSpecificNotes: ['de'] })] }],
  [
    'an object, such as { "id": 7001, "name": "Example Translator"',
    { targetLanguages: [target({ team: ['canary'] })] },
  ],
  ['a boolean, such as true.', team(member({ isTranslator: 'yes' }))],
])('shows an example of the right type: %s', (example, fields) => {
  const [fault] = verdict(project(fields))?.faults ?? [];
  expect(fault).toMatchObject({ code: 'wrong-type', detail: expect.stringContaining(example) });
});

it.each<[string, JsonObject, string[]]>([
  ['text', { segments: [{ text: 'a' }] }, ['content']],
  ['value', { segments: [{ value: 'a' }] }, ['content']],
  ['Deadline', { Deadline: '2099-01-01' }, ['endDateUtc']],
  ['strings', { strings: [] }, ['segments']],
  ['source_language', { source_language: 'en' }, ['sourceLanguageCode', 'sourceLanguageId']],
  ['end_date_utc', { end_date_utc: '' }, ['endDateUtc']],
  ['lang', { targetLanguages: [{ targetLanguageCode: 'de', lang: 'de' }] }, ['targetLanguageCode']],
  ['email', { ...team(member({ email: 'a' })) }, ['username']],
])('suggests the field that %s means elsewhere', (_, fields, allowed) => {
  const faults = verdict(project(fields))?.faults ?? [];
  expect(faults.find(({ code }) => code === 'unknown-field')).toMatchObject({ allowed });
});

it('an unknown language has a suggestion, or the place of the list', () => {
  const faultOf = (sourceLanguageCode: string) => verdict(project({ sourceLanguageCode }))?.faults[0];
  expect(faultOf('de-XX')).toMatchObject({ detail: expect.stringContaining('de, de-DE'), allowed: expect.any(Array) });
  const far = { pointer: '/sourceLanguageCode', code: 'unknown-language' };
  const detail = 'No language has this code. GET /integrations/languages lists all languages.';
  expect(faultOf('zzzzzzzzzz')).toEqual({ ...far, detail });
});

describe('a team with a proofreader and no translator', () => {
  const withoutTranslator = team(proofreader);
  const fault = '/targetLanguages/0/team team-without-translator';

  it('has its own problem type', () => {
    expect(verdict(project(withoutTranslator))).toMatchObject({ name: 'team-without-translator' });
    expect(faultsIn(project(withoutTranslator))).toEqual([fault]);
  });

  it.each<[string, JsonObject]>([
    ['a hundred other faults', { segments: Array.from({ length: 100 }, () => ({})) }],
    [
      'too many members',
      team(...Array.from({ length: 51 }, (_, n) => member({ isTranslator: false, isProofreader: n === 50 }, n))),
    ],
  ])('keeps it with %s', (_, fields) => {
    const found = verdict(project({ ...withoutTranslator, ...fields }));
    expect(found?.name).toBe('team-without-translator');
    expect(found?.faults.length).toBeGreaterThan(1);
    expect(found?.faults[0]).toMatchObject({ code: 'team-without-translator' });
  });
});

describe('a checked project', () => {
  it('is the request without its nulls', () => {
    const sent = project({
      customId: 'a/b',
      description: null,
      segments: [segment({ notes: null, content: ' \u0000😀' })],
    });
    const { description: _, ...rest } = project({ customId: 'a/b', segments: [segment({ content: ' \u0000😀' })] });
    expect(JSON.parse(JSON.stringify(checkProject(sent, CLOCK)))).toEqual(rest);
  });
});

describe('all faults at once', () => {
  it('have a fixed order: the team’s 500, the project, its languages and teams, the lists, the start date', () => {
    const everything = project({
      name: null,
      extra: 1,
      startDateUtc: utc(NOW_MS - 3_600_000),
      endDateUtc: utc(NOW_MS - 7_200_000),
      sourceLanguageCode: 'fr-FR',
      targetLanguages: [
        target({ state: 'Done', team: [member({ isTranslator: false, isProofreader: true, phone: 1 })] }),
        target({ team: [] }),
      ],
      segments: [segment({ content: '' }), segment({ notes: 5, languageSpecificNotes: [{ languageCode: 'xx' }] })],
    });
    expect(faultsIn(everything)).toEqual([
      '/targetLanguages/0/team team-without-translator',
      '/name required',
      '/extra unknown-field',
      '/endDateUtc end-not-after-start',
      '/sourceLanguageCode language-mismatch',
      '/targetLanguages/1/targetLanguageCode duplicate-language',
      '/targetLanguages/0/state not-allowed',
      '/targetLanguages/0/team/0/phone wrong-type',
      '/segments/0/content empty',
      '/segments/1/notes wrong-type',
      '/segments/1/languageSpecificNotes/0/languageCode unknown-language',
      '/startDateUtc start-not-now',
    ]);
  });

  it.each([
    ['missing', null],
    ['not a list', 'de-DE'],
    ['too many', Array.from({ length: 151 }, () => target())],
  ])('include the source language’s if the target languages are %s', (_, targetLanguages) => {
    const faults = faultsIn(project({ targetLanguages, sourceLanguageId: null, sourceLanguageCode: 'klingon' }));
    expect(faults).toContain('/sourceLanguageCode unknown-language');
    expect(faults).toHaveLength(2);
  });

  it.each([
    [99, /breaks 99 rules/],
    [100, /breaks 100 rules/],
    [101, /breaks at least 100 rules/],
    [150, /breaks at least 100 rules/],
  ])('are counted up to 100: %i', async (count, detail) => {
    const segments = Array.from({ length: count }, () => ({ content: '' }));
    const problem = await problemOf(() => checkProject(project({ segments }), CLOCK));
    expect(problem.message).toMatch(detail);
    const pointers = problem.occurrence.errors?.map(({ pointer }) => pointer);
    expect(pointers).toEqual(segments.slice(0, LIMITS.faults).map((_, n) => `/segments/${n}/content`));
  });
});

/** Returns a list of objects that counts the reads of their fields. */
function counting(entries: readonly object[]) {
  let reads = 0;
  const list = entries.map(
    (entry) =>
      new Proxy(entry, {
        get(object, key) {
          reads++;
          return Reflect.get(object, key);
        },
        ownKeys(object) {
          reads++;
          return Reflect.ownKeys(object);
        },
      }),
  );
  return { list, reads: () => reads };
}

describe('a body full of faults', () => {
  const count = 1_000;
  const bad = () => counting(Array.from({ length: count }, () => ({ content: '', taskId: '', id: 1 })));

  it('is read up to the first fault that is not listed', () => {
    const segments = bad();
    expect(verdict({ ...project(), segments: segments.list })?.faults).toHaveLength(LIMITS.faults);
    const first = counting(Array.from({ length: 34 }, () => ({ content: '', taskId: '', id: 1 })));
    verdict({ ...project(), segments: first.list });
    // Each segment has three faults: the 101st is in the 34th segment.
    expect(segments.reads()).toBe(first.reads());
  });

  it('is not read if enough faults were found before it', () => {
    const unknown = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`extra ${n}`, n]));
    const segments = bad();
    expect(verdict({ ...project(unknown), segments: segments.list })?.faults).toHaveLength(LIMITS.faults);
    expect(segments.reads()).toBe(0);
  });

  it.each([
    ['segments', LIMITS.segments + 1],
    ['targetLanguages', LIMITS.targetLanguages + 1],
  ])('has too many %s, which are counted before they are read', (field, length) => {
    const { list, reads } = counting(Array.from({ length }, () => ({})));
    expect(faultsIn({ ...project(), [field]: list })).toEqual([`/${field} too-many`]);
    // Only the rule of teams without a translator reads a list of any length.
    expect(reads()).toBeLessThanOrEqual(field === 'segments' ? 0 : length);
  });

  it('has too many tasks for its languages, which are reported with other faults', () => {
    const source = languageByCode(String(project()['sourceLanguageCode']));
    const tasks = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ content: 'x', taskId: `t${n % 1_400}` }));
    const others = allLanguages().filter(({ id }) => id !== source?.id);
    const targetLanguages = others.slice(0, 150).map(({ id }) => ({ targetLanguageId: id }));
    const segments = tasks(1_500);
    expect(faultsIn({ ...project({ name: '' }), targetLanguages, segments })).toEqual([
      '/name blank',
      '/segments too-many',
    ]);
    expect(faultsIn({ ...project(), targetLanguages, segments: tasks(1_333) })).toEqual([]);
    // A segment without a task id belongs to the task of the project, which is a task of its own without segments too.
    const own = [...tasks(1_332), { content: 'x' }, { content: 'x' }];
    expect(faultsIn({ ...project({ taskId: 'own' }), targetLanguages, segments: own })).toEqual([]);
    expect(faultsIn({ ...project({ taskId: 'own' }), targetLanguages, segments: tasks(1_333) })).toEqual([
      '/segments too-many',
    ]);
  });

  it('has too many notes, which are counted before they are read', () => {
    const { list, reads } = counting(Array.from({ length: LIMITS.notesPerSegment + 1 }, () => ({})));
    const segments = [{ content: 'Hello', languageSpecificNotes: list }];
    expect(faultsIn({ ...project(), segments })).toEqual(['/segments/0/languageSpecificNotes too-many']);
    expect(reads()).toBe(0);
  });
});

describe('a large project', () => {
  /** Checks a project in steps. Returns the number of steps, and the result or the faults. */
  function inSteps(value: JsonObject) {
    const steps = projectChecks(value, CLOCK);
    for (let count = 1; ; count++) {
      try {
        const { done, value: result } = steps.next();
        if (done) return { count, result };
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        return { count, faults: error.occurrence.errors };
      }
    }
  }

  const segments = (count: number, fields: JsonObject = {}) =>
    Array.from({ length: count }, () => ({ content: 'x', ...fields }));
  const others = allLanguages().filter(({ langCode }) => langCode !== project()['sourceLanguageCode']);
  const members = Array.from({ length: 50 }, (_, n) => member({ id: n + 1, username: `${n}@example.com` }));

  it.each([
    ['segments', { segments: segments(23_000) }],
    ['notes', { segments: segments(115, { languageSpecificNotes: Array(200).fill({ languageCode: 'de' }) }) }],
    ['members', { targetLanguages: others.slice(0, 120).map(({ id }) => ({ targetLanguageId: id, team: members })) }],
  ])('is checked in steps of 5,000 %s, with the same result', (name, fields) => {
    const large = project(fields);
    const { count, result } = inSteps(large);
    expect(count).toBe(name === 'members' ? 2 : 5);
    expect(result).toEqual(checkProject(large, CLOCK));
    expect(inSteps(project()).count).toBe(1);
  });

  it('has the same faults in the same order', () => {
    const large = project({ name: '', segments: [...segments(12_000), { content: '' }, {}] });
    expect(inSteps(large)).toEqual({ count: 3, faults: verdict(large)?.faults });
    expect(faultsIn(large)).toHaveLength(3);
  });
});

describe('the end date of a project whose start date is the time of the attempt', () => {
  const late = { startDateUtc: utc(NOW_MS), endDateUtc: utc(NOW_MS - 1) };
  const rules = { ...CLOCK, isStamped: true };

  it('is compared with the clock only after the key was looked up', async () => {
    const accepted = checkProject(project(late), rules);
    await expectProblem('invalid-project', () => checkDates(accepted, CLOCK));
  });

  it('is reported at once if there are other faults', async () => {
    const problem = await problemOf(() => checkProject(project({ ...late, name: null }), rules));
    expect(problem.occurrence.errors?.map(({ pointer }) => pointer).sort()).toEqual(['/endDateUtc', '/name']);
  });
});

describe('the start date', () => {
  const startingAt = (ms: number) => checked({ startDateUtc: utc(ms) });

  it.each([-300_001, 300_001, 86_400_000])('may not be %i ms off, and the fault names the time', async (offMs) => {
    const problem = await problemOf(() =>
      checkDates(startingAt(NOW_MS + offMs), { nowMs: NOW_MS, toleranceMs: 300_000 }),
    );
    expect(problem.name).toBe('invalid-project');
    expect(problem.occurrence.errors).toEqual([
      {
        pointer: '/startDateUtc',
        code: 'start-not-now',
        detail: 'The start date must be within 300 seconds of Segue’s time, 2026-11-20T09:30:00.000Z.',
        allowed: ['2026-11-20T09:30:00.000Z'],
      },
    ]);
  });

  it('may not be 100 ns beyond the tolerance', async () => {
    const late = checked({ startDateUtc: utc(NOW_MS - 300_000).replace('Z', '0000Z') });
    const later = checked({ startDateUtc: utc(NOW_MS - 300_001).replace('Z', '9999Z') });
    expect(() => checkDates(late, CLOCK)).not.toThrow();
    expect(() => checkDates(late, { ...CLOCK, toleranceMs: 299_999 })).toThrow(Problem);
    await expectProblem('invalid-project', () => checkDates(later, CLOCK));
  });
});
