import { describe, expect, it } from 'vitest';
import { formatFaults, formatProblemFaults, type ShownFault } from '../faults-in-file.ts';

/** Returns how a fault at a place of a text is shown. */
const shown = (text: string, place: ShownFault['place']) =>
  formatFaults({ path: 'f.json', text }, [{ place, message: 'm' }]);

const JSON_TEXT = '{\n  "a": [1, {"b/c": 2}],\n  "d": {},\n  "d": 3\n}\n';

describe('a fault of a file', () => {
  it.each<[what: string, place: ShownFault['place'], where: string, line: string, caret: string]>([
    ['a line and a column', { line: 3, column: 8 }, '3:8', '  "d": {},', '       ^'],
    ['a member', { pointer: '/a' }, '2:8', '  "a": [1, {"b/c": 2}],', '       ^'],
    ['an entry', { pointer: '/a/0' }, '2:9', '  "a": [1, {"b/c": 2}],', '        ^'],
    ['a name with a slash', { pointer: '/a/1/b~1c' }, '2:20', '  "a": [1, {"b/c": 2}],', '                   ^'],
    ['a key', { pointer: '/a/1/b~1c', code: 'unknown-field' }, '2:13', '  "a": [1, {"b/c": 2}],', '            ^'],
    ['an absent member of an object', { pointer: '/a/1/x/y' }, '2:12', '  "a": [1, {"b/c": 2}],', '           ^'],
    ['the second of equal keys', { pointer: '/d', code: 'duplicate-key' }, '4:3', '  "d": 3', '  ^'],
    ['the whole text', { pointer: '' }, '1:1', '{', '^'],
  ])('at %s is shown with a caret', (_, place, where, line, caret) => {
    expect(shown(JSON_TEXT, place)).toBe(`f.json:${where}: m\n  ${line}\n  ${caret}\n`);
  });

  it('in a text that is not JSON is where the syntax breaks', () => {
    expect(shown('{\r\n  "a" 1}', { pointer: '/a' })).toBe('f.json:2:7: m\n    "a" 1}\n        ^\n');
    expect(shown('', { pointer: '' })).toBe('f.json:1:1: m\n');
  });

  it('without a column has no caret', () => {
    expect(shown('x\ny\n', { line: 2 })).toBe('f.json:2: m\n  y\n');
  });

  it('after wide and combined characters has the caret below it', () => {
    const text = '["日本", "e\u0301", "😀", 5]';
    expect(shown(text, { pointer: '/3' }).split('\n')).toEqual([
      'f.json:1:19: m',
      `  ${text}`,
      `  ${' '.repeat(20)}^`,
      '',
    ]);
  });

  it('shows a part of a long line, never half a character, and no control characters', () => {
    const text = `["${'😀'.repeat(50)}", 5, "${'x'.repeat(50)}\u202e\u202e", "${'y'.repeat(90)}"]`;
    const [, line = '', caret = ''] = shown(text, { pointer: '/1' }).split('\n');
    expect(line).toMatch(/^ {2}…(?:😀){18}", 5, "x{50}\\u202e\\u202e", "…$/);
    expect(caret).toBe(`  ${' '.repeat(1 + 36 + 3)}^`);
    expect(shown('\t\u001b[31m', { line: 1, column: 2 })).toBe('f.json:1:2: m\n   \\u001b[31m\n   ^\n');
  });

  it('shares the excerpt with the next fault at the same place', () => {
    const file = { path: 'm.jsonl', text: '{"create":{"x":1}}', firstLine: 7 };
    const faults = [
      { pointer: '/name', code: 'required', detail: 'D.' },
      { pointer: '/segments', code: 'required', detail: 'E.' },
      { pointer: '/x', code: 'unknown-field', detail: 'F.' },
      { pointer: '', code: 'too-many', detail: 'G.' },
    ];
    expect(formatProblemFaults(file, faults, { whole: 'the project', base: '/create' })).toBe(
      `m.jsonl:7:11: /name required: D.
m.jsonl:7:11: /segments required: E.
  {"create":{"x":1}}
            ^
m.jsonl:7:12: /x unknown-field: F.
  {"create":{"x":1}}
             ^
m.jsonl:7:11: the project too-many: G.
  {"create":{"x":1}}
            ^
`,
    );
  });

  it('of a text that cannot be shown has no excerpt', () => {
    const faults = [
      { place: { line: 3, column: 1 }, message: 'one' },
      { place: { pointer: '/a' }, message: 'two' },
    ];
    expect(formatFaults({ path: 'f', text: undefined }, faults)).toBe('f:3:1: one\ntwo\n');
  });
});
