import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { piecesOf, tagDifference } from '../../text-pieces.ts';
import { HOSTILE } from '../hostile-texts.ts';

const tagsIn = (text: string) => piecesOf(text).flatMap((piece) => (piece.isTag ? [piece.text] : []));
const whole = (text: string) =>
  piecesOf(text)
    .map((piece) => piece.text)
    .join('');

const ITEMS = '{count, plural, one {# {size} item} other {# {size} items}} left';

it.each([
  ['<p>يُغسل عند <strong>30</strong></p>', ['<p>', '<strong>', '</strong>', '</p>']],
  ['<a href="/x">{name}</a><br/>', ['<a href="/x">', '{name}', '</a>', '<br/>']],
  ['<0>Save</0> or <1 />', ['<0>', '</0>', '<1 />']],
  ['{{user.name}}, {{ name }}, {0}, {}', ['{{user.name}}', '{{ name }}', '{0}', '{}']],
  ['{price, number}: $' + '{a}, %{b}, #{c}', ['{price, number}', '$' + '{a}', '%{b}', '#{c}']],
  [
    '%s of %1$d, %-5.2f, %@, %(name)s, %name%, $t(key)',
    ['%s', '%1$d', '%-5.2f', '%@', '%(name)s', '%name%', '$t(key)'],
  ],
  ['50% discount, 100%, 5 % of it, 20%off', []],
  [ITEMS, ['{count, plural, one {', '{size}', '} other {', '{size}', '}}']],
  ['{n, plural, one {day} other {days}}: {a}', ['{n, plural, one {', '} other {', '}}', '{a}']],
  ['{n, plural, one', ['{n, plural,']],
  ['1 < 2 and 3 > 2, <>, {a b}, } and {', []],
  ['<p', []],
  ['', []],
])('finds the tags and placeholders of %j', (text, tags) => {
  expect(tagsIn(text)).toEqual(tags);
  expect(whole(text)).toBe(text);
});

it('keeps every text whole', () => {
  for (const text of HOSTILE) expect(whole(text)).toBe(text);
  const unit = fc.constantFrom('<', '>', '/', '{', '}', 'a', ' ', 'ש', '%', '$', '#', ', plural,', '{a, select,');
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      expect(whole(text)).toBe(text);
    }),
  );
});

it.each(['<a', '{a', '{{a', '{a}', '<a>', '<a> b ', 'a', '{ ', '{a, plural, ', '%', '%0', '{a, plural, b {'])(
  'makes few pieces of a long text of %j',
  (part) => {
    const text = part.repeat(100_000);
    expect(piecesOf(text).length).toBeLessThanOrEqual(202);
    expect(whole(text)).toBe(text);
  },
);

describe('the difference between a source and its translation', () => {
  it.each([
    ['Hello {name}', 'Hallo', ['{name}'], []],
    ['Hello {name}', 'Hallo {Name}', ['{name}'], ['{Name}']],
    ['Hello {{ name }}', 'Hallo {{name}}', [], []],
    ['%s and %s', '%s', ['%s'], []],
    ['%s by %d', '%2$d von %1$s', [], []],
    ['%1$s by %2$d', 'von %s', ['%2$d'], []],
    ['%d items', '%s Stück', ['%d'], ['%s']],
    ['<a href="/en">Read</a><br>', '<a href="/de">Lesen<br/>', ['</a>'], []],
    ['<b>A</b> <b>B</b>', '<b>A</b> B', ['<b>', '</b>'], []],
    ['{a} {b}', '{b} {a} {a}', [], []],
    [ITEMS, '{count, plural, one {# {size}} two {# {size}} few {# {size}} other {# {size}}}', [], []],
    [ITEMS, '{count, plural, other {{count} {size}}}', [], []],
    [ITEMS, 'Noch {size}', ['{count}'], []],
    ['Save', '', [], []],
    ['Save {name}', ' \n', [], []],
    ['50% discount', '50 % Rabatt', [], []],
  ])('of %j and %j', (source, translation, missing, added) => {
    expect(tagDifference(source, translation)).toEqual({ missing, added });
  });

  it('is none for a text and itself, and compares no text of too many pieces', () => {
    for (const text of HOSTILE) expect(tagDifference(text, text)).toEqual({ missing: [], added: [] });
    expect(tagDifference('<a> b'.repeat(100_000), 'a')).toEqual({ missing: [], added: [] });
  });
});
