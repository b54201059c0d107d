import fc from 'fast-check';
import { expect, it } from 'vitest';
import { piecesOf } from '../../text-pieces.ts';
import { HOSTILE } from '../hostile-texts.ts';

const tagsIn = (text: string) => piecesOf(text).flatMap((piece) => (piece.isTag ? [piece.text] : []));
const whole = (text: string) =>
  piecesOf(text)
    .map((piece) => piece.text)
    .join('');

it.each([
  ['<p>يُغسل عند <strong>30</strong></p>', ['<p>', '<strong>', '</strong>', '</p>']],
  ['<a href="/x">{name}</a><br/>', ['<a href="/x">', '{name}', '</a>', '<br/>']],
  ['{{user.name}}, {0}', ['{{user.name}}', '{0}']],
  ['{count, plural, one {# item} other {# items}}', []],
  ['1 < 2 and 3 > 2, {}, <>, {a b}', []],
  ['<p', []],
  ['', []],
])('finds the tags and placeholders of %j', (text, tags) => {
  expect(tagsIn(text)).toEqual(tags);
  expect(whole(text)).toBe(text);
});

it('keeps every text whole', () => {
  for (const text of HOSTILE) expect(whole(text)).toBe(text);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('<', '>', '/', '{', '}', 'a', ' ', 'ש') }), (text) => {
      expect(whole(text)).toBe(text);
    }),
  );
});

it.each(['<a', '{a', '{{a', '{a}', '<a>', '<a> b ', 'a'])('makes few pieces of a long text of %j', (part) => {
  const text = part.repeat(100_000);
  expect(piecesOf(text).length).toBeLessThanOrEqual(202);
  expect(whole(text)).toBe(text);
});
