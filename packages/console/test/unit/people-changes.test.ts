import { describe, expect, it } from 'vitest';
import { changesOf, withChange, withPeople } from '../../people-changes.ts';

const anna = { id: 1, name: 'Anna', username: 'anna@example.com', isTranslator: true };
const ben = { id: 2, name: 'Ben', username: 'ben@example.com', isProofreader: true };
const german = { targetLanguageCode: 'de-DE', team: [anna, ben] };

describe('the changes of a language', () => {
  it.each([
    ['nothing', {}, []],
    ['a role that is off and was absent', { team: [{ ...anna, isProofreader: false }, ben] }, []],
    [
      'a new person',
      { team: [anna, ben, { id: 3, name: 'Zoë', username: 'zoe@example.com' }] },
      [['Added', 'Zoë', 'No role']],
    ],
    ['a removed person', { team: [ben] }, [['Removed', 'Anna']]],
    [
      'another role',
      { team: [{ ...anna, isProofreader: true }, ben] },
      [['Changed', 'Anna', 'Translator, Proofreader']],
    ],
    [
      'another e-mail address',
      { team: [{ ...anna, username: 'a@example.com' }, ben] },
      [['Changed', 'Anna', 'Translator']],
    ],
    ['another name', { team: [{ ...anna, name: 'Ann' }, ben] }, [['Changed', 'Ann', 'Translator']]],
    [
      'a new person with the number of a removed one',
      { team: [anna, { ...ben, name: 'Zoë', username: 'zoe@example.com' }] },
      [
        ['Added', 'Zoë', 'Proofreader'],
        ['Removed', 'Ben'],
      ],
    ],
    ['another way of work', { serviceProofreading: true, managedProject: false }, [['Turned on', 'People proofread']]],
  ])('are said in words: %s', (_, change, expected) => {
    expect(changesOf(german, { ...german, ...change })).toEqual(expected);
  });

  it('are kept until everything is again as it is saved', () => {
    const first = withChange(undefined, german, { serviceProofreading: true });
    const second = withChange(first, german, { team: [anna] });
    expect(second).toEqual({ 'de-DE': { serviceProofreading: true, team: [anna] } });
    const third = withChange(second, german, { serviceProofreading: false });
    expect(withChange(third, german, { team: [anna, ben] })).toBeUndefined();
  });
});

it('a language that nobody has changed stays as it is now', () => {
  const now = [
    { ...german, team: [ben] },
    { targetLanguageId: 7, team: [anna] },
  ];
  expect(withPeople(now, { '7': { team: [] }, 'fr-FR': { team: [anna] } })).toEqual([
    now[0],
    { targetLanguageId: 7, team: [] },
  ]);
});
