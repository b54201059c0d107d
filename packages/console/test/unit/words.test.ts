import { describe, expect, it } from 'vitest';
import { isFaultCode } from '../../../../lib/contract/faults.ts';
import { faultInWords, SAYINGS } from '../../fault-words.ts';
import { receivingOf, sendingOf } from '../../partner-words.ts';
import { projectMatcher } from '../../project-search.ts';
import { readableName } from '../../values.ts';

describe('a fault', () => {
  it.each([
    ['/segments/0/content', 'required', 'Segment 1: the text is missing.'],
    [
      '/targetLanguages/1/targetLanguageCode',
      'unknown-language',
      'Language 2: the language is not one that Segue knows.',
    ],
    ['/targetLanguages/0/team/2/name', 'blank', 'Language 1, Person 3: the name is empty.'],
    ['/name', 'required', 'The name is missing.'],
    ['/segments/0/te~1xt', 'unknown-field', 'Segment 1: the field “te/xt” is not known here.'],
    ['/segments/0', 'wrong-type', 'Segment 1: As the detail says.'],
    ['/query/due', 'invalid-parameter', 'As the detail says.'],
    ['', 'syntax', 'As the detail says.'],
    ['/toString', 'constructor', 'As the detail says.'],
    ['/toString', 'required', 'The field “toString” is missing.'],
  ])('at %j with the code %s becomes a sentence', (pointer, code, expected) => {
    expect(faultInWords({ pointer, code, detail: 'As the detail says.' })).toBe(expected);
  });
});

it.each([
  ['gift-cards.json', 'Gift cards'],
  ['Localizable.strings', 'Localizable'],
  ['texts', 'Texts'],
  ['home_page.v2.xlf', 'Home page v2'],
  ['.po', 'Po'],
  ['…', '…'],
  ['---', '---'],
  ['صفحة-البداية.html', 'صفحة البداية'],
])('the file %j suggests the name %j', (file, name) => {
  expect(readableName(file)).toBe(name);
});

it.each([
  ['CATAL', true],
  [' spring-1 ', true],
  ['.*', false],
  ['5', false],
])('the search %j finds the project: %s', (search, isFound) => {
  const project = { id: 5, name: 'Spring catalogue', customId: 'spring-1', targetLanguages: [] };
  expect(projectMatcher(search)(project)).toBe(isFound);
});

it('the codes with words of their own are codes of faults', () => {
  expect(Object.keys(SAYINGS).filter((code) => !isFaultCode(code))).toEqual([]);
});

it.each([
  [['language.completed'], 'Sends to a.example when a language is completed.'],
  [['project.created', 'task.unassigned'], 'Sends to a.example when a project is created or a task is unassigned.'],
  [['language.state-changed'], 'Sends to a.example when the state of a language changes.'],
  [['translation.failed'], 'Sends to a.example when a translation fails.'],
  [['constructor'], 'Sends to a.example when a constructor is changed.'],
])('a destination for %j is described in a sentence', (on, expected) => {
  expect(sendingOf({ hosts: ['a.example'], on })).toBe(expected);
});

it.each([
  [{}, 'Messages may create projects, update projects, and delete projects and tasks.'],
  [{ scopes: ['create', 'update'] }, 'Messages may create projects and update projects.'],
])('a source with %j is described in a sentence', (source, expected) => {
  expect(receivingOf(source)).toBe(expected);
});
