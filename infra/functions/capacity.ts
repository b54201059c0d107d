import { nearest } from '../../lib/contract/nearest.ts';
import { OPTIONAL_ROUTES } from '../../lib/contract/optional-routes.ts';
import { ROUTES } from '../../lib/operations/routes.ts';
import { requireWhole, SettingError } from '../setting-error.ts';
import type { Rollout } from '../stages.ts';
import type { FunctionEntry, FunctionName } from './catalogue.ts';

/** A whole CPU. Starting and parsing are CPU-bound, so they end sooner at the same cost. */
export const DEFAULT_MEMORY_MB = 1_769;
/** The least and the most memory that Lambda gives to a function. */
const MEMORY_MB = [128, 10_240] as const;

/** The functions that API Gateway calls. Their callers see each failure, and may not repeat the request. */
export const BEHIND_API: ReadonlySet<string> = new Set([
  'authorizer',
  ...[...ROUTES, ...OPTIONAL_ROUTES].map((route) => route.function),
]);

/** How much memory and concurrency functions have. */
export interface FunctionCapacity {
  /**
   * The memory of functions in MB: one number for all, or numbers by function name. Lambda gives CPU in proportion.
   * Default: 1,769, which is one whole CPU.
   */
  readonly memoryMb?: number | Partial<Record<FunctionName, number>>;
  /**
   * The reserved concurrency of functions, by function name. A function without an entry uses the account's unreserved
   * concurrency.
   */
  readonly reservedConcurrency?: Partial<Record<FunctionName, number>>;
  /**
   * How many environments of a function Lambda keeps started, by the name of a function behind the API. They cost money
   * all the time. The functions need versions: the option `rollout` must be `gradual` or `at-once`. Default: none.
   */
  readonly provisionedConcurrency?: Partial<Record<FunctionName, number>>;
}

/** Returns the memory of a function in MB. */
export function memoryOf(name: FunctionName, { memoryMb = DEFAULT_MEMORY_MB }: FunctionCapacity): number {
  return typeof memoryMb === 'number' ? memoryMb : (memoryMb[name] ?? DEFAULT_MEMORY_MB);
}

/**
 * Checks memory and concurrency.
 * @param functions the functions that the gateway has
 * @throws {SettingError} if an entry is invalid, or names a function that the gateway does not have
 */
export function checkCapacity(
  { memoryMb = {}, reservedConcurrency = {}, provisionedConcurrency = {} }: FunctionCapacity,
  functions: readonly FunctionEntry[],
  rollout: Rollout,
): void {
  const names = functions.map(({ name }): string => name);
  const reserved = new Map(Object.entries(reservedConcurrency));
  const limits = `a whole number of MB from ${MEMORY_MB.join(' to ')}`;
  if (typeof memoryMb === 'number') requireWhole(memoryMb, MEMORY_MB, `memoryMb must be ${limits}`);
  else requireNumbers(memoryMb, MEMORY_MB, names, `memoryMb must be ${limits}, or map function names to such numbers`);
  requireNumbers(
    reservedConcurrency,
    [0, Number.MAX_SAFE_INTEGER],
    names,
    'reservedConcurrency must map function names to whole numbers',
  );
  const behindApi = names.filter((name) => BEHIND_API.has(name));
  requireNumbers(
    provisionedConcurrency,
    [1, Number.MAX_SAFE_INTEGER],
    behindApi,
    'provisionedConcurrency must map names of functions behind the API to whole numbers from 1 on',
  );
  for (const [name, count] of Object.entries(provisionedConcurrency)) {
    if (rollout === 'in-place') {
      throw new SettingError(
        'provisionedConcurrency needs functions with versions: set rollout=gradual or rollout=at-once',
      );
    }
    if (count > (reserved.get(name) ?? count)) {
      throw new SettingError(`provisionedConcurrency.${name} must not be larger than reservedConcurrency.${name}`);
    }
  }
}

function requireNumbers(
  numbers: Readonly<Record<string, number>>,
  range: readonly [number, number],
  names: readonly string[],
  rule: string,
): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (!names.includes(name)) {
      const [similar] = nearest(name, names, 1);
      const hint = similar === undefined ? `the names here are ${names.join(', ')}` : `did you mean ${similar}?`;
      throw new SettingError(`${rule}. ${name} is no such name: ${hint}`);
    }
    requireWhole(value, range, rule);
  }
}
