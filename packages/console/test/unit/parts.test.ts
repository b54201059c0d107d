import { createHash as nodeHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TranslatedSegment } from '../../../client/index.ts';
import { fragmentOf, pathIn, queryIn } from '../../address.ts';
import { createHash } from '../../browser/crypto.ts';
import { contentOf } from '../../project-file.ts';
import { requestOf } from '../../project-request.ts';
import { matcherOf, TO_DO } from '../../segment-filter.ts';
import { EDITOR_KEYS, editorKeyOf, SINGLE_KEYS, singleKeyOf } from '../../shortcuts.ts';
import { isReopening, likelyStatus, translationIn } from '../../translation.ts';

describe('the digest in a browser', () => {
  const both = (text: string) => [
    createHash('sha256').update(text).digest('hex'),
    nodeHash('sha256').update(text).digest('hex'),
  ];

  it('is that of Node for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const [own, expected] = both(text);
        expect(own).toBe(expected);
      }),
    );
  });

  it.each([0, 55, 56, 63, 64, 65, 119, 120, 100_000])('is that of Node for %i bytes', (length) => {
    const [own, expected] = both('a'.repeat(length));
    expect(own).toBe(expected);
  });
});

describe('the address of a page', () => {
  it('has every filter as it was written', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme', minLength: 1 })),
        (query) => {
          const fragment = fragmentOf('#/projects/5', query);
          expect(pathIn(fragment)).toBe('#/projects/5');
          expect(queryIn(fragment)).toEqual({ ...query });
        },
      ),
    );
  });

  it('leaves out what is empty', () => {
    expect(fragmentOf('#/projects', { prefix: '', done: undefined })).toBe('#/projects');
    expect(queryIn('#/projects')).toEqual({});
  });
});

describe('the search in segments', () => {
  const segment = (content: unknown, translation: unknown, status = 'draft'): TranslatedSegment =>
    JSON.parse(
      JSON.stringify({ source: { content, customId: 'menu.title' }, translations: [{ content: translation, status }] }),
    );

  it.each([
    ['STRASSE', 'Straße', null, false],
    ['straße', null, 'Große STRAßE', true],
    ['title', 'x', 'y', true],
    ['  x ', 'x', null, true],
    ['\u0131', 'Istanbul', null, false],
    ['.*', 'any', 'thing', false],
    ['5', 5, null, false],
  ])('%j in %j and %j: %s', (search, content, translation, expected) => {
    expect(matcherOf({ search, status: '', task: '' })(segment(content, translation))).toBe(expected);
  });

  const ALL = { search: '', status: '', task: '' };

  it('also asks for the status and the task', () => {
    expect(matcherOf({ ...ALL, status: 'draft' })(segment('a', 'b'))).toBe(true);
    expect(matcherOf({ ...ALL, status: 'proofread' })(segment('a', 'b'))).toBe(false);
    expect(matcherOf({ ...ALL, status: 'untranslated' })({})).toBe(true);
    expect(matcherOf({ ...ALL, search: 'a' })({})).toBe(false);
    expect(matcherOf({ ...ALL, task: 'home' })({ source: { taskId: 'home' } })).toBe(true);
    expect(matcherOf({ ...ALL, task: 'home' })(segment('home', 'b'))).toBe(false);
  });

  it.each([
    ['untranslated', true],
    ['draft', true],
    ['automatic', true],
    ['pretranslated', true],
    ['translated', false],
    ['proofread', false],
    ['of another service', false],
  ])('counts %s as left to do: %s', (status, expected) => {
    expect(matcherOf({ ...ALL, status: TO_DO })(segment('a', 'b', status))).toBe(expected);
  });

  it('counts a missing and an outdated translation as left to do', () => {
    expect(matcherOf({ ...ALL, status: TO_DO })({ source: { content: 'a' } })).toBe(true);
    const outdated = { content: 'b', status: 'proofread', outdated: true } as const;
    expect(matcherOf({ ...ALL, status: TO_DO })({ translations: [outdated] })).toBe(true);
  });
});

describe('a translation', () => {
  it.each([
    [{ translations: null }, { content: '', status: undefined, version: undefined, isOutdated: false }],
    [
      { translations: [{ content: null, status: 'untranslated', version: 0 }] },
      { content: '', status: 'untranslated', version: 0, isOutdated: false },
    ],
    [
      { translations: [{ content: 'a', status: { of: 'another service' }, version: '7', outdated: true }] },
      { content: 'a', status: undefined, version: undefined, isOutdated: true },
    ],
  ])('is read tolerantly: %j', (segment, expected) => {
    expect(translationIn(segment)).toEqual(expected);
  });

  it.each([
    ['untranslated', 'translated', true],
    ['automatic', 'translated', true],
    ['draft', 'draft', false],
    ['proofread', 'proofread', true],
  ] as const)('that is %s most likely becomes %s, and a draft opens it again: %s', (status, likely, reopens) => {
    const known = { content: '', status, version: 1, isOutdated: false };
    expect(likelyStatus(known)).toBe(likely);
    expect(isReopening('draft', known)).toBe(reopens && status !== 'untranslated');
  });
});

describe('a key', () => {
  const press = (key: string, held: object = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...held });

  it('does one thing', () => {
    const keys = [...Object.values(SINGLE_KEYS), ...Object.values(EDITOR_KEYS)].map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('alone is no key with Ctrl', () => {
    expect(singleKeyOf(press('p'))).toBe('projects');
    for (const held of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }])
      expect(singleKeyOf(press('p', held))).toBeUndefined();
    expect(singleKeyOf(press('toString'))).toBeUndefined();
  });

  it.each([
    [press('s', { ctrlKey: true }), 'save'],
    [press('s', { metaKey: true }), 'save'],
    [press('Enter', { ctrlKey: true }), 'saveAndNext'],
    [press('ArrowDown', { altKey: true }), 'next'],
    [press('ArrowDown'), undefined],
    [press('Enter'), undefined],
  ])('in a translation: %j', (pressed, name) => {
    expect(editorKeyOf(pressed)).toBe(name);
  });
});

it.each([
  ['{ "segments": [] }', 'project'],
  ['{ "targetLanguages": [] }', 'project'],
  ['{}', 'project'],
  ['{ "title": "Hello" }', 'texts'],
  ['{ "create": "New", "edit": "Change" }', 'texts'],
  ['{ "create": "New" }', 'texts'],
  ['{ "create": {} }', 'commands'],
  ['{ "create": {} }\n{ "create": {} }', 'commands'],
  ['[]', 'commands'],
  ['null', 'project'],
  ['{ "a": ', 'project'],
] as const)('takes %j for the JSON of a %s', (text, content) => {
  expect(contentOf({ name: 'x.json', text, bytes: new TextEncoder().encode(text) })).toBe(content);
});

describe('the request that changes nothing', () => {
  it('has what the sender chose, and not what only answers have', () => {
    const language = {
      id: 9,
      targetLanguageId: 53,
      targetLanguageCode: 'de-DE',
      state: 'InProgress',
      progress: 5,
      flag: null,
      managedProject: true,
    };
    const member = {
      id: 7,
      name: 'A',
      username: 'a@example.com',
      isTranslator: true,
      translationRate: null,
      proofreadedBy: 3,
    };
    const segment = {
      id: 1,
      customId: 'a',
      content: 'One',
      notes: null,
      taskId: 't',
      languageSpecificNotes: [{ languageId: 53, note: 'N' }],
    };
    const project = {
      id: 5,
      name: 'P',
      customId: 'c',
      creationDateUtc: 'x',
      domain: null,
      startDateUtc: 's',
      endDateUtc: 'e',
      sourceLanguageId: 41,
      sourceLanguageCode: 'en-US',
      description: null,
    };
    expect(requestOf({ ...project, targetLanguages: [{ ...language, team: [member] }], segments: [segment] })).toEqual({
      name: 'P',
      customId: 'c',
      endDateUtc: 'e',
      sourceLanguageId: 41,
      sourceLanguageCode: 'en-US',
      targetLanguages: [
        {
          targetLanguageId: 53,
          targetLanguageCode: 'de-DE',
          managedProject: true,
          team: [{ id: 7, name: 'A', username: 'a@example.com', isTranslator: true }],
        },
      ],
      segments: [
        { customId: 'a', content: 'One', taskId: 't', languageSpecificNotes: [{ languageId: 53, note: 'N' }] },
      ],
    });
  });

  it('is not made of something else than the API says', () => {
    expect(() => requestOf({ id: 5, targetLanguages: 'all' })).toThrow(TypeError);
  });
});
