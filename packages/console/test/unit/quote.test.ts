import { expect, it } from 'vitest';
import { quotedText } from '../../quote.tsx';

const quoted = { engine: 'deepl', characters: 2_000, cost: { amount: 0.04, currency: 'EUR' } };

it.each([
  ['nobody asks', quoted, false, 'Not asked for, so it costs nothing.'],
  ['Segue has no engine', null, true, 'Segue has no engine of its own, and knows no price.'],
  ['nothing is new', { ...quoted, characters: 0 }, true, 'Nothing to translate now, so it costs nothing.'],
  ['there is a price', quoted, true, '2,000 characters, 0.04 EUR.'],
  ['there is no price', { ...quoted, cost: null }, true, '2,000 characters. No price is set.'],
  [
    'the engine is only for tests',
    { engine: 'pseudo', characters: 1, cost: null },
    true,
    '1 character with a test engine. It translates nothing: it only adds accents and brackets.',
  ],
])('says what automatic translation costs if %s', (_, quote, isAsked, expected) => {
  expect(quotedText(quote, isAsked)).toBe(expected);
});
