import { type Chapter, named } from './text.ts';

const arrays = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const objects = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
const both = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;

const NAMED = Array.from({ length: 100_000 }, (_, n) => `{"${n}":0}`).join(',');

/** Depth and sheer size. The limits of 16 levels, 500,000 values and 1,000 names are ours; parsers may have some. */
export const NESTING: Chapter = {
  about: 'nesting',
  y: [
    named('an array of 16 levels', arrays(16)),
    named('an object of 16 levels', objects(16)),
    named('16 levels of both', both(16)),
    named('brackets in a text', JSON.stringify('[{'.repeat(50_000))),
    named('300,000 empty arrays side by side', `[${'[],'.repeat(299_999)}[]]`),
    named('a megabyte of white space', `${' '.repeat(500_000)}[]${'\n'.repeat(500_000)}`),
    named('a hundred thousand nulls', `[${'null,'.repeat(100_000)}null]`),
  ],
  n: {
    syntax: [
      named('12 levels, one left open', '['.repeat(12) + ']'.repeat(11)),
      named('12 levels, one closed twice', '['.repeat(12) + ']'.repeat(13)),
      named('a million closing brackets', ']'.repeat(1_000_000)),
      named('a million brackets that close before they open', ']['.repeat(500_000)),
      named('400,000 commas', `[${','.repeat(400_000)}]`),
      named('a million colons', `{${':'.repeat(1_000_000)}}`),
    ],
    'too-many': [
      named('a million commas', `[${','.repeat(1_000_000)}]`),
      named('a million zeros, left open', `[${'0,'.repeat(1_000_000)}`),
    ],
    'too-deep': [
      named('17 open arrays', '['.repeat(17)),
      named('100,000 open arrays', '['.repeat(100_000)),
      named('100,000 open objects', '{"a":'.repeat(100_000)),
      named('100,000 of both', '[{"":'.repeat(50_000)),
      named('three million open arrays', '['.repeat(3_000_000)),
    ],
  },
  i: {
    'too-many': [
      named('a million zeros', `[${'0,'.repeat(999_999)}0]`),
      named('a million empty objects', `[${'{},'.repeat(999_999)}{}]`),
      named('a hundred thousand objects, each with a name of its own', `[${NAMED}]`),
      named('a hundred thousand names in one object', `{"a":[{${NAMED.replaceAll(/[{}]/g, '')}}]}`),
    ],
    'too-deep': [
      named('an array of 17 levels', arrays(17)),
      named('an object of 17 levels', objects(17)),
      named('18 levels of both', both(18)),
      named('17 levels behind a shallow neighbour', `[[],${arrays(16)}]`),
      named('500 levels', arrays(500)),
      named('an array of 100,000 levels', arrays(100_000)),
      named('an object of 100,000 levels', objects(100_000)),
      named('a million levels', arrays(1_000_000)),
    ],
  },
};
