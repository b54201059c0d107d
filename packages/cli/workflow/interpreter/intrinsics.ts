import { createHash, randomInt, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from './json-path.ts';
import { DefinitionError, StateError } from './state-error.ts';

/** A parsed call of an intrinsic function. */
export interface Call {
  readonly name: string;
  readonly args: readonly Argument[];
}
type Argument = Call | { readonly path: string } | { readonly literal: unknown };

const NUMBER = /^-?\d+(?:\.\d+)?/;
const PATH = /^\$[^,()\s]*/;
const WORD = /^(?:true|false|null)\b/;
const CALL = /^States\.(\w+)\(/;

/** The most numbers that `States.ArrayRange` makes. */
const MAX_RANGE = 1_000;

/** Whether a text is a call of an intrinsic function. */
export function isIntrinsic(text: string): boolean {
  return text.startsWith('States.');
}

/** @throws {DefinitionError} if the text is no call of an intrinsic function of Step Functions */
export function parseIntrinsic(text: string): Call {
  const [call, rest] = parseCall(text, text);
  if (rest.trim() !== '') throw new DefinitionError(`${text} has text after its last bracket`);
  return call;
}

function parseCall(text: string, whole: string): [Call, rest: string] {
  const [start, name = ''] = CALL.exec(text) ?? [];
  if (start === undefined || !Object.hasOwn(INTRINSICS, name)) {
    throw new DefinitionError(`${whole} is not an intrinsic function of Step Functions`);
  }
  const args: Argument[] = [];
  let rest = text.slice(start.length).trimStart();
  while (!rest.startsWith(')')) {
    const [arg, after] = parseArgument(rest, whole);
    args.push(arg);
    rest = after.trimStart();
    if (rest.startsWith(',')) rest = rest.slice(1).trimStart();
    else if (!rest.startsWith(')')) throw new DefinitionError(`${whole} lacks a closing bracket or a comma`);
  }
  return [{ name, args }, rest.slice(1)];
}

function parseArgument(text: string, whole: string): [Argument, rest: string] {
  if (isIntrinsic(text)) return parseCall(text, whole);
  if (text.startsWith("'")) return parseText(text, whole);
  const [path] = PATH.exec(text) ?? [];
  if (path !== undefined) {
    // A path may contain commas and brackets in its square brackets.
    const end = pathEnd(text);
    return [{ path: text.slice(0, end) }, text.slice(end)];
  }
  const [literal] = NUMBER.exec(text) ?? WORD.exec(text) ?? [];
  if (literal === undefined) throw new DefinitionError(`${whole} has an argument that is no path, text or number`);
  return [{ literal: JSON.parse(literal) }, text.slice(literal.length)];
}

function pathEnd(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '[') depth++;
    else if (character === ']') depth--;
    else if (depth === 0 && (character === ',' || character === ')')) return at;
  }
  return text.length;
}

function parseText(text: string, whole: string): [Argument, rest: string] {
  let value = '';
  for (let at = 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "'") return [{ literal: value }, text.slice(at + 1)];
    // `States.Format` reads the escapes of its brackets itself.
    if (character === '\\' && /['\\]/.test(text.charAt(at + 1))) value += text.charAt(++at);
    else value += character;
  }
  throw new DefinitionError(`${whole} has a text without a closing quote`);
}

/**
 * Runs a call.
 * @param readPath returns the value of a path
 * @throws {StateError} `States.IntrinsicFailure` if an argument is wrong
 */
export function runIntrinsic({ name, args }: Call, readPath: (path: string) => unknown): unknown {
  const values = args.map((arg) => {
    if ('literal' in arg) return arg.literal;
    return 'path' in arg ? readPath(arg.path) : runIntrinsic(arg, readPath);
  });
  try {
    return INTRINSICS[name]?.(values);
  } catch (error) {
    if (error instanceof StateError) throw error;
    throw intrinsicError(`States.${name} failed.`);
  }
}

function intrinsicError(cause: string): StateError {
  return new StateError('States.IntrinsicFailure', cause);
}

function wrong(name: string, expected: string): never {
  throw intrinsicError(`States.${name} needs ${expected}.`);
}

/** Reads arguments of a function, and fails with what the function needs. */
function argumentsOf(name: string, values: readonly unknown[]) {
  return {
    text: (at: number) => {
      const value = values[at];
      return typeof value === 'string' ? value : wrong(name, `a text as argument ${at + 1}`);
    },
    integer: (at: number) => {
      const value = values[at];
      return typeof value === 'number' ? Math.round(value) : wrong(name, `a number as argument ${at + 1}`);
    },
    array: (at: number): readonly unknown[] => {
      const value = values[at];
      return Array.isArray(value) ? value : wrong(name, `an array as argument ${at + 1}`);
    },
    object: (at: number) => {
      const value = values[at];
      return isObject(value) ? value : wrong(name, `an object as argument ${at + 1}`);
    },
  };
}

const HASHES: Readonly<Record<string, string>> = {
  MD5: 'md5',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};

const INTRINSICS: Readonly<Record<string, (values: readonly unknown[]) => unknown>> = {
  Array: (values) => values,
  ArrayPartition: (values) => {
    const read = argumentsOf('ArrayPartition', values);
    const size = read.integer(1);
    if (size < 1) wrong('ArrayPartition', 'a positive number as argument 2');
    const array = read.array(0);
    return Array.from({ length: Math.ceil(array.length / size) }, (_, at) => array.slice(at * size, (at + 1) * size));
  },
  ArrayContains: (values) =>
    argumentsOf('ArrayContains', values)
      .array(0)
      .some((value) => isDeepStrictEqual(value, values[1])),
  ArrayRange: (values) => {
    const read = argumentsOf('ArrayRange', values);
    const [first, last, step] = [read.integer(0), read.integer(1), read.integer(2)];
    const count = step === 0 ? Number.NaN : Math.max(0, Math.floor((last - first) / step) + 1);
    if (!(count <= MAX_RANGE)) wrong('ArrayRange', `a step other than 0, and at most ${MAX_RANGE} numbers`);
    return Array.from({ length: count }, (_, at) => first + at * step);
  },
  ArrayGetItem: (values) => {
    const read = argumentsOf('ArrayGetItem', values);
    const [array, at] = [read.array(0), read.integer(1)];
    return at >= 0 && at < array.length ? array[at] : wrong('ArrayGetItem', 'an index inside the array');
  },
  ArrayLength: (values) => argumentsOf('ArrayLength', values).array(0).length,
  ArrayUnique: (values) =>
    argumentsOf('ArrayUnique', values)
      .array(0)
      .filter((value, at, all) => all.findIndex((other) => isDeepStrictEqual(other, value)) === at),
  Base64Encode: (values) => Buffer.from(argumentsOf('Base64Encode', values).text(0)).toString('base64'),
  Base64Decode: (values) => Buffer.from(argumentsOf('Base64Decode', values).text(0), 'base64').toString(),
  Hash: (values) => {
    const algorithm = HASHES[argumentsOf('Hash', values).text(1)];
    if (algorithm === undefined) return wrong('Hash', `one of ${Object.keys(HASHES).join(', ')} as argument 2`);
    const [data] = values;
    return createHash(algorithm)
      .update(typeof data === 'string' ? data : JSON.stringify(data))
      .digest('hex');
  },
  JsonMerge: (values) => {
    const read = argumentsOf('JsonMerge', values);
    if (values[2] !== false) wrong('JsonMerge', 'false as argument 3');
    return { ...read.object(0), ...read.object(1) };
  },
  JsonToString: ([value]) => JSON.stringify(value),
  StringToJson: (values) => JSON.parse(argumentsOf('StringToJson', values).text(0)),
  MathRandom: (values) => {
    const read = argumentsOf('MathRandom', values);
    const [first, end] = [read.integer(0), read.integer(1)];
    return first < end ? randomInt(first, end) : wrong('MathRandom', 'a second number that is higher than the first');
  },
  MathAdd: (values) => {
    const read = argumentsOf('MathAdd', values);
    return read.integer(0) + read.integer(1);
  },
  StringSplit: (values) => {
    const read = argumentsOf('StringSplit', values);
    const separators = new Set(read.text(1));
    const parts = [''];
    for (const character of read.text(0)) {
      if (separators.has(character)) parts.push('');
      else parts.push(`${parts.pop()}${character}`);
    }
    return parts.filter((part) => part !== '');
  },
  UUID: () => randomUUID(),
  Format: (values) => {
    const rest = values.slice(1);
    const filled = argumentsOf('Format', values)
      .text(0)
      .replaceAll(/\\([{}])|\{\}/g, (_, escaped?: string) => {
        if (escaped !== undefined) return escaped;
        if (rest.length === 0) wrong('Format', 'a value for each {}');
        const value = rest.shift();
        return typeof value === 'string' ? value : JSON.stringify(value);
      });
    return rest.length === 0 ? filled : wrong('Format', 'a {} for each value');
  },
};
