import { expect, it } from 'vitest';
import { compareRuns, comparisonTable, type Figure, figuresIn } from '../../bench/support/compare.ts';
import { markdownTable, ratioTable } from '../../bench/support/table.ts';

const ms = (value: number, what = 'create: Segue'): Figure[] => [{ what, value, unit: 'ms' }];
const perSecond = (value: number): Figure[] => [{ what: 'small creates: Segue', value, unit: '/s' }];

it('reads the figures of Segue from every table, and no floors', () => {
  const requests = ratioTable([
    { what: 'create', unit: 'ms', floor: 4, segue: 8.128, target: { atMost: 2.5 } },
    { what: 'small creates', unit: '/s', floor: 4_000, segue: 1_000 },
  ]);
  const starts = markdownTable(
    ['function', 'empty handler', 'hosted', 'import', 'upstream', 'import'],
    [['pages', '1.0 ms', '10.5 kB', '2.0 ms', '11.5 kB', '3.0 ms']],
  );
  expect(figuresIn(`${requests}\nSegue in front of Segue:\n\n${starts}`)).toEqual([
    { what: 'create: Segue', value: 8.13, unit: 'ms' },
    { what: 'small creates: Segue', value: 1_000, unit: '/s' },
    { what: 'pages: hosted', value: 10.5, unit: 'kB' },
    { what: 'pages: import', value: 2, unit: 'ms' },
    { what: 'pages: upstream', value: 11.5, unit: 'kB' },
    { what: 'pages: import (next)', value: 3, unit: 'ms' },
  ]);
});

it('compares pair by pair, so that a slow minute of the machine counts for both', () => {
  const pairs = [
    { other: ms(100), own: ms(101) },
    { other: ms(300), own: ms(306) },
    { other: ms(100), own: ms(99) },
  ];
  expect(compareRuns(pairs)).toEqual([
    {
      what: 'create: Segue',
      unit: 'ms',
      other: 100,
      own: 101,
      ratio: { median: 1.01, min: 0.99, max: 1.02 },
      verdict: '',
    },
  ]);
});

it.each<[string, readonly number[], readonly number[], string]>([
  ['more than 3 % slower in every pair', [100, 100, 100], [104, 105, 101], 'worse'],
  ['more than 3 % slower, but not in every pair', [100, 100, 100], [104, 120, 99], ''],
  ['3 % slower', [100, 100, 100], [103, 103, 103], ''],
  ['more than 3 % faster in every pair', [100, 100, 100], [90, 95, 99], 'better'],
])('judges a time that is %s', (_, others, owns, verdict) => {
  const pairs = others.map((other, n) => ({ other: ms(other), own: ms(owns[n] ?? 0) }));
  expect(compareRuns(pairs)).toMatchObject([{ verdict }]);
});

it('judges a rate the other way round', () => {
  expect(compareRuns([{ other: perSecond(1_000), own: perSecond(900) }])).toMatchObject([{ verdict: 'worse' }]);
  expect(compareRuns([{ other: perSecond(900), own: perSecond(1_000) }])).toMatchObject([{ verdict: 'better' }]);
});

it('shows all rows, also those that one commit lacks', () => {
  const comparisons = compareRuns([
    { other: [...ms(100), ...ms(7, 'old: Segue')], own: [...ms(110), ...ms(5, 'new: Segue')] },
  ]);
  expect(comparisonTable('abc1234', comparisons).split('\n')).toEqual([
    '| what | abc1234 | here | ratio | min–max |  |',
    '| --- | --: | --: | --: | --: | --: |',
    '| create: Segue | 100.0 ms | 110.0 ms | 1.100 | 1.10–1.10 | worse |',
    '| new: Segue | – | 5.00 ms |  |  | only one |',
    '| old: Segue | 7.00 ms | – |  |  | only one |',
    '',
  ]);
});
