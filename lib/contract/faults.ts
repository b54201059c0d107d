import type * as z from 'zod/mini';
import { type Fault, isFaultCode } from './fault.ts';
import { nearest } from './nearest.ts';
import { LONGEST_NAME, pointerTo, valueAt } from './pointer.ts';

/** The field names of an object: those that a request may have, and those of answers only. */
export interface Names {
  readonly known: readonly string[];
  readonly serviceOnly: readonly string[];
}

/** Returns the field names of the object at a path, which is relative to the checked value. */
export type NamesAt = (path: readonly PropertyKey[]) => Names;

/**
 * Translates zod issues into faults of the contract.
 * @param base the path of the checked value in the body
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
        ? { code: 'required', detail: `${a(issue.expected)} is required.` }
        : { code: 'wrong-type', detail: `This field must be ${a(issue.expected).toLowerCase()}.` };
    case 'invalid_value': {
      const allowed = issue.values.filter((value) => typeof value === 'string');
      const detail = `This field must be one of: ${allowed.join(', ')}.`;
      if (found === undefined || found === null) return { code: 'required', detail, allowed };
      return { code: typeof found === 'string' ? 'not-allowed' : 'wrong-type', detail, allowed };
    }
    case 'too_small':
      return issue.origin === 'array'
        ? { code: 'too-few', detail: `This list must have at least ${issue.minimum} entry.` }
        : { code: 'out-of-range', detail: `This number must be at least ${issue.minimum}.` };
    case 'too_big':
      return issue.origin === 'array'
        ? { code: 'too-many', detail: `This list must have at most ${issue.maximum} entries.` }
        : { code: 'out-of-range', detail: 'This number must be below 2^53.' };
    case 'invalid_format':
      return FORMATS[issue.format] ?? { code: 'not-allowed', detail: 'This text has the wrong format.' };
    case 'custom':
      return ruleBroken(issue.params);
    default:
      return { code: 'wrong-type', detail: 'This value is not valid here.' };
  }
}

const FORMATS: Readonly<Record<string, Explanation>> = {
  email: { code: 'invalid-email', detail: 'This field must be an e-mail address, such as name@example.com.' },
};

/** Reads the fault that `rule` in `fields.ts` attached. */
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
      detail: 'Only answers have this field. Leave it out of the request.',
    };
  }
  if (name.length > LONGEST_NAME) {
    // The pointer names the object: it leaves the long name out.
    return {
      pointer,
      code: 'unknown-field',
      detail: 'This object has a field with a name longer than any known one.',
    };
  }
  const allowed = nearest(name, known);
  const hint = allowed.length > 0 ? ` Did you mean ${allowed.join(' or ')}?` : '';
  return { pointer, code: 'unknown-field', detail: `This object has no such field.${hint}`, ...(hint && { allowed }) };
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
