import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { isBlock, sentenceCount } from '../../../lib/contract/sentence-count.ts';
import { checked } from '../support.ts';

describe('the sentences of a content', () => {
  it.each([
    ['', 0],
    [' \n\r\n', 0],
    ['One', 1],
    ['One. Two.', 1],
    ['One\nTwo\r\n\r\n  Three\n', 3],
    ['<p>One</p>', 1],
    ['<p>One <b>and</b> two</p>\n<P class="x">Three<br/>Four', 3],
    ['<ul>\n  <li>One</li>\n  <li>Two</li>\n</ul>', 2],
    ['<h1>One</h1><progress>Two</progress> <x-li>and</x-li>', 2],
    ['One < two</ three', 1],
    ['One <p\nTwo', 2],
    ['<b hello', 1],
    ['<b class="x"><i></i></b>', 0],
    ['One</ p>Two', 2],
    ['{n} of {total}', 1],
    ['{n, plural, one {# file} other {# files}} of {name}', 5],
    ['{a,select,other{x} b{y} c{z}}\n'.repeat(2), 10],
  ])('of %j are %i', (content, count) => {
    expect(sentenceCount(content)).toBe(count);
  });

  it('end at the tags of blocks, and at no others', () => {
    const inline =
      'a abbr b bdi bdo big cite code del dfn em font i img ins kbd mark q s samp small span strike strong';
    const names = [
      ...inline.split(' '),
      'sub',
      'sup',
      'svg',
      'u',
      'var',
      'wbr',
      'p',
      'li',
      'br',
      'h6',
      'textarea',
      'td',
    ];
    const wrong = names.filter((name) => sentenceCount(`a<${name}>b`) !== (isBlock(name) ? 2 : 1));
    expect(wrong).toEqual([]);
  });
});

/** Returns the faults of a project with this number of sentences in each of its languages. */
function faultsOf(sentences: number, languages: readonly boolean[]): unknown {
  const targetLanguages = languages.map((serviceAutomaticTranslation, index) => ({
    targetLanguageCode: index === 0 ? 'de' : 'fr',
    serviceAutomaticTranslation,
  }));
  const contents = ['a\n'.repeat(Math.min(sentences, 500_000)), 'a\n'.repeat(Math.max(sentences - 500_000, 1))];
  try {
    checked({ targetLanguages, segments: contents.map((content) => ({ content })) });
    return [];
  } catch (error) {
    return error instanceof Problem ? error.occurrence.errors : error;
  }
}

describe('the limit of sentences that are translated automatically', () => {
  it('holds over all segments and languages', () => {
    expect(faultsOf(LIMITS.automaticSentences / 2, [true, true])).toEqual([]);
    expect(faultsOf(LIMITS.automaticSentences / 2 + 1, [true, true])).toEqual([
      {
        pointer: '/segments',
        code: 'too-many',
        detail:
          'The segments have 1,000,001 sentences. With automatic translation into 2 languages they must have at most 1,000,000, or 2,000,000 over all languages. Divide the project.',
      },
    ]);
  });

  it('does not hold for other languages', () => {
    expect(faultsOf(LIMITS.automaticSentences / 2 + 1, [true, false])).toEqual([]);
    expect(faultsOf(LIMITS.automaticSentences / 2 + 1, [false, false])).toEqual([]);
  });
});
