import type * as z from 'zod/mini';
import { type Fault, isFaultCode } from './fault.ts';
import { nearest } from './nearest.ts';
import { LONGEST_NAME, pointerTo, valueAt } from './pointer.ts';

/** The names of an object that a request may hold: what it takes, and what only answers have. */
export interface Names {
  readonly known: readonly string[];
  readonly serviceOnly: readonly string[];
}

/** Gives the names that are known at a place; the path is relative to the checked value. */
export type NamesAt = (path: readonly PropertyKey[]) => Names;

/**
 * Says what a schema found, in the words of the contract.
 * @param base where the checked value stands in the body
 */
export function* faultsOf(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  base: readonly PropertyKey[],
  namesAt: NamesAt,
): Generator<Fault> {
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) yield unknownField([...base, ...issue.path], key, namesAt(issue.path));
    } else {
      yield { pointer: pointerTo([...base, ...issue.path]), ...explain(issue, valueAt(value, issue.path)) };
    }
  }
}

type Explanation = Pick<Fault, 'code' | 'detail' | 'allowed'>;

function explain(issue: z.core.$ZodIssue, found: unknown): Explanation {
  switch (issue.code) {
    case 'invalid_type':
      return found === undefined || found === null
        ? { code: 'required', detail: `${a(issue.expected)} is needed here.` }
        : { code: 'wrong-type', detail: `This field takes ${a(issue.expected).toLowerCase()}.` };
    case 'invalid_value': {
      const allowed = issue.values.filter((value) => typeof value === 'string');
      const detail = `This field takes one of: ${allowed.join(', ')}.`;
      if (found === undefined || found === null) return { code: 'required', detail, allowed };
      return { code: typeof found === 'string' ? 'not-allowed' : 'wrong-type', detail, allowed };
    }
    case 'too_small':
      return issue.origin === 'array'
        ? { code: 'too-few', detail: `This list takes at least ${issue.minimum} entry.` }
        : { code: 'out-of-range', detail: `This number must be at least ${issue.minimum}.` };
    case 'too_big':
      return issue.origin === 'array'
        ? { code: 'too-many', detail: `This list takes at most ${issue.maximum} entries.` }
        : { code: 'out-of-range', detail: 'This number must be below 2^53.' };
    case 'invalid_format':
      return FORMATS[issue.format] ?? { code: 'not-allowed', detail: 'This text has another form than the field.' };
    case 'custom':
      return ruleBroken(issue.params);
    default:
      return { code: 'wrong-type', detail: 'This value does not fit the field.' };
  }
}

const FORMATS: Readonly<Record<string, Explanation>> = {
  email: { code: 'invalid-email', detail: 'This field takes an e-mail address, such as name@example.com.' },
};

/** Reads what `rule` in `fields.ts` attached. */
function ruleBroken(params: Readonly<Record<string, unknown>> | undefined): Explanation {
  const code = params?.['fault'];
  const detail = params?.['detail'];
  if (!isFaultCode(code) || typeof detail !== 'string') throw new TypeError('A rule of the contract names no fault');
  return { code, detail };
}

function unknownField(path: readonly PropertyKey[], name: string, { known, serviceOnly }: Names): Fault {
  const pointer = pointerTo([...path, name]);
  if (serviceOnly.includes(name)) {
    return {
      pointer,
      code: 'service-field',
      detail: 'The service adds this field to its answer; leave it out of the request.',
    };
  }
  if (name.length > LONGEST_NAME) {
    // The pointer ends at the object: it leaves the name out.
    return {
      pointer,
      code: 'unknown-field',
      detail: 'This object has a field whose name is longer than any known one.',
    };
  }
  const allowed = nearest(name, known);
  const hint = allowed.length > 0 ? ` Did you mean ${allowed.join(' or ')}?` : '';
  return { pointer, code: 'unknown-field', detail: `There is no such field here.${hint}`, ...(hint && { allowed }) };
}

const A: Readonly<Record<string, string>> = {
  string: 'A string',
  number: 'A number',
  int: 'An integer',
  boolean: 'A boolean',
  array: 'An array',
  object: 'An object',
};

function a(expected: string): string {
  return A[expected] ?? 'Another value';
}
