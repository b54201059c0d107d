import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod/mini';
import { FUNCTIONS } from '../../../infra/functions/catalogue.ts';
import { FUNCTION_LOGS, type FunctionLog } from '../../../infra/functions/function-spec.ts';
import { propertiesOf } from '../template.ts';

const Filter = z.object({
  FilterPattern: z.string(),
  LogGroupName: z.object({ Ref: z.string() }),
  MetricTransformations: z.tuple([z.object({ MetricName: z.string(), MetricValue: z.string() })]),
});

/** A metric filter of a stack. */
export interface MetricFilter {
  readonly id: string;
  /** The log that the filter reads: one of functions, or that of bulk runs. */
  readonly log: FunctionLog | 'bulk';
  readonly pattern: string;
  readonly metric: string;
  readonly value: string;
}

const LOGS: ReadonlyMap<string, FunctionLog> = new Map(Object.entries(FUNCTIONS).map(([name, { log }]) => [name, log]));

/** Returns the log with the lines of a function, or of bulk runs. */
export function logOf(name: string): MetricFilter['log'] {
  return LOGS.get(name) ?? 'bulk';
}

/** Returns the metric filters of a template. */
export function filtersOf(template: Template): MetricFilter[] {
  return [...propertiesOf(template, 'AWS::Logs::MetricFilter')].map(([id, filter]) => {
    const { FilterPattern, LogGroupName, MetricTransformations } = Filter.parse(filter);
    const [{ MetricName, MetricValue }] = MetricTransformations;
    const log = FUNCTION_LOGS.find((name) => LogGroupName.Ref.startsWith(`${name}Log`)) ?? 'bulk';
    return { id, log, pattern: FilterPattern, metric: MetricName, value: MetricValue };
  });
}

/** Returns what a line adds to the metric of a filter; 0 if the filter does not select the line. */
export function amountOf({ pattern, value }: MetricFilter, line: string): number {
  if (!matches(pattern, line)) return 0;
  return Number(value.startsWith('$.') ? fieldOf(line, value.slice(2)) : value);
}

/** Whether a line matches a pattern of CloudWatch, of the kinds that the stack uses. */
function matches(pattern: string, line: string): boolean {
  const [, condition] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  if (condition === undefined)
    return [...pattern.matchAll(/\?"([^"]+)"/g)].some(([, text = '']) => line.includes(text));
  return line.startsWith('{') && holds(condition, line);
}

/** Whether a condition holds for a line: comparisons, joined by `&&` or `||`, each part in parentheses. */
function holds(condition: string, line: string): boolean {
  for (const [operator, isEnough] of [
    [' && ', false],
    [' || ', true],
  ] as const) {
    const parts = splitOutside(condition, operator);
    if (parts.length > 1) return parts.some((part) => holds(part, line) === isEnough) === isEnough;
  }
  if (condition.startsWith('(')) return holds(condition.slice(1, -1), line);
  const [, field = '', operator, expected = ''] = /^\$\.([\w.]+) (=|>=) (\S+)$/.exec(condition) ?? [];
  if (operator === undefined) throw new Error(`The test does not know the condition ${condition}`);
  const is = fieldOf(line, field);
  if (expected.startsWith('%')) return typeof is === 'string' && new RegExp(expected.slice(1, -1)).test(is);
  return operator === '=' ? is === JSON.parse(expected) : typeof is === 'number' && is >= Number(expected);
}

/** Splits a condition at an operator outside all parentheses. */
function splitOutside(condition: string, operator: string): string[] {
  const parts = [''];
  let depth = 0;
  for (let at = 0; at < condition.length; at++) {
    const sign = condition.charAt(at);
    depth += Number(sign === '(') - Number(sign === ')');
    if (depth === 0 && condition.startsWith(operator, at)) {
      parts.push('');
      at += operator.length - 1;
    } else parts.push((parts.pop() ?? '') + sign);
  }
  return parts;
}

const Fields = z.record(z.string(), z.unknown());

/** Returns the value of a line at a path, such as `cause.code`. */
function fieldOf(line: string, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => Fields.safeParse(value).data?.[name], JSON.parse(line));
}
