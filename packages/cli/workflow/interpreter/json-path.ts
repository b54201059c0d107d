import { parseFilter } from './json-path-filter.ts';
import { DefinitionError } from './state-error.ts';

/** A parsed path in the JSONPath of Step Functions. */
export interface JsonPath {
  readonly text: string;
  /** What the path begins with: the data, the context object, or the variable of a name. */
  readonly root: 'data' | 'context' | { readonly variable: string };
  readonly steps: readonly Step[];
  /** Whether the path selects one value. If not, its result is an array. */
  readonly isDefinite: boolean;
}

/** A step of a path. The keys of a definite step are those of a reference path. */
interface Step {
  readonly key?: string | number;
  readonly select: (value: unknown) => readonly unknown[];
}

const ROOT = /^\$(?:\$|[A-Za-z_]\w*)?/;
const NAME = /^[\p{L}\p{N}_-]+/u;
const INDEXES = /^-?\d+(?:\s*,\s*-?\d+)*$/;
const SLICE = /^(-?\d+)?:(-?\d+)?(?::(-?\d+))?$/;
const QUOTED = /^\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*(,|$)/;

/** Whether a text is a path, not a function or a literal. */
export function isPath(text: string): boolean {
  return text.startsWith('$');
}

/** @throws {DefinitionError} if the text is no path */
export function parsePath(text: string): JsonPath {
  const start = ROOT.exec(text)?.[0];
  if (start === undefined) throw new DefinitionError(`${text} is not a path: a path begins with $`);
  const steps: Step[] = [];
  let rest = text.slice(start.length);
  while (rest !== '') {
    const [step, length] = parseStep(rest, text);
    steps.push(...step);
    rest = rest.slice(length);
  }
  const root = start === '$' ? 'data' : start === '$$' ? 'context' : ({ variable: start.slice(1) } as const);
  return { text, root, steps, isDefinite: steps.every(({ key }) => key !== undefined) };
}

/** Selects values. @returns the value of a definite path, an array otherwise; `undefined` if there is none */
export function select({ steps, isDefinite }: JsonPath, root: unknown): unknown {
  const found = steps.reduce<readonly unknown[]>((values, step) => values.flatMap(step.select), [root]);
  return isDefinite ? found[0] : found;
}

/**
 * Returns a copy of the data with a value at a reference path, which adds missing objects.
 * @returns `undefined` if the data has something else than an object or an array there
 */
export function setAt({ steps }: JsonPath, data: unknown, value: unknown): unknown {
  const [first, ...rest] = steps;
  if (first === undefined) return value;
  const { key } = first;
  const next = (before: unknown) => setAt({ ...EMPTY, steps: rest }, before, value);
  if (typeof key === 'number') {
    if (!Array.isArray(data) || key < 0 || key >= data.length) return undefined;
    const inner = next(data[key]);
    return inner === undefined ? undefined : data.with(key, inner);
  }
  if (key === undefined || !isObject(data ?? {})) return undefined;
  const inner = next(Object(data)[key]);
  return inner === undefined ? undefined : { ...Object(data), [key]: inner };
}

const EMPTY: JsonPath = { text: '$', root: 'data', steps: [], isDefinite: true };

/** Whether a value is an object of JSON, not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseStep(rest: string, text: string): [steps: Step[], length: number] {
  if (rest.startsWith('..')) {
    const all: Step = { select: descendants };
    const after = rest.slice(2);
    if (after.startsWith('[')) return [[all], 2];
    const [steps, length] = parseStep(`.${after}`, text);
    return [[all, ...steps], length + 1];
  }
  if (rest.startsWith('.*')) return [[{ select: children }], 2];
  const [name] = rest.startsWith('.') ? (NAME.exec(rest.slice(1)) ?? []) : [];
  if (name !== undefined) return [[memberStep(name)], name.length + 1];
  const end = rest.startsWith('[') ? closingBracket(rest) : -1;
  if (end === -1) throw new DefinitionError(`the path ${text} is invalid at “${rest}”`);
  return [[bracketStep(rest.slice(1, end).trim(), text)], end + 1];
}

/** Returns where the bracket at the start of a text is closed, or -1. */
function closingBracket(text: string): number {
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
    } else if (character === "'" || character === '"') quote = character;
    else if (character === '[') depth++;
    else if (character === ']' && --depth === 0) return at;
  }
  return -1;
}

function bracketStep(inner: string, text: string): Step {
  if (inner === '*') return { select: children };
  if (INDEXES.test(inner)) {
    const indexes = inner.split(',').map(Number);
    const [only = 0] = indexes;
    if (indexes.length === 1) return { key: only, select: (value) => elements(value, [only]) };
    return { select: (value) => elements(value, indexes) };
  }
  const slice = SLICE.exec(inner);
  if (slice) return sliceStep(slice);
  if (inner.startsWith('?')) {
    const holds = parseFilter(inner.slice(1), text, (field) => {
      const path = parsePath(field);
      return (value) => select(path, value);
    });
    return { select: (value) => children(value).filter(holds) };
  }
  const names = quotedNames(inner, text);
  const [only = ''] = names;
  return names.length === 1 ? memberStep(only) : { select: (value) => names.flatMap((name) => member(value, name)) };
}

function quotedNames(inner: string, text: string): string[] {
  const names: string[] = [];
  for (let rest = inner; rest !== ''; ) {
    const match = QUOTED.exec(rest);
    if (!match) throw new DefinitionError(`the path ${text} is invalid at “[${inner}]”`);
    names.push((match[1] ?? match[2] ?? '').replaceAll(/\\(.)/g, '$1'));
    rest = rest.slice(match[0].length);
  }
  if (names.length === 0) throw new DefinitionError(`the path ${text} has an empty []`);
  return names;
}

function memberStep(name: string): Step {
  return { key: name, select: (value) => member(value, name) };
}

function member(value: unknown, name: string): readonly unknown[] {
  return isObject(value) && Object.hasOwn(value, name) ? [value[name]] : [];
}

function elements(value: unknown, indexes: readonly number[]): readonly unknown[] {
  if (!Array.isArray(value)) return [];
  return indexes.flatMap((index) => (index < value.length && index >= -value.length ? [value.at(index)] : []));
}

function sliceStep([, from, to, step = '1']: RegExpExecArray): Step {
  const by = Number(step);
  return {
    select: (value) => {
      if (!Array.isArray(value) || by <= 0) return [];
      const part = value.slice(from === undefined ? 0 : Number(from), to === undefined ? undefined : Number(to));
      return part.filter((_, index) => index % by === 0);
    },
  };
}

function children(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function descendants(value: unknown): readonly unknown[] {
  return [value, ...children(value).flatMap(descendants)];
}
