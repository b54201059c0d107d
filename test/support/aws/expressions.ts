import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { type Attributes, invalid, Value } from './wire.ts';

/** The schema of a request's expressions. Each given name and value must be used, as DynamoDB requires. */
export const Expressions = z.object({
  KeyConditionExpression: z.optional(z.string()),
  ConditionExpression: z.optional(z.string()),
  FilterExpression: z.optional(z.string()),
  UpdateExpression: z.optional(z.string()),
  ExpressionAttributeNames: z._default(z.record(z.string(), z.string()), {}),
  ExpressionAttributeValues: z._default(z.record(z.string(), Value), {}),
});
type Expressions = z.infer<typeof Expressions>;

export function requireAllUsed(expressions: Expressions): void {
  const { KeyConditionExpression, ConditionExpression, UpdateExpression, FilterExpression } = expressions;
  const texts = [KeyConditionExpression, ConditionExpression, UpdateExpression, FilterExpression];
  const used = new Set(texts.join(' ').match(/[#:]\w+/g));
  const given = [expressions.ExpressionAttributeNames, expressions.ExpressionAttributeValues].flatMap(Object.keys);
  if (!isDeepStrictEqual([...used].sort(), given.sort())) throw invalid();
}

/** Whether an item, which may be missing, meets the condition of an operation. */
export function meets(item: Attributes | undefined, expressions: Expressions): boolean {
  const { ConditionExpression: text } = expressions;
  if (text === undefined) return true;
  const [, absent, date = '', latest = ''] =
    /^attribute_not_exists\((#\w+)\)(?: OR (#\w+) <= (:\w+))?$/.exec(text) ?? [];
  if (absent !== undefined) {
    if (item?.[nameOf(expressions, absent)] === undefined) return true;
    return date !== '' && isAtMost(item[nameOf(expressions, date)], valueAt(expressions, latest));
  }
  const [, name = '', value = ''] = /^(#\w+) = (:\w+)$/.exec(text) ?? [];
  return isDeepStrictEqual(item?.[nameOf(expressions, name)], valueAt(expressions, value));
}

function isAtMost(value: Value | undefined, most: Value): boolean {
  return value !== undefined && 'N' in value && 'N' in most && BigInt(value.N) <= BigInt(most.N);
}

const ASSIGNMENT = /(#\w+) = (?:(:\w+)|if_not_exists\((#\w+), (:\w+)\) \+ (:\w+))/g;

/** Returns an item after an update. */
export function updated(item: Attributes, expressions: Expressions): Attributes {
  const [, sets = '', removes = ''] =
    /^SET (.+?)(?: REMOVE ([#\w,]+))?$/.exec(expressions.UpdateExpression ?? '') ?? [];
  if (sets === '' || /[^,]/.test(sets.replaceAll(ASSIGNMENT, ''))) throw invalid();
  const assigned = [...sets.matchAll(ASSIGNMENT)].map(([, name = '', value, old, start, summand]) => {
    const is = value === undefined ? sum(item, expressions, { old, start, summand }) : valueAt(expressions, value);
    return [nameOf(expressions, name), is] as const;
  });
  const removed = removes === '' ? [] : removes.split(',').map((name) => nameOf(expressions, name));
  return Object.fromEntries([...Object.entries(item).filter(([name]) => !removed.includes(name)), ...assigned]);
}

/** Returns the value of `if_not_exists(#old, :start) + :summand`. */
function sum(
  item: Attributes,
  expressions: Expressions,
  { old = '', start = '', summand = '' }: Record<'old' | 'start' | 'summand', string | undefined>,
): Value {
  const first = item[nameOf(expressions, old)] ?? valueAt(expressions, start);
  const second = valueAt(expressions, summand);
  if (!('N' in first && 'N' in second)) throw invalid();
  return { N: String(BigInt(first.N) + BigInt(second.N)) };
}

/** Returns the partition of a query, and a function that says whether the query includes a sort key. */
export function keysAskedFor(expressions: Expressions): { partition: string; has: (sort: string) => boolean } {
  const [whole, ...rest] = (expressions.KeyConditionExpression ?? '').split(/ AND (?!:)/);
  const text = (placeholder = '') => {
    const value = valueAt(expressions, placeholder);
    // A key is never empty, so DynamoDB refuses a condition with an empty one.
    if (!('S' in value) || value.S === '') throw invalid();
    return value.S;
  };
  const condition = rest.join();
  const [, upTo] = /^#sort <= (:\w+)$/.exec(condition) ?? [];
  const [, prefix] = /^begins_with\(#sort, (:\w+)\)$/.exec(condition) ?? [];
  const [, from, to] = /^#sort BETWEEN (:\w+) AND (:\w+)$/.exec(condition) ?? [];
  const partition = text(/^#partition = (:\w+)$/.exec(whole ?? '')?.[1]);
  if (condition === '') return { partition, has: () => true };
  if (prefix !== undefined) {
    const beginning = text(prefix);
    return { partition, has: (sort) => sort.startsWith(beginning) };
  }
  const last = text(upTo ?? to);
  const first = upTo === undefined ? text(from) : '';
  if (compareBytes(first, last) > 0) throw invalid();
  return { partition, has: (sort) => compareBytes(first, sort) <= 0 && compareBytes(sort, last) <= 0 };
}

/** Whether an item passes the filter of a scan, which compares the beginning of one attribute. */
export function passes(item: Attributes, expressions: Expressions): boolean {
  const [, name = '', value = ''] = /^begins_with\((#\w+), (:\w+)\)$/.exec(expressions.FilterExpression ?? '') ?? [];
  const [attribute, beginning] = [item[nameOf(expressions, name)], valueAt(expressions, value)];
  return attribute !== undefined && 'S' in attribute && 'S' in beginning && attribute.S.startsWith(beginning.S);
}

/** Compares sort keys in DynamoDB's order. */
export function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function nameOf({ ExpressionAttributeNames }: Expressions, placeholder: string): string {
  const name = ExpressionAttributeNames[placeholder];
  if (name === undefined) throw invalid();
  return name;
}

function valueAt({ ExpressionAttributeValues }: Expressions, placeholder: string): Value {
  const value = ExpressionAttributeValues[placeholder];
  if (!value) throw invalid();
  return value;
}
