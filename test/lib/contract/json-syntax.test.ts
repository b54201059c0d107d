import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSyntaxFault } from '../../../lib/contract/json-syntax.ts';
import { positionOf } from '../../../lib/contract/text-position.ts';

describe('the first place where a text is not JSON', () => {
  it.each([
    ['', 1, 1, 'a value, but the text ends here'],
    [' \n ', 2, 2, 'a value, but the text ends here'],
    ['{', 1, 2, 'a key in double quotes or "}", but the text ends here'],
    ['{"a":1,}', 1, 8, 'a key in double quotes; JSON allows no comma before a closing bracket'],
    ['[1,\n  2,\n]', 3, 1, 'a value; JSON allows no comma before a closing bracket'],
    ['{"a":1 "b":2}', 1, 8, '"," or "}"'],
    ['["a" "b"]', 1, 6, '"," or "]"'],
    ['{"a" 1}', 1, 6, '":" after the key'],
    ['{a:1}', 1, 2, 'a key in double quotes or "}"; a text needs double quotes'],
    ["{'a':1}", 1, 2, 'a key in double quotes or "}"; use double quotes'],
    ['{"a":“b”}', 1, 6, 'a value; use double quotes'],
    ['{"a":b}', 1, 6, 'a value; a text needs double quotes'],
    ['{"a":True}', 1, 6, 'a value; write true, false or null'],
    ['{"a":None}', 1, 6, 'a value; write true, false or null'],
    ['{"a":NaN}', 1, 6, 'a value; JSON has no such number'],
    ['{"a":.5}', 1, 6, 'a value; write a number as 1, 0.5 or -2'],
    ['{"a":01}', 1, 7, '"," or "}"; write a number as 1, 0.5 or -2'],
    ['[1.]', 1, 3, '"," or "]"; write a number as 1, 0.5 or -2'],
    ['{"a":1 // one\n}', 1, 8, '"," or "}"; JSON has no comments'],
    ['{/* */}', 1, 2, 'a key in double quotes or "}"; JSON has no comments'],
    ['{"a":"b\nc"}', 1, 8, 'another character or a closing double quote; write a line break in a text as \\n'],
    ['{"😀é":"b\tc"}', 1, 9, expect.stringMatching(/a tab as \\t$/)],
    ['{"a":"b', 1, 8, 'another character or a closing double quote, but the text ends here'],
    ['"\\x"', 1, 2, 'one of " \\ / b f n r t u after a backslash'],
    ['"\\u12"', 1, 4, 'four hexadecimal digits after \\u'],
    ['{}{}', 1, 3, 'the end of the text'],
    ['{"a":[1}', 1, 8, '"," or "]"'],
  ])('%j: line %i, column %i', (text, line, column, expected) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(findSyntaxFault(text)).toEqual({ line, column, expected });
  });

  it('exists exactly if JSON.parse rejects the text', () => {
    const parts = [
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"\\n"',
      '"\\u00e9"',
      '1',
      '-0.5e3',
      '01',
      'true',
      'null',
      ' ',
      '\n',
      '"',
    ];
    const broken = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((found) => found.join(''));
    const spoilt = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', ...parts)).map(([json, place, part]) => {
      const at = place % (json.length + 1);
      return json.slice(0, at) + part + json.slice(at + 1);
    });
    fc.assert(
      fc.property(fc.oneof(broken, spoilt), (text) => {
        expect(findSyntaxFault(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 3_000 },
    );
  });

  it('is found without recursion', () => {
    expect(findSyntaxFault('['.repeat(100_000))).toEqual({ line: 1, column: 100_001, expected: expect.any(String) });
  });

  it('never quotes the text', () => {
    for (const text of ['{"name": secret}', '"secret\n"', 'secret', '{"secret"}']) {
      expect(findSyntaxFault(text)?.expected).not.toContain('secret');
    }
  });
});

it('a column counts characters, not UTF-16 units', () => {
  expect(positionOf('a\n😀b', 4)).toEqual({ line: 2, column: 2 });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
