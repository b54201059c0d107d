import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../lib/contract/faults.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { WRITABLE_STATUSES } from '../../../lib/contract/translation-status.ts';
import { checkLanguageChange, checkTranslations } from '../../../lib/contract/translations.ts';
import { describedBy } from '../../support/described.ts';
import type { JsonObject } from '../../support/projects.ts';

/** Returns the faults of a value as `pointer code`, in their order. A valid value has none. */
function faultsIn(check: (value: unknown) => unknown, value: unknown): string[] {
  return problemOf(check, value).faults.map(({ pointer, code }) => `${pointer} ${code}`);
}

function problemOf(
  check: (value: unknown) => unknown,
  value: unknown,
): { name: string; detail: string; faults: readonly Fault[] } {
  try {
    check(value);
    return { name: 'none', detail: '', faults: [] };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { name: error.name, detail: error.message, faults: error.occurrence.errors ?? [] };
  }
}

/** Returns an entry with these fields. */
const entry = (fields: JsonObject = {}): JsonObject => ({
  segmentId: 7,
  languageCode: 'de',
  content: 'Hallo',
  status: 'translated',
  ...fields,
});
const without = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));

describe('a list of translations', () => {
  it('is returned without nulls, with the id of each language', () => {
    const sent = [
      entry({ segmentCustomId: null, ifVersion: 0, reopen: true }),
      entry({
        segmentId: null,
        segmentCustomId: '',
        languageCode: 'DE_de',
        content: ' \u0000<b>😀</b>',
        status: 'draft',
      }),
    ];
    expect(checkTranslations(sent)).toEqual([
      { ...entry({ ifVersion: 0, reopen: true }), languageId: 1_093 },
      { segmentCustomId: '', languageCode: 'DE_de', content: ' \u0000<b>😀</b>', status: 'draft', languageId: 53 },
    ]);
  });

  it.each<[title: string, value: unknown, faults: readonly string[]]>([
    ['an object', { translations: [entry()] }, [' wrong-type']],
    ['nothing', undefined, [' required']],
    ['an empty list', [], [' too-few']],
    ['entries that are no objects', [1, null, [entry()]], ['/0 wrong-type', '/1 required', '/2 wrong-type']],
    [
      'an empty entry',
      [{}],
      ['/0/languageCode required', '/0/content required', '/0/status required', '/0/segmentId required'],
    ],
    ['no segment', [entry(without('segmentId'))], ['/0/segmentId required']],
    ['two names of a segment', [entry({ segmentCustomId: 'a' })], ['/0/segmentCustomId exclusive-field']],
    ['a segment id of another type', [entry({ segmentId: '7' })], ['/0/segmentId wrong-type']],
    ['a segment id that is none', [entry({ segmentId: 0 })], ['/0/segmentId out-of-range']],
    [
      'a long custom id',
      [entry({ segmentId: null, segmentCustomId: 'x'.repeat(1_001) })],
      ['/0/segmentCustomId too-long'],
    ],
    ['an unknown language', [entry({ languageCode: 'xx' })], ['/0/languageCode unknown-language']],
    ['empty content', [entry({ content: '' })], ['/0/content empty']],
    ['ill-formed content', [entry({ content: '\ud83d' })], ['/0/content ill-formed-unicode']],
    ['content over 1 MiB', [entry({ content: '人'.repeat(349_526) })], ['/0/content too-long']],
    ['a status that only the service gives', [entry({ status: 'automatic' })], ['/0/status not-allowed']],
    ['a version below 0', [entry({ ifVersion: -1 })], ['/0/ifVersion out-of-range']],
    ['a version that is no integer', [entry({ ifVersion: 1.5 })], ['/0/ifVersion wrong-type']],
    ['a reopen of another type', [entry({ reopen: 'true' })], ['/0/reopen wrong-type']],
    [
      'fields of answers',
      [entry({ id: 1, languageId: 52, version: 3 })],
      ['/0/id service-field', '/0/languageId service-field', '/0/version service-field'],
    ],
    [
      'a misspelt field',
      [entry({ segmentID: 7, ifversion: 1 })],
      ['/0/segmentID unknown-field', '/0/ifversion unknown-field'],
    ],
    [
      'faults of several entries',
      [entry({ content: '' }), entry({ segmentId: null })],
      ['/0/content empty', '/1/segmentId required'],
    ],
  ])('is refused: %s', (_, value, faults) => {
    expect(faultsIn(checkTranslations, value)).toEqual(faults);
    expect(problemOf(checkTranslations, value).name).toBe('invalid-translations');
  });

  it('names no translation twice, however it names the language', () => {
    const sent = [
      entry(),
      entry({ languageCode: 'fr' }),
      entry({ languageCode: 'deu', content: 'Tag' }),
      entry({ segmentId: null, segmentCustomId: '7' }),
      entry({ segmentId: null, segmentCustomId: '7', languageCode: 'DE', content: '' }),
    ];
    const faults = ['/2 duplicate-translation', '/4/content empty', '/4 duplicate-translation'];
    expect(faultsIn(checkTranslations, sent)).toEqual(faults);
    expect(problemOf(checkTranslations, sent).faults[0]?.detail).toMatch(/index 0/);
  });

  it('suggests the nearest names and codes', () => {
    const { faults } = problemOf(checkTranslations, [entry({ languageCode: 'german', statuss: 'draft' })]);
    expect(faults.map(({ allowed }) => allowed)).toEqual([['status'], expect.arrayContaining(['de'])]);
  });

  it('has 1 to 1,000 entries; a longer list is not checked further', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => entry({ segmentId: n + 1 }));
    expect(checkTranslations(many(LIMITS.translations))).toHaveLength(LIMITS.translations);
    const { faults } = problemOf(checkTranslations, [...many(LIMITS.translations), {}]);
    expect(faults).toMatchObject([
      { pointer: '', code: 'too-many', detail: 'This list must have at most 1000 entries.' },
    ]);
  });

  it('reports the first hundred faults, without quoting the content', () => {
    const { detail, faults } = problemOf(
      checkTranslations,
      Array.from({ length: 101 }, () => ({ languageCode: 'canary', status: 'canary', content: 'canary \ud83d' })),
    );
    expect(faults).toHaveLength(LIMITS.faults);
    expect(detail).toContain('at least 100 rules');
    for (const fault of faults) expect(fault.detail).not.toContain('canary');
  });
});

describe('a change of a language', () => {
  it.each(['InProgress', 'InPreparation'] as const)('sets the state: %s', (state) => {
    expect(checkLanguageChange({ state })).toEqual({ state });
  });

  it.each<[title: string, value: unknown, faults: readonly string[]]>([
    ['no object', 'InProgress', [' wrong-type']],
    ['a list', [{ state: 'InProgress' }], [' wrong-type']],
    ['nothing', undefined, [' required']],
    ['no state', {}, ['/state required']],
    ['a null state', { state: null }, ['/state required']],
    ['another state', { state: 'Completed' }, ['/state not-allowed']],
    [
      'other fields',
      { state: 'InProgress', team: [], progress: 3 },
      ['/team unknown-field', '/progress service-field'],
    ],
  ])('is refused: %s', (_, value, faults) => {
    expect(faultsIn(checkLanguageChange, value)).toEqual(faults);
    expect(problemOf(checkLanguageChange, value).name).toBe('invalid-language-change');
  });
});

describe('the description and the code accept the same', () => {
  const described = {
    translations: describedBy({ $ref: '#/components/schemas/TranslationsRequest' }),
    change: describedBy({ $ref: '#/components/schemas/LanguageChange' }),
  };
  const odd = fc.constantFrom(undefined, null, '', 'a', '\ufffd', 0, -1, 1, 1.5, 2 ** 53, true, {}, [], 'InProgress');

  it('translations, except for languages and repeated entries', () => {
    const field = <T>(usual: fc.Arbitrary<T>) =>
      fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: odd });
    const any = fc.record(
      {
        segmentId: field(fc.integer({ min: 1 })),
        segmentCustomId: field(fc.constantFrom(null, undefined)),
        languageCode: fc.constantFrom('de', 'fr-CA'),
        content: field(fc.string({ minLength: 1, unit: 'grapheme' })),
        status: field(fc.constantFrom(...WRITABLE_STATUSES)),
        ifVersion: field(fc.nat()),
        reopen: field(fc.boolean()),
        extra: fc.constantFrom(...Array.from({ length: 9 }, () => undefined), 1),
      },
      { requiredKeys: ['languageCode'] },
    );
    // Like JSON, the description has no fields that are undefined.
    const sent = any.map((value) => [JSON.parse(JSON.stringify(value))]);
    fc.assert(
      fc.property(sent, (value) => {
        expect([value, faultsIn(checkTranslations, value).length === 0]).toEqual([
          value,
          described.translations(value),
        ]);
      }),
      { numRuns: 500 },
    );
  });

  it('changes of a language', () => {
    const change = fc.oneof(odd, fc.dictionary(fc.constantFrom('state', 'State', 'team'), odd));
    fc.assert(
      fc.property(change, (value) => {
        expect([value, faultsIn(checkLanguageChange, value).length === 0]).toEqual([value, described.change(value)]);
      }),
    );
  });
});
