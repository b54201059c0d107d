import * as z from 'zod/mini';
import { parsePath } from './json-path.ts';
import { DefinitionError, runtimeError } from './state-error.ts';
import type { Language } from './state-fields.ts';

/** A rule of a choice state. */
export interface ChoiceRule {
  readonly condition: Condition;
  readonly next: string;
  /** The fields `Output` and `Assign` of the rule. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export type Condition =
  | { readonly kind: 'expression'; readonly expression: string | boolean }
  | { readonly kind: 'and' | 'or'; readonly all: readonly Condition[] }
  | { readonly kind: 'not'; readonly inner: Condition }
  | { readonly kind: 'test'; readonly variable: string; readonly operator: string; readonly expected: unknown };

const JsonataRule = z.strictObject({
  Condition: z.union([z.string(), z.boolean()]),
  Next: z.string(),
  Output: z.optional(z.unknown()),
  Assign: z.optional(z.record(z.string(), z.unknown())),
  Comment: z.optional(z.string()),
});
const PathRule = z.looseObject({ Next: z.string(), Assign: z.optional(z.record(z.string(), z.unknown())) });
const Fields = z.record(z.string(), z.unknown());

/** @throws {DefinitionError} if a rule is invalid in its query language */
export function readRule(rule: unknown, language: Language, at: string): ChoiceRule {
  if (language === 'JSONata') {
    const { success, data } = JsonataRule.safeParse(rule);
    if (!success)
      throw new DefinitionError(
        `${at} has a rule that is not of JSONata: a rule has Condition, Next, Output and Assign`,
      );
    const { Condition: expression, Next, Output, Assign } = data;
    return { condition: { kind: 'expression', expression }, next: Next, fields: { Output, Assign } };
  }
  const { success, data } = PathRule.safeParse(rule);
  if (!success || 'Condition' in data || 'Output' in data)
    throw new DefinitionError(`${at} has a rule that is not of JSONPath: a rule has Variable, an operator and Next`);
  const { Next, Assign, ...test } = data;
  return { condition: readCondition(test, at), next: Next, fields: { Assign } };
}

function readCondition(value: unknown, at: string): Condition {
  const refuse = (reason: string): never => {
    throw new DefinitionError(`${at} has a rule that ${reason}`);
  };
  const { Variable, Comment: _, ...rest } = Fields.safeParse(value).data ?? refuse('is no object');
  const [[operator, expected] = ['', undefined], ...others] = Object.entries(rest);
  if (others.length > 0) refuse('has several operators');
  if (operator === 'Not') return { kind: 'not', inner: readCondition(expected, at) };
  if (operator === 'And' || operator === 'Or') {
    const all = Array.isArray(expected) ? expected : refuse(`has no list in ${operator}`);
    return { kind: operator === 'And' ? 'and' : 'or', all: all.map((inner) => readCondition(inner, at)) };
  }
  if (typeof Variable !== 'string') return refuse('has no Variable');
  parsePath(Variable);
  const isPathOperator = operator.endsWith('Path');
  const known = isPathOperator
    ? COMPARISONS[operator.slice(0, -PATH.length)]
    : (COMPARISONS[operator] ?? TYPES[operator]);
  if (known === undefined) refuse(`has the unknown operator ${operator}`);
  if (isPathOperator) parsePath(String(expected));
  return { kind: 'test', variable: Variable, operator, expected };
}

/**
 * Whether a condition of JSONPath holds.
 * @param read returns the value of a path; `undefined` if it selects nothing
 * @throws {StateError} `States.Runtime` if a compared path selects nothing
 */
export function testCondition(condition: Condition, read: (path: string) => unknown): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.all.every((inner) => testCondition(inner, read));
    case 'or':
      return condition.all.some((inner) => testCondition(inner, read));
    case 'not':
      return !testCondition(condition.inner, read);
    case 'expression':
      throw new DefinitionError('a condition of JSONPath is no expression');
    case 'test':
      return test(condition, read);
  }
}

const PATH = 'Path';

function test(
  { variable, operator, expected }: Extract<Condition, { kind: 'test' }>,
  read: (path: string) => unknown,
): boolean {
  const value = read(variable);
  if (operator === 'IsPresent') return (value !== undefined) === expected;
  if (value === undefined) throw runtimeError(`The path ${variable} of a choice selects nothing.`);
  const isType = TYPES[operator];
  if (isType) return isType(value) === expected;
  if (!operator.endsWith(PATH)) return COMPARISONS[operator]?.(value, expected) ?? false;
  const other = read(String(expected));
  if (other === undefined) throw runtimeError(`The path ${String(expected)} of a choice selects nothing.`);
  return COMPARISONS[operator.slice(0, -PATH.length)]?.(value, other) ?? false;
}

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether a value is a timestamp of RFC 3339. */
export const isDate = (value: unknown): boolean =>
  typeof value === 'string' && DATE.test(value) && !Number.isNaN(Date.parse(value));

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  IsPresent: (value) => value !== undefined,
  IsNull: (value) => value === null,
  IsBoolean: (value) => typeof value === 'boolean',
  IsNumeric: (value) => typeof value === 'number',
  IsString: (value) => typeof value === 'string',
  IsTimestamp: isDate,
};

type Comparison = (value: unknown, expected: unknown) => boolean;

/** Returns the comparisons of a type: `<Type>Equals`, `<Type>LessThan` and so on. */
function comparisonsOf(type: string, key: (value: unknown) => number | string | undefined) {
  const compare =
    (holds: (a: number | string, b: number | string) => boolean): Comparison =>
    (value, expected) => {
      const [a, b] = [key(value), key(expected)];
      return a !== undefined && b !== undefined && holds(a, b);
    };
  return {
    [`${type}Equals`]: compare((a, b) => a === b),
    [`${type}LessThan`]: compare((a, b) => a < b),
    [`${type}LessThanEquals`]: compare((a, b) => a <= b),
    [`${type}GreaterThan`]: compare((a, b) => a > b),
    [`${type}GreaterThanEquals`]: compare((a, b) => a >= b),
  };
}

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  ...comparisonsOf('String', (value) => (typeof value === 'string' ? value : undefined)),
  ...comparisonsOf('Numeric', (value) => (typeof value === 'number' ? value : undefined)),
  ...comparisonsOf('Timestamp', (value) => (isDate(value) ? Date.parse(String(value)) : undefined)),
  BooleanEquals: (value, expected) => typeof value === 'boolean' && value === expected,
  StringMatches: (value, expected) =>
    typeof value === 'string' && typeof expected === 'string' && matchesWildcards(value, expected),
};

/**
 * Whether a text matches a pattern in which `*` stands for any text, and `\*` for the asterisk itself. The time grows at
 * most with the product of both lengths.
 */
function matchesWildcards(text: string, pattern: string): boolean {
  const parts = pattern.match(/\\[*\\]|[\s\S]/g) ?? [];
  let [at, next] = [0, 0];
  /** The place of the last asterisk in the pattern, and the end of the text that it stands for. */
  let [asterisk, end] = [-1, 0];
  while (at < text.length) {
    const part = parts[next];
    if (part === '*') {
      asterisk = next++;
      end = at;
    } else if (part?.at(-1) === text[at]) {
      next++;
      at++;
    } else if (asterisk >= 0) {
      next = asterisk + 1;
      at = ++end;
    } else {
      return false;
    }
  }
  return parts.slice(next).every((part) => part === '*');
}
