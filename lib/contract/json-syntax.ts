import { positionOf, type TextPosition } from './text-position.ts';

/** The first place where a text is not JSON. */
export interface SyntaxFault extends TextPosition {
  /** What JSON allows at this place, such as `"," or "}"`, and a hint for a common mistake. Never quotes the text. */
  readonly expected: string;
}

/** What the grammar of RFC 8259 allows next. */
const NEXT = {
  value: 'a value',
  firstEntry: 'a value or "]"',
  key: 'a key in double quotes',
  firstKey: 'a key in double quotes or "}"',
  colon: '":" after the key',
  afterMember: '"," or "}"',
  afterEntry: '"," or "]"',
  end: 'the end of the text',
  character: 'another character or a closing double quote',
  escape: 'one of " \\ / b f n r t u after a backslash',
  hexDigits: 'four hexadecimal digits after \\u',
} as const;
type Next = keyof typeof NEXT;

/** Common mistakes, by what stands where JSON expects something else. */
const HINTS: readonly { readonly at: readonly Next[]; readonly found: RegExp; readonly hint: string }[] = [
  { at: ['value', 'key'], found: /[\]}]/y, hint: 'JSON allows no comma before a closing bracket' },
  { at: ['value', 'firstEntry'], found: /-?(?:NaN|Infinity)/y, hint: 'JSON has no such number' },
  { at: ['value', 'firstEntry'], found: /true|false|null|none|undefined/iy, hint: 'write true, false or null' },
  { at: ['value', 'firstEntry', 'key', 'firstKey'], found: /['‘’“”`]/y, hint: 'use double quotes' },
  { at: ['value', 'firstEntry'], found: /[+.\d]/y, hint: 'write a number as 1, 0.5 or -2' },
  { at: ['value', 'firstEntry', 'key', 'firstKey'], found: /[\p{L}_$]/uy, hint: 'a text needs double quotes' },
  { at: ['afterMember', 'afterEntry', 'end'], found: /[\d.xeE]/y, hint: 'write a number as 1, 0.5 or -2' },
  { at: ['character'], found: /\n|\r/y, hint: 'write a line break in a text as \\n' },
  { at: ['character'], found: /./sy, hint: 'write a control character as \\u and four digits, a tab as \\t' },
];
const COMMENT = { found: /\/[/*]|#/y, hint: 'JSON has no comments' };

const SPACE = /[ \t\n\r]*/y;
/** All characters from the space on, but no quote and no backslash. */
const PLAIN_CHARACTERS = /[ !#-[\]-\uffff]*/y;
const HEX_DIGITS = /[0-9a-fA-F]{4}/y;
const NUMBER_OR_WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Finds the first place where a text is not JSON. It takes time proportional to the length of the text.
 * @returns `undefined` if the text is JSON
 */
export function findSyntaxFault(text: string): SyntaxFault | undefined {
  const open: ('{' | '[')[] = [];
  let next: Next = 'value';
  let at = 0;

  /** Moves on if the pattern matches here. */
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  /** Moves past a string. @returns what is missing, if the string is faulty */
  const skipString = (): Next | undefined => {
    for (at += 1; ; ) {
      skip(PLAIN_CHARACTERS);
      if (text[at] === '"') {
        at += 1;
        return undefined;
      }
      if (text[at] !== '\\') return 'character';
      const escaped = text[at + 1];
      if (escaped === undefined || !'"\\/bfnrtu'.includes(escaped)) return 'escape';
      at += 2;
      if (escaped === 'u' && !skip(HEX_DIGITS)) return 'hexDigits';
    }
  };
  const afterValue = (): Next => {
    const container = open.at(-1);
    return container === undefined ? 'end' : container === '{' ? 'afterMember' : 'afterEntry';
  };

  for (;;) {
    skip(SPACE);
    const found = text[at];
    if (found === undefined) return next === 'end' ? undefined : faultAt(text, at, next);
    const takesValue: boolean = next === 'value' || next === 'firstEntry';
    const takesKey: boolean = next === 'key' || next === 'firstKey';
    if (found === '"' && (takesValue || takesKey)) {
      const missing = skipString();
      if (missing !== undefined) return faultAt(text, at, missing);
      next = takesKey ? 'colon' : afterValue();
    } else if (takesValue && (found === '{' || found === '[')) {
      open.push(found);
      next = found === '{' ? 'firstKey' : 'firstEntry';
      at += 1;
    } else if (closes(found, next)) {
      open.pop();
      next = afterValue();
      at += 1;
    } else if (takesValue && skip(NUMBER_OR_WORD)) {
      next = afterValue();
    } else if (found === ':' && next === 'colon') {
      next = 'value';
      at += 1;
    } else if (found === ',' && (next === 'afterMember' || next === 'afterEntry')) {
      next = next === 'afterMember' ? 'key' : 'value';
      at += 1;
    } else {
      return faultAt(text, at, next);
    }
  }
}

function closes(found: string, next: Next): boolean {
  return found === '}' ? next === 'firstKey' || next === 'afterMember' : found === ']' && /Entry$/.test(next);
}

function faultAt(text: string, index: number, next: Next): SyntaxFault {
  const position = positionOf(text, index);
  const expected = NEXT[next];
  if (index >= text.length) return { ...position, expected: `${expected}, but the text ends here` };
  const isHere = (pattern: RegExp) => {
    pattern.lastIndex = index;
    return pattern.test(text);
  };
  const known = isHere(COMMENT.found) ? COMMENT : HINTS.find(({ at, found }) => at.includes(next) && isHere(found));
  return { ...position, expected: known ? `${expected}; ${known.hint}` : expected };
}
