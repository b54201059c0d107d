import { expect, it } from 'vitest';
import { BILINGUAL_FORMATS } from '../../../files/source-file.ts';
import { dividedFaults, missingIn, NAMED_IN } from '../../field-faults.ts';
import { isTypable } from '../../values.ts';

it('the formats that name the language of translations are those that have translations', () => {
  expect(NAMED_IN.targets).toEqual(BILINGUAL_FORMATS);
});

it.each([
  ['json', {}, ['name', 'source', 'targets', 'due']],
  ['xliff', {}, ['name', 'due']],
  ['gettext', { name: 'a', due: '9999-12-31' }, ['source']],
  ['html', { name: 'a', due: '0001-01-01', targetLanguage: ['de-DE'] }, ['due']],
  ['csv', { name: 'a', due: '9999-12-31', targetLanguage: ['de-DE'], sourceLanguage: 'en' }, []],
] as const)('a file of the format %s needs more than %j', (format, options, missing) => {
  expect(Object.keys(missingIn(options, format))).toEqual(missing);
});

it('a fault of an answer belongs to its field, in the order of the form', () => {
  const detail = 'This must be shorter.';
  const ofText = { pointer: '/segments/0/content', code: 'too-long', detail, line: 3 };
  const { ofFields, ofFile } = dividedFaults([
    { pointer: '/endDateUtc', code: 'end-not-after-start', detail },
    ofText,
    { pointer: '/targetLanguages/0/targetLanguageCode', code: 'same-as-source', detail: 'Choose another.' },
    { pointer: '/name', code: 'too-long', detail },
    { pointer: '/targetLanguages/1', code: 'wrong-type', detail },
  ]);
  expect(ofFile).toEqual([ofText]);
  expect(Object.entries(ofFields)).toEqual([
    ['name', 'The name is too long. This must be shorter.'],
    ['targets', 'Language 1: the language is the source language. Choose another. Language 2: This must be shorter.'],
    ['due', expect.stringMatching(/^Choose .+ or a later day\.$/)],
  ]);
});

it.each([
  ['Spring catalogue', true],
  ['كتالوج الربيع 2027', true],
  ['Crème brûlée “new” – 50 %', true],
  ['x'.repeat(40), true],
  ['x'.repeat(41), false],
  ['', false],
  [' x', false],
  ['x ', false],
  ['a  b', false],
  ['a\u00a0b', false],
  ['a\tb', false],
  ['a\u200bb', false],
  ['\u202ea', false],
])('people can type %j: %s', (text, expected) => {
  expect(isTypable(text)).toBe(expected);
});
